package web

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/sim/simtest"
)

// A changed policy keeps the name that its reader gave it, and loses one that would no longer be true.
func TestEditedPoliciesAreCalledWhatTheyAre(t *testing.T) {
	for _, c := range []struct {
		from string
		form url.Values
		want string // title, id
	}{
		{"edit=every-second", url.Values{"edit.schedule.base": {"2s"}}, "Constant, constant"},
		{"edit=every-second", url.Values{"edit.schedule.base": {"2s"}, "edit.name": {"Slow"}}, "Slow, every-second"},
		{"edit=every-second", url.Values{"edit.name": {"Slow"}}, "Slow, every-second"},
		{"edit=exponential-full", url.Values{"edit.jitter.kind": {"none"}}, "Exponential (2), exponential-2"},
		{"p=constant,base=1s,name=Ours,id=x&edit=x", url.Values{"edit.schedule.kind": {"list"}}, "Ours, x"},
		{"p=constant,base=1s&edit=constant", url.Values{"edit.jitter.kind": {"full"}}, "Constant, full jitter, constant-full"},
		{"p=constant,base=1s&edit=constant", url.Values{"edit.text": {"linear,base=2s"}}, "Linear, linear"},
		{"p=constant,base=1s,id=mine&edit=mine", url.Values{"edit.text": {"linear,base=2s,id=yours"}}, "yours, yours"},
		{"p=constant,base=1s,name=Every second (2)&edit=constant", url.Values{"edit.cap": {"5s"}}, "Constant, constant"},
	} {
		st := edited(t, c.from, c.form)
		p := st.scenario.Policies[st.place(st.editing)]
		if got := title(p) + ", " + p.ID; got != c.want {
			t.Errorf("%s with %v is called %s, want %s", c.from, c.form, got, c.want)
		}
	}
}

func TestEditorTellsAllFaults(t *testing.T) {
	query, _ := url.ParseQuery("edit=exponential")
	st, err := parseState(query)
	must(t, err)
	after, err := st.edit(url.Values{
		"edit.schedule.base": {"-1s"}, "edit.cap": {"2,5s"}, "edit.schedule.factor": {""}, "edit.maxAttempts": {"7"},
		"edit.id": {"decorrelated"}, "edit.retryOn": {""}, "edit.text": {"constant,base=x,cap=y"},
	})
	for _, want := range []string{
		"/edit/schedule/base: base must be at least 0s, not -1s", "/edit/cap: cap must be a duration", "written with a point, such as 2.5",
		"/edit/retryOn: must name at least one", "/edit/text/schedule/base: base must be", "/edit/text/cap: cap must be", `/edit/id: id must differ from those of the other policies; "decorrelated"`,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("nothing says %s:\n%v", want, err)
		}
	}
	if after.address != "edit=exponential" {
		t.Errorf("with an id that is taken, the policy becomes %s", after.address)
	}
}

func TestPoliciesChangePlaces(t *testing.T) {
	ids := func(st state) string {
		var all []string
		for _, p := range st.scenario.Policies {
			all = append(all, p.ID)
		}
		return strings.Join(all, " ")
	}
	for form, want := range map[string]string{
		"do=up:b": "b a c", "do=down:b": "a c b", "do=up:a": "a b c", "do=down:c": "a b c",
		"do=edit:a&do=copy:b": "a b constant c", "do=remove:a&do=remove:b&do=remove:c": "c",
	} {
		query, _ := url.ParseQuery(form)
		st := edited(t, "p=constant,base=1s,id=a&p=constant,base=2s,id=b&p=constant,base=3s,id=c", query)
		if got := ids(st); got != want {
			t.Errorf("%s: %s, want %s", form, got, want)
		}
	}
	st := edited(t, "p=constant,base=1s,id=a&p=constant,base=2s,id=b&p=constant,base=3s,id=c&edit=a&show=a", url.Values{"edit.place": {"3"}, "edit.id": {"z"}})
	if got := ids(st); got != "b c z" || st.editing != "z" || st.shown[0] != "z" {
		t.Errorf("moved to place 3 and renamed: %s, editing %s, showing %v", got, st.editing, st.shown)
	}
	for _, do := range []string{"copy:nobody", "up:nobody", "edit:nobody", "fly:b"} {
		if _, err := st.edit(url.Values{"do": {do}}); err == nil {
			t.Errorf("%s is carried out", do)
		}
	}
}

// posted sends a document as the page's form does.
func posted(t *testing.T, document, field string) *httptest.ResponseRecorder {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile(field, "x.json")
	if field == "document" {
		part, err = form.CreateFormField(field)
	}
	must(t, err)
	part.Write([]byte(document))
	must(t, form.Close())
	r := httptest.NewRequest(http.MethodPost, "/?from="+url.QueryEscape("seed=7"), &body)
	r.Header.Set("Content-Type", form.FormDataContentType())
	w := httptest.NewRecorder()
	quick().ServeHTTP(w, r)
	return w
}

func TestDocumentsAreTaken(t *testing.T) {
	simtest.PlainRunOnly(t)
	scenario := `{"clients": {"count": 5}, "policies": [{"schedule": {"kind": "immediate"}, "maxAttempts": 2}]}`
	for _, field := range []string{"document", "file"} {
		for document, want := range map[string]string{
			`{"schedule": {"kind": "constant", "base": "3s"}}`: "p=constant,base=3s&seed=7",
			"\n constant,base=3s \n linear,base=4s":            "p=constant,base=3s&p=linear,base=4s&seed=7",
			scenario:                                           "p=immediate,maxAttempts=2&",
			"\ufeff" + scenario:                                "p=immediate,maxAttempts=2&",
		} {
			w := posted(t, document, field)
			if at := w.Header().Get("Location"); w.Code != http.StatusSeeOther || !strings.Contains(at+"&", want) {
				t.Errorf("%s as %s leads to %d %s, want %s", document, field, w.Code, at, want)
			}
		}
	}
	many := `{"clients": {"count": 5}, "policies": [` + strings.TrimSuffix(strings.Repeat(`{"schedule": {"kind": "constant", "base": "1s"}},`, 13), ",") + `]}`
	for document, want := range map[string]string{
		`{"schedule": {"kind": "constant", "base": "3s"}, "cap": 5, "tries": 3}`: "<b>cap</b>",
		`{"schedule": `:                         "line 1, column",
		`{"policies": [{}]}`:                    "<b>policies.0.schedule</b>",
		many:                                    "Policies must have at most 12 entries on this page, not 13.",
		strings.Repeat("constant,base=1s\n", 5): "There are 12 policies already; the page has room for 12.",
		"constant,base=1s\nno":                  "<b>schedule.kind</b>",
		"\xff\xfe":                              "The document must be text in UTF-8.",
		strings.Repeat(" ", maxBody) + "{}":     "The document must have at most 1 MiB.",
	} {
		w := posted(t, document, "document")
		page := w.Body.String()
		_, below, _ := strings.Cut(page, `<form id="pasting"`)
		if w.Code < 400 || w.Code >= 500 || !strings.Contains(below, want) || !strings.Contains(page, `data-state="seed=7"`) {
			t.Errorf("%.60q is answered %d without %s: %.600s", document, w.Code, want, below)
		}
	}
}

func FuzzTake(f *testing.F) {
	f.Add(`{"schedule": {"kind": "constant", "base": "3s"}}`)
	f.Add("constant,base=1s\nlinear,base=1s,jitter=full")
	f.Add(`{"policies": [{"schedule": {"kind": "immediate"}}], "name": "\u202e"}`)
	f.Fuzz(func(t *testing.T, document string) {
		st, err := opening().edit(url.Values{"document": {document}})
		again, err2 := parseState(st.query())
		if err2 != nil || again.address != st.address || err != nil && strings.TrimSpace(document) != "" && len(st.scenario.Policies) != len(sim.Default().Policies) {
			t.Errorf("%q leads to %s: %v, %v", document, st.address, err, err2)
		}
	})
}

// A name that is written from right to left does not turn the sentence it stands in.
func TestNamesKeepTheirDirection(t *testing.T) {
	w := get(quick(), "p=constant,base=1s,name="+url.QueryEscape("נסיון (1)")+"&p=constant,base=2s,name="+url.QueryEscape("<b>x</b>"), false)
	page := w.Body.String()
	if !strings.Contains(page, "<bdi>\u2068נסיון (1)\u2069</bdi>") || strings.Contains(page, "<b>x</b>") || !strings.Contains(page, "&lt;b&gt;x&lt;/b&gt;") {
		t.Error("a name stands in the page as it was given")
	}
	if isolated("Exponential") != "Exponential" {
		t.Error("names from left to right need no isolation")
	}
}

// A library at its defaults is added with one press, and what it differs in can be read before.
func TestLibrariesAreOffered(t *testing.T) {
	groups := libraryGroups()
	if len(groups) < 6 {
		t.Errorf("%d groups", len(groups))
	}
	s := opening()
	do := groups[0].Actions[0].Do
	if problem := s.add(strings.TrimPrefix(do, "add:")); problem != "" {
		t.Fatalf("%s: %s", do, problem)
	}
	if p := s.scenario.Policies[len(s.scenario.Policies)-1]; p.ID != "cenkalti-backoff" || !strings.Contains(groups[0].Actions[0].Title, "exceed the minute") {
		t.Errorf("added %s; it says %s", p.Text(), groups[0].Actions[0].Title)
	}
}
