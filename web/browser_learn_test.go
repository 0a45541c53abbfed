package web

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/sim/simtest"
)

// learnPaths are the pages that teach: the overview, the glossary and every screen of every lesson, guessed, and as a
// question and on a projector where it is the first.
func learnPaths() map[string]string {
	all := map[string]string{"overview": "/learn", "glossary": "/glossary"}
	for _, l := range lessons() {
		for i, s := range l.screen {
			st := lessonState{lesson: l}.open(i)
			if i == 0 {
				all[l.slug+"-question"] = st.address()
			}
			if s.question != nil {
				st.guess, st.settings = 1, s.question.at // where the guess leads
			}
			all[fmt.Sprintf("%s-%d", l.slug, i+1)] = st.address()
			if i == 0 {
				st.projector = true
				all[l.slug+"-projector"] = st.address()
			}
		}
	}
	return all
}

// TestBrowserLearn goes through every lesson as a reader does, on a phone, by the keyboard alone.
func TestBrowserLearn(t *testing.T) {
	b := startBrowser(t)
	s := quick()          // what a lesson says of its figures, TestLessonsAreTrue checks
	s.slotWait = patience // stages and figures are asked for at the same time
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	p := b.openAt(t, server.URL, "/learn", look{width: 390, height: 844, script: true})
	p.wantAccessible("/learn")
	looked := map[string]bool{}
	for _, l := range lessons() {
		t.Run(l.slug, func(t *testing.T) {
			p := &tab{TB: t, ctx: p.ctx, url: p.url}
			must(t, chromedp.Listen(p.ctx, p.note))
			p.readThrough(s, l, looked)
			p.wantContent()
		})
	}
	t.Run("stages in the address", p.keepsStages)
	t.Run("progress", p.keepsProgress)
	t.Run("projector", p.projects)
	t.Run("glossary", func(t *testing.T) {
		p.resize(390, 844)
		p.do(chromedp.Navigate(p.url + "/glossary#full-jitter"))
		p.wantAccessible("/glossary")
		p.wantWidth("/glossary", 390)
	})
}

// readThrough takes a lesson's screens: guesses, moves a control, reads the figures, and goes on. Screens of one make are
// looked at by axe once.
func (p *tab) readThrough(s *Server, l *lesson, looked map[string]bool) {
	p.do(chromedp.Navigate(p.url + lessonState{lesson: l}.open(0).address()))
	for i, sc := range l.screen {
		at := fmt.Sprintf("%s/%d", l.slug, i+1)
		p.await(`document.readyState === "complete" && document.querySelector("main").dataset.screen === ` + quote(at) + ` && document.documentElement.classList.contains("live")`)
		if sc.question != nil {
			if shown := eval[int](p, `document.querySelectorAll(".played, .settles, .takeaway, .stage").length`); shown != 0 {
				p.Errorf("%s tells before it is asked", at)
			}
			if i == 0 && len(looked) == 0 {
				p.wantAccessible(at + ", asked")
			}
			p.focus(`#question input[type=radio]`)
			p.keys(" ", kb.Enter)
			p.await(`document.activeElement.id === "said" && new URLSearchParams(location.search).get("guess") === "1"`)
			// So few runs may tell the answers apart or not; what is marked is what they say.
			right := sc.question.right(p.factsOf(s, sc, sc.question.at))
			if got := eval[int](p, `[...document.querySelectorAll("#question li")].findIndex((li) => li.matches(".right"))`); got != right {
				p.Errorf("%s: answer %d is said to be right, not %d", at, got, right)
			}
		}
		setting := sc.opening()
		if sc.question != nil {
			setting = slices.Clone(sc.question.at) // where the guess leads
		}
		p.wantFiguresOfAPI(s, at)
		played := p.played()
		for j, c := range sc.controls {
			name := `#switchboards [name="` + c.name + `"]`
			key := kb.ArrowRight
			if setting[j]++; setting[j] == len(c.choices) {
				setting[j], key = setting[j]-2, kb.ArrowLeft
			}
			p.focus(name + ":checked")
			p.keys(key)
			p.await(`document.querySelector(` + quote(name+":checked") + `).value === ` + quote(c.choices[setting[j]].value) + ` && new URLSearchParams(location.search).get(` + quote(c.name) + `) === ` + quote(c.choices[setting[j]].value) + ` && !document.body.classList.contains("stale")`)
		}
		if len(sc.controls) > 0 {
			if p.played() == played {
				p.Errorf("%s plays the same run after a control has moved", at)
			}
			p.wantFiguresOfAPI(s, at)
		}
		p.wantWidth(at, 390)
		if cut := eval[int](p, `((box) => box.scrollWidth - box.clientWidth)(document.querySelector(".settles").parentElement)`); cut > 0 {
			p.Errorf("%s: %d px of the figures are cut off at 390 px", at, cut)
		}
		if kind := eval[string](p, `[...document.querySelectorAll("#screen > *, .stage, .loads")].map((e) => e.className.split(" ")[0]).filter((name) => name !== "prose").join()`); !looked[kind] {
			looked[kind] = true
			p.wantAccessible(at)
		}
		if i+1 < len(l.screen) {
			p.focus("#turn .next")
			p.keys(kb.Enter)
		}
	}
}

// played are the addresses of the runs on the stages.
func (p *tab) played() string {
	p.Helper()
	return eval[string](p, `[...document.querySelectorAll(".stage")].map((stage) => stage.dataset.trace).join(" ")`)
}

func (p *tab) factsOf(s *Server, sc *screen, at []int) *facts {
	f, err := s.factsOf(p.ctx, sc, at)
	must(p, err)
	return f
}

// focus gives an element the focus as the Tab key would.
func (p *tab) focus(selector string) {
	p.Helper()
	eval[bool](p, `(document.querySelector(`+quote(selector)+`).focus({focusVisible: true}), document.activeElement === document.querySelector(`+quote(selector)+`)) || (() => { throw new Error("no focus") })()`)
}

func (p *tab) keys(keys ...string) {
	p.Helper()
	for _, key := range keys {
		p.do(chromedp.KeyEvent(key))
	}
}

// wantFiguresOfAPI compares the table with what the API answers to the address of "open in compare".
func (p *tab) wantFiguresOfAPI(s *Server, at string) {
	p.Helper()
	type shown struct {
		Query string
		Cells [][]string // a policy's id and its figures
	}
	page := eval[shown](p, `({
		Query: new URL(document.querySelector("a.compare").href).search,
		Cells: [...document.querySelectorAll(".settles tbody tr")].map((row) => [row.dataset.policy, ...[...row.querySelectorAll("td")].map((cell) => cell.dataset.metric + " " + cell.querySelector(".value").textContent)]),
	})`)
	res := ask(s, "GET", "/api/v1/simulations"+page.Query, "")
	var answer struct {
		Results []struct {
			Policy  struct{ ID string }
			Metrics map[string]sim.Metric
		}
	}
	must(p, json.NewDecoder(res.Body).Decode(&answer))
	if len(answer.Results) != len(page.Cells) {
		p.Fatalf("%s: %d rows, and the API has %d results", at, len(page.Cells), len(answer.Results))
	}
	for i, r := range answer.Results {
		if page.Cells[i][0] != r.Policy.ID {
			p.Errorf("%s: row %d is of %s, not of %s", at, i, page.Cells[i][0], r.Policy.ID)
		}
		for _, cell := range page.Cells[i][1:] {
			name, value, _ := strings.Cut(cell, " ")
			k, ok := scope{others: []string{"ordinary", "old"}}.metricOf(name)
			if !ok {
				p.Errorf("%s: there is no metric %q", at, name)
			}
			m := sim.Metrics{{Name: name, Metric: r.Metrics[name]}}
			if want := (figureColumn{metricKind: k}).figure(standing{PolicyResult: &sim.PolicyResult{Metrics: m}}).Value; value != want {
				p.Errorf("%s: %s of %s is %q, and the API says %q", at, name, r.Policy.ID, value, want)
			}
		}
	}
}

// keepsProgress looks at what is remembered of what was read, and has it forgotten.
func (p *tab) keepsProgress(t *testing.T) {
	p.do(chromedp.Navigate(p.url + "/learn"))
	p.await(`!document.getElementById("progress").hidden`)
	screens := eval[int](p, `document.querySelectorAll("li[data-screen]").length`)
	if seen := eval[int](p, `document.querySelectorAll("li.seen").length`); seen != screens {
		t.Errorf("%d of %d screens are marked as seen", seen, screens)
	}
	p.click("#progress button")
	p.await(`document.getElementById("progress").hidden && document.querySelectorAll("li.seen").length === 0 && !localStorage.getItem("stampede-seen").includes("/")`)
	p.do(chromedp.Navigate(p.url + "/learn/the-herd"))
	p.await(`document.documentElement.classList.contains("live")`)
	if eval[bool](p, `document.querySelector("li.seen") !== null`) {
		t.Error("a screen counts as seen before its question is answered")
	}
}

// keepsStages follows a link to a run under way, changes what it shows, and takes all that on to the projector.
func (p *tab) keepsStages(t *testing.T) {
	p.do(chromedp.Navigate(p.url + "/learn/the-herd?at=1.5&client=3&guess=2&speed=2"))
	p.await(stagesReady)
	stands := func(when string, at, speed float64, client int) {
		t.Helper()
		if got := stage[string](p, `return [group.time, group.speed, group.followed + 1].join(" ")`); got != fmt.Sprint(at, speed, client) {
			t.Errorf("%s the stage stands at %s, not at %v %v %v", when, got, at, speed, client)
		}
	}
	addressed := func(query string) {
		t.Helper()
		p.await(`location.search === "` + query + `"`)
	}
	stands("opened by a link", 1.5, 2, 3)
	stage[bool](p, `group.seek(2.25); return true`)
	addressed("?at=2.25&client=3&guess=2&speed=2")
	stage[bool](p, `one.figure.scrollIntoView(); group.play(); return true`)
	p.await(`Number(new URLSearchParams(location.search).get("at")) > 2.25`)
	// Another run is watched from its start, as fast, and the same client in it.
	p.focus(`#switchboards :checked`)
	p.keys(kb.ArrowRight)
	addressed("?guess=2&count=100&speed=2&client=3")
	stands("another run", 0, 2, 3)
	stage[bool](p, `group.speed = 1; group.seek(0.75); return true`)
	addressed("?guess=2&count=100&client=3&at=0.75")
	p.click(".projector")
	p.await(`document.body.classList.contains("projected") && ` + stagesReady)
	addressed("?guess=2&count=100&client=3&at=0.75&projector=1")
	stands("on the projector", 0.75, 1, 3)
}

// projects turns screens by the keys of a presenter, from one lesson into the next and back.
func (p *tab) projects(t *testing.T) {
	p.resize(1280, 720)
	first, second := lessons()[0], lessons()[1]
	p.do(chromedp.Navigate(p.url + "/learn/" + first.slug + "?projector=1"))
	at := func(slug string, screen int) {
		t.Helper()
		p.await(fmt.Sprintf(`document.documentElement.classList.contains("live") && document.querySelector("main").dataset.screen === "%s/%d" && location.search.includes("projector=1")`, slug, screen))
	}
	at(first.slug, 1)
	if eval[bool](p, `document.querySelector(".top").checkVisibility()`) {
		t.Error("the header is on the projector")
	}
	for i := 2; i <= len(first.screen); i++ {
		p.keys(kb.ArrowRight)
		at(first.slug, i)
	}
	p.keys(kb.PageDown)
	at(second.slug, 1)
	p.keys(kb.ArrowLeft)
	at(first.slug, len(first.screen))
	p.focus("#question input[type=radio]")
	p.keys(kb.ArrowDown) // chooses an answer, and turns nothing
	at(first.slug, len(first.screen))
	// The remote control turns screens also from a choice that was made and from the stage; there the arrows step.
	p.keys(kb.Enter)
	p.await(`document.activeElement.id === "said" && ` + stagesReady)
	p.focus(`#switchboards :checked`)
	p.keys(kb.PageUp)
	at(first.slug, len(first.screen)-1)
	p.do(chromedp.Navigate(p.url + "/learn/" + first.slug + "?guess=1&projector=1&screen=2"))
	p.await(stagesReady)
	p.focus(`.stage-canvas`)
	p.keys(kb.ArrowRight)
	if stepped := stage[float64](p, `return group.time`); stepped <= 0 {
		t.Error("an arrow on the stage does not step")
	}
	p.keys(kb.PageDown)
	at(first.slug, 3)
	p.keys(kb.Escape)
	p.await(`document.querySelector(".top").checkVisibility() && !location.search.includes("projector")`)
}

func TestLessonAddresses(t *testing.T) {
	simtest.PlainRunOnly(t)
	s := newTestServer(nil)
	for path, want := range map[string]string{
		"/learn/the-herd?screen=1&count=1000":                    "/learn/the-herd", // what it opens with
		"/learn/the-herd?count=400&guess=2&screen=1&projector=0": "/learn/the-herd?count=400&guess=2",
		"/learn/the-herd?speed=1&at=2s&client=&guess=1":          "/learn/the-herd?at=2&guess=1",
	} {
		res := ask(s, "GET", path, "")
		if got := res.Header.Get("Location"); res.StatusCode != 303 || got != want {
			t.Errorf("%s: %d to %q, not to %q", path, res.StatusCode, got, want)
		}
	}
	for path, want := range map[string]string{
		"/learn/the-herd?screen=4":            "Screen must be a whole number from 1 to 3, not &#34;4&#34;",
		"/learn/the-herd?guess=x&screen=2":    "Guess must be a whole number from 0 to 3, not &#34;x&#34;",
		"/learn/the-herd?count=1000000":       "Count must be one of the choices, not &#34;1000000&#34;",
		"/learn/the-herd?places=400":          "places",
		"/learn/the-herd?at=-1":               "At must be a number of seconds, at least 0, not &#34;-1&#34;",
		"/learn/the-herd?speed=fast":          "Speed must be a number from 0.1 to 20, not &#34;fast&#34;",
		"/learn/the-herd?client=301":          "Client must be a whole number from 1 to 300, not &#34;301&#34;",
		"/learn/the-herd?projector=yes&a=%zz": "Projector must be",
	} {
		res := ask(s, "GET", path, "")
		if body := string(bodyOf(t, res)); res.StatusCode != 422 || !strings.Contains(body, want) || !strings.Contains(body, `id="screen"`) {
			t.Errorf("%s: %d, and the page does not say %q", path, res.StatusCode, want)
		}
	}
	if res := ask(s, "GET", "/learn/nothing", ""); res.StatusCode != 404 {
		t.Errorf("a lesson that there is not is answered %d", res.StatusCode)
	}
}

// Without the script a guess is a form and a link, and a control needs its button.
func TestBrowserLearnWithoutScript(t *testing.T) {
	b := startBrowser(t)
	p := b.open(t, quick(), "/learn/the-herd", look{width: 1280, height: 900})
	p.click("#question label:nth-of-type(3)")
	p.click("#question .run")
	p.await(`location.search === "?guess=3" && document.querySelector("#said").innerText.includes("right")`)
	p.click("#switchboards label:nth-of-type(3)")
	p.click("#switchboards .run")
	p.await(`location.search === "?guess=3&count=400" && document.querySelector(".settles td .value").textContent === "100"`)
	p.click("#turn .next")
	p.await(`document.querySelector("main").dataset.screen === "the-herd/2"`)
	p.click("#question .actions a")
	p.await(`location.search === "?guess=0&screen=2" && document.querySelector(".settles") !== null`)
}
