package web

import (
	"encoding/csv"
	"net/url"
	"strings"
	"testing"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/sim/simtest"
	"github.com/stampede-sim/stampede/strategies/spec"
)

// whatIfPage asks for the section as a page, after redirects.
func whatIfPage(t *testing.T, s *Server, target string) (address, page string) {
	t.Helper()
	res := ask(s, "GET", target, "")
	for range 2 {
		if to := res.Header.Get("Location"); to != "" {
			target = to
			res = ask(s, "GET", to, "")
		}
	}
	return target, string(bodyOf(t, res))
}

const fewQuery = "clients.count=20&replications=2&p=exponential,base=100ms,cap=1s,jitter=full&p=constant,base=2s"

// Without the script the section is a page with every point, and its form leads to another.
func TestWhatIfWithoutScript(t *testing.T) {
	s := newTestServer(nil)
	_, page := whatIfPage(t, s, "/what-if?"+fewQuery)
	for _, want := range []string{
		"<h1>What if 20\u00a0clients lose a server for 10", `>Back to the policies side by side</a>`, `data-point="7">80</a>`, `href="/?clients.count=80&amp;`,
		`<th scope="col">Exponential, full jitter</th>`, "100\u00a0%",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	asked := url.Values{"from": {fewQuery}, "x": {"policies.cap"}, "x.was": {"clients.count"}, "x.from": {"10"}, "x.to": {"40"}, "measure": {"attempts"}, "runs": {"3"}}
	address, page := whatIfPage(t, s, "/what-if?"+asked.Encode())
	if want := "&sweep=policies.cap,scale=log,from=250ms,to=4s,steps=5"; !strings.Contains(address, want) || !strings.Contains(address, "&runs=3&") || !strings.Contains(address, "measure=attempts") {
		t.Errorf("the address is %s", address)
	}
	if !strings.Contains(page, `>Attempts each at each point`) || !strings.Contains(page, ">4\u00a0s</a>") {
		t.Errorf("the page shows something else: %s", page)
	}
}

// Controls that cannot be are told at their place, and keep what was typed.
func TestWhatIfFaults(t *testing.T) {
	s := newTestServer(nil)
	for name, c := range map[string]struct {
		asked url.Values
		want  []string
	}{
		"range":   {url.Values{"x.from": {"9"}, "x.to": {"3"}, "x.steps": {"4"}}, []string{`id="error-x.to">To must be more than from (9), not 3.<`, `name="x.to" value="3"`}},
		"many":    {url.Values{"x.from": {"9"}, "x.to": {"30"}, "x.steps": {"1000000000"}}, []string{`id="error-x.steps">Values must be at most 101, not 1000000000.<`}},
		"no":      {url.Values{"x.from": {"many"}, "x.to": {"30"}, "x.steps": {"3"}}, []string{`id="error-x.from">`, `value="many"`}},
		"measure": {url.Values{"measure": {"luck"}}, []string{`id="error-measure">`}},
		"runs":    {url.Values{"runs": {"1e9"}}, []string{`id="error-runs">Runs of each point must be a whole number from 1 to 100, not &#34;1e9&#34;.<`}},
	} {
		c.asked.Set("from", fewQuery)
		c.asked.Set("x", "clients.count")
		c.asked.Set("x.was", "clients.count")
		c.asked.Set("x.scale", "linear")
		res := ask(s, "GET", "/what-if?"+c.asked.Encode(), "")
		if to := res.Header.Get("Location"); to != "" {
			res = ask(s, "GET", to, "")
		}
		page := string(bodyOf(t, res))
		for _, want := range c.want {
			if !strings.Contains(page, want) || res.StatusCode != 422 {
				t.Errorf("%s: status %d, no %s in %s", name, res.StatusCode, want, page)
			}
		}
	}
	s.maxEvents = 1000
	if res := ask(s, "GET", "/what-if?"+fewQuery, ""); res.StatusCode != 422 || !strings.Contains(string(bodyOf(t, res)), "at most 1000 are allowed.</p><p>Ask for fewer values") {
		t.Error("no word on the cost")
	}
}

// The address of the page holds the sweep, shortly; what it cannot be is told.
func TestWhatIfAddress(t *testing.T) {
	for _, line := range []string{"sweep=outage,from=1s,to=9s", "measure=crashes&runs=2&sweep=policies.cap,scale=list,values=1s/2s&sweep=clients.count,from=5,to=9"} {
		query, _ := url.ParseQuery(line)
		st, err := parseState(query)
		again, _ := url.ParseQuery(st.address)
		if err != nil || again.Encode() != query.Encode() {
			t.Errorf("%s is %s (%v)", line, st.address, err)
		}
	}
	// Shares take more runs than means. What the form suggested for one measure does not stay with another.
	for _, c := range []struct {
		from, measure, runs string
		want                int
	}{
		{"", "recovered", "5", 20}, {"measure=recovered", "served", "20", 5}, {"measure=recovered", "recovered", "5", 5},
		{"runs=7", "recovered", "7", 7}, {"measure=recovered&runs=5", "served", "5", 5},
	} {
		from, _ := url.ParseQuery(c.from)
		st, err := whatIfState(url.Values{"from": {encode(from)}, "measure": {c.measure}, "runs": {c.runs}})
		if got := st.sweep().Scenario.Replications; err != nil || got != c.want {
			t.Errorf("%v: %d runs (%v)", c, got, err)
		}
	}
	for _, line := range []string{"sweep=x", "sweep=a,from=1,to=2&sweep=b,from=1,to=2&sweep=c,from=1,to=2", "measure=luck", "runs=0"} {
		query, _ := url.ParseQuery(line)
		if _, err := parseState(query); err == nil {
			t.Errorf("%s is accepted", line)
		}
	}
}

// What is suggested for any parameter of any preset is a sweep that can be.
func TestSuggestions(t *testing.T) {
	simtest.PlainRunOnly(t)
	for _, p := range sim.Presets() {
		t.Run(p.ID, func(t *testing.T) {
			t.Parallel()
			for _, c := range choicesOf(p.Scenario) {
				a := suggest(p.Scenario, c)
				sweep := sim.Sweep{Scenario: *p.Scenario, Axes: []sim.Axis{a}, Metrics: measured()}
				if c.label == "" {
					t.Errorf("%s has no name", c.Path)
				}
				if err := sweep.Validate(); err != nil {
					t.Errorf("%s: %v", a.Text(), err)
				}
				if read, err := sim.ParseAxis(a.Text()); err != nil || read.Text() != a.Text() {
					t.Errorf("%s is read as %s (%v)", a.Text(), read.Text(), err)
				}
			}
		})
	}
}

// The sentences tell who is ahead where, and praise nobody who serves fewer than half.
func TestWhatIfSays(t *testing.T) {
	sc := sim.Default()
	sc.Policies = sc.Policies[:3]
	point := func(i int, rates ...float64) sim.SweepPoint {
		p := sim.SweepPoint{Index: i}
		for k, rate := range rates {
			zero, time := 0.0, 10.0
			figures := sim.Metrics{{Name: "successRate", Metric: sim.Metric{Mean: &rate}}, {Name: "crashes", Metric: sim.Metric{Mean: &zero}}, {Name: "within.p99", Metric: sim.Metric{Mean: &time}}}
			p.Results = append(p.Results, sim.SweepFigure{Policy: sc.Policies[k].ID, Metrics: figures})
		}
		return p
	}
	points := []sim.SweepPoint{point(0, 1, 1, 0.5), point(1, 1, 0.9, 0.5), point(2, 1, 0.9, 0.5), point(3, 0.4, 0.3, 0.2)}
	axes := []sim.SweptAxis{{Parameter: "clients.count", Values: []spec.Amount{"10", "20", "30", "40"}}}
	st := opening()
	st.scenario = sc
	got := strings.Join(st.whatIfResults(axes, points).Says, " ")
	want := "At 10, “Every second” and “Exponential, no jitter” are level at the top, and serve all. From 20 to 30, “Every second” is ahead, and serves all. At 40, no policy serves even half."
	if got != want {
		t.Errorf("it says\n%s, want\n%s", got, want)
	}
}

// Where the intervals meet, none is ahead; but not all of those serve all.
func TestWhatIfSaysAllOnlyOfAll(t *testing.T) {
	sc := sim.Default()
	sc.Policies = sc.Policies[:2]
	share := func(mean, low, high float64) sim.Metrics {
		zero, time := 0.0, 10.0
		return sim.Metrics{{Name: "successRate", Metric: sim.Metric{Mean: &mean, Low: &low, High: &high}}, {Name: "crashes", Metric: sim.Metric{Mean: &zero}}, {Name: "within.p99", Metric: sim.Metric{Mean: &time}}}
	}
	point := sim.SweepPoint{Results: []sim.SweepFigure{{Policy: sc.Policies[0].ID, Metrics: share(1, 1, 1)}, {Policy: sc.Policies[1].ID, Metrics: share(0.86, 0.24, 1.48)}}}
	st := opening()
	st.scenario = sc
	axes := []sim.SweptAxis{{Parameter: "clients.count", Values: []spec.Amount{"2000"}}}
	if got, want := strings.Join(st.whatIfResults(axes, []sim.SweepPoint{point}).Says, " "), "At 2000, “Every second” and “Exponential, no jitter” are level at the top."; got != want {
		t.Errorf("it says %s, want %s", got, want)
	}
}

// The exports are the figures that the section shows.
func TestSweepExports(t *testing.T) {
	s := newTestServer(nil)
	query := "?" + fewQuery + "&sweep=clients.count,from=10,to=30,steps=3&runs=2"
	document := bodyOf(t, ask(s, "GET", "/api/v1/export/sweep.json"+query, ""))
	wantValid(t, "SweepResult", document)
	rows, err := csv.NewReader(ask(s, "GET", "/api/v1/export/sweep.csv"+query, "").Body).ReadAll()
	if err != nil || len(rows) != 1+3*2 {
		t.Fatalf("%d rows (%v)", len(rows), err)
	}
	if got := strings.Join(rows[0][:4], "|"); got != "clients.count|policy|definition|successRate" {
		t.Errorf("the head is %s", got)
	}
	if got := strings.Join(rows[6][:4], "|"); got != "30|Constant|constant,base=2s,id=constant|1" {
		t.Errorf("the last row is %s", got)
	}
	wantProblem(t, ask(s, "GET", "/api/v1/export/sweep.csv?sweep=x", ""), 422)
}

// What is varied at first is how much is asked for: the clients of a burst, the requests of steady traffic, in which clients
// only share guards.
func TestWhatIfStartsWithTheLoad(t *testing.T) {
	for kind, want := range map[string]string{sim.Burst: "clients.count", sim.Closed: "clients.count", sim.Open: "clients.workload.rate"} {
		st := state{scenario: sim.Default()}
		if problem := st.setKind(kind); problem != "" {
			t.Fatal(problem)
		}
		if got := (whatIf{}).axesOf(st.scenario)[0].Parameter; got != want {
			t.Errorf("%s: %s, want %s", kind, got, want)
		}
	}
}
