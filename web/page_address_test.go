package web

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/strategies/spec"
)

// A link that is old, cut off or mistyped opens with what can be read of it, and the page says what cannot.
func TestBrokenAddressesKeepWhatCanBeRead(t *testing.T) {
	opening := len(sim.Default().Policies)
	for _, c := range []struct {
		query, kept string   // the address of what could be read
		told        []string // field, value and what is accepted of the rest
		policies    int
	}{
		{"clients.count=0&seed=7&nonsense=1", "seed=7", []string{"clients.count count must be at least 1, not 0", `nonsense unknown field "nonsense"; accepted are name`}, opening},
		{"server.queue=many&server.workers=30", "server.workers=30", []string{`server.queue queue must be a whole number, not "many"`}, opening},
		{"clients.workload.kind=open&clients.count=50", "clients.count=50", []string{"clients.workload.rate rate is required"}, opening},
		{"clients.workload.kind=often&clients.workload.rate=3&seed=9", "seed=9", []string{"clients.workload.kind kind must be one of burst", "clients.workload.rate rate belongs to kind open, not burst"}, opening},
		{"server.outages.1.end=30s&seed=2", "seed=2", []string{"server.outages.1.start start is required"}, opening},
		{"seed=3&seed=4", "", []string{`seed "seed" is given 2 times`}, opening},
		{"p=exponential,base=100ms,cap=soon,jitter=full&p=constant", "p=exponential,base=100ms,jitter=full", []string{
			`policies.0.cap cap must be a duration`, "policies.1.schedule.base base is required"}, 1},
		{"p=exponential,base=1s,jitter=heavy,tries=3,nothing", "p=exponential,base=1s", []string{
			"policies.0.jitter.kind kind must be one of none", `policies.0.tries unknown field "tries"`, `policies.0 "nothing" must be key=value`}, 1},
		{"p=guess&seed=5", "seed=5", []string{"policies.0.schedule.kind kind must be one of immediate"}, opening},
		{"p=constant,base=1s,id=a&p=constant,base=2s,id=a", "p=constant,base=1s,id=a&p=constant,base=2s", []string{`policies.1.id id must differ`}, 2},
		{strings.Repeat("p=constant,base=1s&", 14), strings.TrimSuffix(strings.Repeat("p=constant,base=1s&", 12), "&"), []string{"policies there are 14 policies; the page has room for 12"}, 12},
		{"edit=nobody&seed=5", "seed=5", []string{`edit edit must be the id of one of the policies, not "nobody"`}, opening},
		{"show=exponential&show=nobody&seed=5", "seed=5&show=exponential", []string{`show show must be the id of one of the policies, not "nobody"`}, opening},
		{"show=decorrelated&show=exponential&show=every-second", "show=every-second&show=exponential", []string{"show 3 policies are to be shown; the charts have room for 2"}, opening},
		{"tab=lod&seed=5", "seed=5", []string{`tab tab must be one of served, clients, watch, load, delays, work, not "lod"`}, opening},
		{"tab=served&client=&show=exponential", "show=exponential", nil, opening},
		{"client=1,5&seed=5", "seed=5", []string{`client client must be a whole number from 1 to 300, not "1,5"`}, opening},
		{"marks=zz&seed=5", "seed=5", []string{`marks marks must be a letter from a to l for each policy`}, opening},
	} {
		query, err := url.ParseQuery(c.query)
		must(t, err)
		st, err := parseState(query)
		if st.address != c.kept || len(st.scenario.Policies) != c.policies {
			t.Errorf("%s: %d policies at %q, want %d at %q", c.query, len(st.scenario.Policies), st.address, c.policies, c.kept)
		}
		faults, _ := err.(spec.Faults)
		var told []string
		for _, p := range problemsOf(faults) {
			told = append(told, strings.ToLower(p.Where+" "+p.Detail))
		}
		for _, want := range c.told {
			if !slices.ContainsFunc(told, func(s string) bool { return strings.HasPrefix(s, strings.ToLower(want)) }) {
				t.Errorf("%s: nothing says %s; told is %q", c.query, want, told)
			}
		}
		if len(told) != len(c.told) {
			t.Errorf("%s: told is %q", c.query, told)
		}
	}
}

// Pages that take no parameters say so of any that they are given, and are shown all the same.
func TestPagesSayWhichParametersTheyDoNotTake(t *testing.T) {
	for path, kept := range map[string]string{"/learn": `href="/learn/the-herd"`, "/glossary": `id="full-jitter"`, "/published": `id="entries"`} {
		for query, want := range map[string]string{
			"?<b>=2": "There is no parameter &#34;&lt;b&gt;&#34; here.",
			"?a=%zz": "A part of the address is left out: invalid URL escape &#34;%zz&#34;.",
		} {
			page := pageAt(t, path+query, http.StatusUnprocessableEntity)
			if !strings.Contains(page, want) || !strings.Contains(page, kept) {
				t.Errorf("%s%s: it does not say %s, or has lost %s", path, query, want, kept)
			}
		}
		if page := pageAt(t, path, http.StatusOK); strings.Contains(page, `class="problems"`) {
			t.Errorf("%s complains of nothing", path)
		}
	}
}

func TestBrokenAddressIsAnswered(t *testing.T) {
	for query, want := range map[string]string{
		"clients.count=0&seed=7": "<b>clients.count</b> Count must be at least 1, not 0.",
		"seed=7&name=%zz":        "A part of the address is left out: invalid URL escape &#34;%zz&#34;.",
		"seed=7&name=a;b":        "A part of the address is left out: invalid semicolon separator in query.",
	} {
		w := get(quick(), query, false)
		if page := w.Body.String(); w.Code != http.StatusUnprocessableEntity || !strings.Contains(strings.Join(strings.Fields(page), " "), want) ||
			!strings.Contains(page, `data-state="seed=7"`) || !strings.Contains(page, "Not all of this address can be read") {
			t.Errorf("%s: answered %d without saying %s", query, w.Code, want)
		}
	}
}

// However broken an address is, reading it ends, and what is left is an address that is not.
func FuzzAddress(f *testing.F) {
	f.Add("clients.count=0&nonsense=1&p=,,,=&p=exponential&marks=ba&edit=x&show=y")
	f.Add("horizon=1h&bin=1ms&server.outages=&server.outages.7.end=1s")
	f.Add(strings.Repeat("a=1&", 300) + "clients.workload=x&clients.workload.kind=open")
	f.Fuzz(func(t *testing.T, text string) {
		query, _ := url.ParseQuery(text)
		st, err := parseState(query)
		again, err2 := parseState(st.query())
		if err2 != nil || again.address != st.address {
			t.Errorf("%q leads to %q, and that to %q, %v (%v)", text, st.address, again.address, err2, err)
		}
	})
}

func TestLinksAreShort(t *testing.T) {
	st := opening()
	form := url.Values{"clients.count": {"5000"}, "serves": {"450"}, "down": {"45"}, "do": {"workload:open"}, "allFirst": {"250ms"}, "allCap": {"30s"}, "allAttempts": {"12"}}
	for _, p := range st.scenario.Policies[1:] {
		form.Add("do", "copy:"+p.ID)
		form.Add("do", "remove:"+p.ID)
	}
	form.Add("do", "edit:every-second")
	form.Add("do", "show:every-second")
	st, err := st.edit(form)
	must(t, err)
	if n := len(st.address); len(st.scenario.Policies) != 8 || n > 2000 {
		t.Errorf("%d policies, all changed, make an address of %d characters: %s", len(st.scenario.Policies), n, st.address)
	}
	if strings.Contains(st.address, "%2C") {
		t.Errorf("commas are escaped: %s", st.address)
	}
}

func TestAddressesStayBounded(t *testing.T) {
	st := opening()
	long := "add:list,delays=" + strings.TrimSuffix(strings.Repeat("1m30s/", 999), "/")
	after, err := st.edit(url.Values{"do": {long, long, long}})
	if err == nil || !strings.Contains(err.Error(), "at most 16000 can be") || after.address != st.address {
		t.Errorf("an address of %d characters: %v", len(after.address), err)
	}
}

// A policy's mark is its own as long as it lives, whatever happens to the others.
func TestMarksStay(t *testing.T) {
	st := opening()
	look := func() string {
		var all []string
		for _, p := range st.scenario.Policies {
			all = append(all, fmt.Sprint(p.ID, " ", st.marks[p.ID]))
		}
		return strings.Join(all, ", ")
	}
	step := func(form url.Values, marks, want string) {
		t.Helper()
		before := st
		var err error
		st, err = st.edit(form)
		must(t, err)
		if got := look(); got != want {
			t.Errorf("%v: the marks are %s, want %s", form, got, want)
		}
		if got := st.query().Get("marks"); got != marks {
			t.Errorf("%v: the address says marks=%s, want %s", form, got, marks)
		}
		for id, mark := range before.marks {
			if now, ok := st.marks[id]; ok && now != mark {
				t.Errorf("%v: %s changes its mark", form, id)
			}
		}
	}
	for _, p := range st.scenario.Policies[4:] {
		st, _ = st.edit(url.Values{"do": {"remove:" + p.ID}})
	}
	step(url.Values{}, "", "every-second 0, exponential 1, exponential-percentage 2, exponential-equal 3")
	step(url.Values{"do": {"remove:exponential"}}, "acd", "every-second 0, exponential-percentage 2, exponential-equal 3")
	step(url.Values{"do": {"up:exponential-equal"}}, "adc", "every-second 0, exponential-equal 3, exponential-percentage 2")
	step(url.Values{"do": {"copy:every-second"}}, "abd", "every-second 0, constant 1, exponential-equal 3, exponential-percentage 2")
	step(url.Values{"edit.schedule.base": {"3s"}, "edit.jitter.kind": {"full"}, "edit.id": {"slow"}}, "abd", "every-second 0, slow 1, exponential-equal 3, exponential-percentage 2")
	step(url.Values{"do": {"remove:exponential-equal"}}, "", "every-second 0, slow 1, exponential-percentage 2")
	step(url.Values{"do": {"remove:every-second", "add:fibonacci,base=1s"}}, "bc", "slow 1, exponential-percentage 2, fibonacci 0")
}
