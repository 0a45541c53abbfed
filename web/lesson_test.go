package web

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/strategies"
)

// maxLessonEvents is what a run of a lesson may cost: it is made while a class waits.
const maxLessonEvents = 20_000_000

// TestLessonsAreTrue makes every run that the lessons can ask for, and holds each sentence to its own.
func TestLessonsAreTrue(t *testing.T) {
	all := wellWritten(t)
	if testing.Short() { // under the race detector: they are all made in one way
		all = all[:1]
	}
	for _, l := range all {
		for i, s := range l.screen {
			t.Run(fmt.Sprintf("%s-%d", l.slug, i+1), func(t *testing.T) {
				t.Parallel()
				runs := map[string]*facts{}
				for _, at := range s.settings() {
					runs[fmt.Sprint(at)] = factsAt(t, l, s, at)
				}
				for _, c := range s.holds {
					for _, at := range c.at {
						if f := runs[fmt.Sprint(at)]; f != nil && !c.holds(f) {
							t.Errorf("%s:%d: %s does not hold at %v: %s", l.file, c.line, c.source, f.chosen, figuresOf(f))
						}
					}
				}
				if q := s.question; q != nil && runs[fmt.Sprint(q.at)] != nil {
					right := 0
					for _, o := range q.options {
						if o.right != nil && o.right.holds(runs[fmt.Sprint(q.at)]) {
							right++
						}
					}
					if right != 1 {
						t.Errorf("%s:%d: %d answers are right: %s", l.file, s.line, right, figuresOf(runs[fmt.Sprint(q.at)]))
					}
				}
				for _, f := range runs {
					wantFigures(t, l, s, f)
				}
			})
		}
	}
}

func factsAt(t *testing.T, l *lesson, s *screen, at []int) *facts {
	t.Helper()
	sc, err := s.run.scenario(s.choices(at))
	must(t, err)
	if events := sim.Estimate(sc); events > maxLessonEvents {
		t.Errorf("%s:%d: at %v it costs about %d events; at most %d are quick enough", l.file, s.line, s.choices(at), events, maxLessonEvents)
	}
	result, err := sim.Runner{}.Run(context.Background(), sc, nil)
	must(t, err)
	return &facts{result, s.choices(at)}
}

// wantFigures checks that whatever is shown with a run is a figure of it.
func wantFigures(t *testing.T, l *lesson, s *screen, f *facts) {
	for _, b := range s.blocks {
		if b.when != nil && !b.when.holds(f) {
			continue
		}
		for _, p := range b.proses() {
			for _, n := range p.figures {
				if text := n.term.text(f); text == noValue {
					t.Errorf("%s:%d: {%s} has no value at %v", l.file, b.line, n.source, f.chosen)
				}
			}
		}
		for _, c := range b.figure {
			for i := range f.result.Results {
				m := f.result.Results[i].Metrics.Get(c.metric)
				if m.Mean == nil && c.quantity != asTime {
					t.Errorf("%s:%d: %s has no %s at %v", l.file, b.line, f.result.Results[i].Policy.ID, c.metric, f.chosen)
				}
			}
		}
	}
}

func figuresOf(f *facts) string {
	var b strings.Builder
	for i := range f.result.Results {
		r := &f.result.Results[i]
		fmt.Fprintf(&b, "\n  %s:", r.Policy.ID)
		for _, name := range []string{"successRate", "crashes", "within.p50", "within.p99", "amplification", "recoveryPeak", "peakLoad", "goodput", "wasted", "timedOut", "notSent", "idle"} {
			if m := r.Metrics.Get(name); m.Mean != nil {
				low, high := bounds(m)
				fmt.Fprintf(&b, " %s %.4g [%.4g, %.4g]", name, *m.Mean, low, high)
			}
		}
	}
	return b.String()
}

// wellWritten are the lessons, if there is nothing wrong with how they are written.
func wellWritten(t *testing.T) []*lesson {
	t.Helper()
	all, err := readLessons(lessonFiles)
	must(t, err)
	return all
}

// TestLessonsAreComplete checks what a reader of the course relies on.
func TestLessonsAreComplete(t *testing.T) {
	for _, l := range wellWritten(t) {
		counted := l.inPart().counted
		if counted && (len(l.screen) < 2 || len(l.screen) > 3) {
			t.Errorf("%s has %d screens", l.file, len(l.screen))
		}
		questions := 0
		for _, s := range l.screen {
			takeaways, figures := 0, 0
			for _, b := range s.blocks {
				if b.takeaway != nil {
					takeaways++
				}
				if b.figure != nil {
					figures++
				}
			}
			if takeaways != 1 || figures != 1 || len(s.run.show) == 0 || len(s.run.show) > 2 {
				t.Errorf("%s:%d: %d takeaways, %d figures, %d policies on the stage", l.file, s.line, takeaways, figures, len(s.run.show))
			}
			if s.question != nil {
				questions++
			}
			if len(s.holds) == 0 {
				t.Errorf("%s:%d: nothing holds it to what it says", l.file, s.line)
			}
		}
		if counted && questions == 0 {
			t.Errorf("%s asks nothing", l.file)
		}
	}
}

// TestLessonsLeadToAllTerms checks that something leads to each term of the glossary.
func TestLessonsLeadToAllTerms(t *testing.T) {
	list, faults := glossaryTerms(lessonFiles)
	must(t, faults.err())
	linked := map[string]bool{}
	see := func(p *prose) {
		for _, link := range p.links {
			linked[link.href[strings.IndexByte(link.href, '#')+1:]] = true
		}
	}
	for _, l := range wellWritten(t) {
		for _, s := range l.screen {
			for _, b := range s.blocks {
				for _, p := range b.proses() {
					see(p)
				}
			}
		}
	}
	for _, term := range list {
		see(term.meaning)
	}
	for _, term := range list {
		if !linked[term.id] {
			t.Errorf("nothing leads to %q", term.name)
		}
	}
}

// TestLessonsExplainTermsAtOnce checks that the first screen with a term leads to what it means.
func TestLessonsExplainTermsAtOnce(t *testing.T) {
	list, faults := glossaryTerms(lessonFiles)
	must(t, faults.err())
	var screens []*screen
	for _, l := range wellWritten(t) {
		screens = append(screens, l.screen...)
	}
	for _, term := range list {
		use := regexp.MustCompile(`(?i)\b` + strings.NewReplacer(" ", "[ -]", "-", "[ -]").Replace(term.name) + `(s|es|ed)?\b`)
		i := slices.IndexFunc(screens, func(s *screen) bool { return use.MatchString(s.words()) })
		if i < 0 {
			continue // the glossary needs it
		}
		s := screens[i]
		explained := slices.ContainsFunc(s.blocks, func(b block) bool {
			return slices.ContainsFunc(b.proses(), func(p *prose) bool {
				return slices.ContainsFunc(p.links, func(l proseLink) bool { return l.href == "/glossary#"+term.id })
			})
		})
		if !explained {
			t.Errorf("%q first appears in %q, which does not lead to its meaning", term.name, s.title)
		}
	}
}

// words are all that a screen says, but for what stands in its controls and tables.
func (s *screen) words() string {
	all := []string{s.title}
	for _, b := range s.blocks {
		for _, p := range b.proses() {
			for _, node := range p.nodes {
				all = append(all, wordsOf(node, p.source))
			}
		}
		if b.question != nil {
			all = append(all, b.question.text)
		}
	}
	return strings.Join(all, " ")
}

// small is a lesson that is as it should be; each fault is one change to it.
const small = `# A title

One sentence.

## A screen

Words and a [client](/glossary#client).

` + "```question\nHow many?\n- all {successRate of one = 1}\n- none\n```\n\n" +
	"```run\nclients.count=$n\np=constant,base=1s,maxAttempts=3,id=one\nreplications=2\n```\n\n" +
	"```control n\nClients\n- 5\n- [x] 10: ten\n```\n\n" +
	"```figure\nsuccessRate\ncrashes: Crashes\n```\n\n" +
	"```when crashes of one = 0\nNone of {clients as number}.\n```\n\n" +
	"> A sentence with {attempts of one}.\n\n" +
	"```holds n=5\ncrashes of one = 0\n```\n"

func smallLesson(text string) ([]*lesson, error) {
	return readLessons(fstest.MapFS{
		"lessons/course-1-small.md": {Data: []byte(text)},
		"lessons/glossary.md":       {Data: []byte("# Glossary\n\n## Client\n\nOne that calls. Often.\n")},
	})
}

func TestLessonFaultsNameTheirLine(t *testing.T) {
	all, err := smallLesson(small)
	must(t, err)
	if l := all[0]; l.title != "A title" || l.about != "One sentence." || l.number != 1 || l.slug != "small" || len(l.screen) != 1 {
		t.Errorf("read as %+v", l)
	}
	for _, test := range []struct{ old, new, want string }{
		{"```run", "```rum", `:15: unknown block "rum"; there are run, question, control, figure, when and holds`},
		{"successRate\ncrashes", "succesRate\ncrashes", `:27: unknown metric "succesRate"`},
		{"{attempts of one}", "{attempts of two}", `:36: {attempts of two}: unknown policy "two"; the run has one`},
		{"{attempts of one}", "{attempt of one}", `:36: {attempt of one}: unknown metric "attempt"`},
		{"{attempts of one}", "{attempts of one", `:36: {attempts of one`},
		{"control n", "control speed", `:21: "speed" means something else already`},
		{"- 5\n", "- 5\n- 5\n", `:21: two choices of "n" have the same value`},
		{"{attempts of one}", "{attempts}", `:36: {attempts}: "attempts" is no number, control, clients or capacity`},
		{"crashes of one = 0\nNone", "crashes of one\nNone", `:32: crashes of one: a comparison with <, >, = or ~ is missing`},
		{"base=1s", "base=1x", `:17: run: base must be a duration`},
		{"clients.count=$n", "clients.count=$m", `:16: there is no control "m"`},
		{"clients.count=$n", "clients.cout=$n", `:16: run: `},
		{"- 5\n", "- 0\n", `:16: run: count must be`},
		{"n=5", "n=6", `:39: n has no choice "6"`},
		{"n=5", "m=6", `:39: there is no control "m"`},
		{"control n", "control clients", `:21: "clients" means something else already`},
		{"control n", "control N", `:21: a control needs a name of lower-case letters`},
		{"#client", "#server", `:7: the link to "/glossary#server" leads nowhere`},
		{"Words", "<b>Words</b>", `:7: HTML is not allowed`},
		{"Words", "![Words](x.png)", `:7: pictures are not allowed`},
		{"# A title\n", "", `:1: a lesson starts with a heading of the first level`},
		{"## A screen", "Words", `a lesson needs a screen`},
		{"- none\n", "", `:9: a question is a sentence and two answers or more`},
		{"```run\n", "```run\npreset=none\n", `there is no preset "none"; there are default, `},
		{"```run\n", "```run\nshow=two\n", `unknown policy "two" to show; the run has one`},
		{"id=one", "name=One", `unknown policy "one"`},
	} {
		text := strings.Replace(small, test.old, test.new, 1)
		if text == small {
			t.Fatalf("%q is not in the lesson", test.old)
		}
		if _, err := smallLesson(text); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q for %q: the error is %v, not %s", test.new, test.old, err, test.want)
		}
	}
}

// Two files with one address, or one number, would leave one of them out of reach.
func TestLessonsStandApart(t *testing.T) {
	for _, name := range []string{"beyond-9-small.md", "course-1-other.md"} {
		_, err := readLessons(fstest.MapFS{
			"lessons/course-1-small.md": {Data: []byte(small)}, "lessons/" + name: {Data: []byte(small)},
			"lessons/glossary.md": {Data: []byte("# Glossary\n\n## Client\n\nOne that calls. Often.\n")},
		})
		if err == nil || !strings.Contains(err.Error(), "has its number or its address already") {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
}

// TestTerms computes with figures that are known: one metric of 4 ± 1 and one of exactly 2.
func TestTerms(t *testing.T) {
	four, low, high, two, share := 4.0, 3.0, 5.0, 2.0, 0.25
	f := &facts{chosen: map[string]string{"cap": "10s", "jitter": "full"}, result: &sim.Result{
		Scenario: sim.Default(),
		Results: []sim.PolicyResult{{Metrics: sim.Metrics{
			{Name: "crashes", Metric: sim.Metric{Mean: &four, Low: &low, High: &high}},
			{Name: "attempts", Metric: sim.Metric{Mean: &two}},
			{Name: "successRate", Metric: sim.Metric{Mean: &share}},
			{Name: "within.p99", Metric: sim.Metric{}},
		}}},
	}}
	policy, err := strategies.ParseText("exponential,base=100ms,cap=10s,jitter=full,maxAttempts=8")
	must(t, err)
	policy.ID = "a-b"
	f.result.Results[0].Policy = policy
	in := scope{policies: []string{"a-b"}, controls: f.chosen}
	for _, test := range []struct{ term, want string }{
		{"crashes of a-b", "4.0"},
		{"attempts of a-b", "2"},
		{"lasts of a-b", "12.7" + nbsp + "s"}, // 100 ms · (2^7 − 1)
		{"successRate of a-b", "25" + nbsp + "%"},
		{"1 - successRate of a-b as share", "75" + nbsp + "%"},
		{"within.p99 of a-b", "never"},
		{"2 * clients / cap", "200"},
		{"cap", "10" + nbsp + "s"},
		{"cap as number", "10"},
		{"capacity", "200"},
		{"(1 + 2) * 3 - 10 / 4", "6.5"},
		{"250ms as time", "250" + nbsp + "ms"},
		{"crashes of a-b * 100", "400"}, // ± 100: no more digits than that
		{"clients / capacity as time", "5" + nbsp + "s"},
		{"jitter", noValue}, // a word
		{"1 / (crashes of a-b - 4)", noValue},
	} {
		x, err := parseTerm(test.term, in)
		must(t, err)
		if got := x.text(f); got != test.want {
			t.Errorf("{%s} is %q, not %q", test.term, got, test.want)
		}
	}
	for condition, want := range map[string]bool{
		"crashes of a-b > 2.9": true, "crashes of a-b > 3": false, // the interval reaches down to 3
		"crashes of a-b < 5": false, "crashes of a-b < 5.1": true,
		"crashes of a-b ~ 5": true, "crashes of a-b ~ 5.1": false,
		"crashes of a-b = 4": true, "crashes of a-b = 3.9": false,
		"crashes of a-b > attempts of a-b":           true,
		"crashes of a-b > 2 and attempts of a-b > 2": false,
		"attempts of a-b > 2 or crashes of a-b > 2":  true,
		"attempts of a-b > 2 and 1 = 1 or 1 = 2":     false,
		"within.p99 of a-b = never":                  true,
		"within.p99 of a-b > 10h":                    true,
		"successRate of a-b = 25%":                   true,
		"goodput of a-b = 0":                         false, // there is none
		"crashes of a-b + attempts of a-b > 4.9":     true,
		"crashes of a-b - attempts of a-b < 3.1":     true,
		"crashes of a-b * (0 - 1) > 0 - 5.1":         true, // the ends change places
		"crashes of a-b / crashes of a-b < 1.7":      true,
		"crashes of a-b / crashes of a-b > 0.7":      false, // 3/5
		"10s = 10 and 1m = 60 and 250ms = 0.25":      true,
		"50% = 0.5 and clients = 1000 and cap = 10":  true,
		"jitter = 1 or jitter < 1 or jitter > 1":     false,
	} {
		c, err := parseCondition(condition, in)
		must(t, err)
		if c.holds(f) != want {
			t.Errorf("%s is %t", condition, !want)
		}
	}
	for _, bad := range []string{"", "1 +", "1 2", "(1", "crashes of", "crashes of c", "crash of a-b", "1 as", "1 as money", "1x", "cap of a-b", "1 / / 2", strings.Repeat("(", 100) + "1", "1.2.3", "%"} {
		if _, err := parseTerm(bad, in); err == nil {
			t.Errorf("{%s} is accepted", bad)
		}
	}
}

// TestIntervalsHold draws numbers from intervals: what is computed of them lies in the computed interval.
func TestIntervalsHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) (sim.Metric, float64) {
			ends := [2]float64{rapid.Float64Range(-100, 100).Draw(t, name), rapid.Float64Range(-100, 100).Draw(t, name)}
			low, high := min(ends[0], ends[1]), max(ends[0], ends[1])
			mean := (low + high) / 2
			return sim.Metric{Mean: &mean, Low: &low, High: &high}, min(high, low+(high-low)*rapid.Float64Range(0, 1).Draw(t, name))
		}
		a, x := draw("a")
		b, y := draw("b")
		sign := rapid.SampledFrom([]byte("+-*/")).Draw(t, "sign")
		of := func(m sim.Metric) term { return term{eval: func(*facts) sim.Metric { return m }} }
		got := combined(of(a), of(b), sign).eval(nil)
		if got.Mean == nil {
			if sign != '/' {
				t.Fatalf("no value of %c", sign)
			}
			return
		}
		exact := calculated(x, y, sign)
		if slack := 1e-9 * (1 + math.Abs(exact)); exact < *got.Low-slack || exact > *got.High+slack {
			t.Fatalf("%v %c %v is %v, outside of [%v, %v]", x, sign, y, exact, *got.Low, *got.High)
		}
	})
}

// FuzzLesson checks that no text crashes the reader of lessons.
func FuzzLesson(f *testing.F) {
	f.Add(small)
	names, err := lessonFiles.ReadDir("lessons")
	must(f, err)
	for _, name := range names {
		text, err := lessonFiles.ReadFile("lessons/" + name.Name())
		must(f, err)
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		all, err := smallLesson(text)
		if err == nil && len(all[0].screen) == 0 {
			t.Error("a lesson without a screen is accepted")
		}
	})
}

// FuzzTerm checks the same of the arithmetic.
func FuzzTerm(f *testing.F) {
	f.Add("crashes of a > 2 * clients / 10s and (1 = 1 or 50% < 3)")
	f.Fuzz(func(t *testing.T, text string) {
		in := scope{policies: []string{"a"}, controls: map[string]string{"cap": "10s"}}
		facts := &facts{&sim.Result{Scenario: sim.Default()}, in.controls}
		if c, err := parseCondition(text, in); err == nil {
			c.holds(facts)
		}
		if x, err := parseTerm(text, in); err == nil {
			x.text(facts)
		}
	})
}
