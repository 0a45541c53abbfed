package web

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/static"
	"github.com/stampede-sim/stampede/templates"
)

// This file makes what the pages of lessons show.

// learnView is the overview.
func learnView() templates.Learn {
	page := templates.Learn{Static: static.URL}
	for i, part := range lessonParts {
		group := templates.LearnPart{Title: part.title, About: part.about}
		for _, l := range lessons() {
			if l.part == i {
				st := lessonState{lesson: l}.open(0)
				group.Lessons = append(group.Lessons, templates.LearnEntry{
					Number: l.numeral(), Title: l.title, About: l.about, Href: st.address(), Screens: st.screens(), Named: !part.counted,
				})
			}
		}
		page.Parts = append(page.Parts, group)
	}
	return page
}

// id tells a screen from all others.
func (st lessonState) id() string { return st.lesson.slug + "/" + strconv.Itoa(st.at+1) }

// screens lead to the screens of the lesson.
func (st lessonState) screens() []templates.LessonScreen {
	var all []templates.LessonScreen
	for i, s := range st.lesson.screen {
		to := st.open(i)
		all = append(all, templates.LessonScreen{ID: to.id(), Href: to.address(), Title: s.title, On: i == st.at})
	}
	return all
}

// lessonFrame is a screen without its blocks.
func lessonFrame(st lessonState) templates.Lesson {
	l := st.lesson
	other := st
	other.projector = !st.projector
	return templates.Lesson{
		Static: static.URL, Path: "/learn/" + l.slug, State: st.query(), ID: st.id(),
		Title: l.title, Heading: st.screen().title, Part: l.inPart().title, Number: l.numeral(),
		Screens: st.screens(), Back: st.step(-1), Next: st.step(1),
		Projected: st.projector, Projector: other.address(), Carried: st.carried(),
	}
}

// step leads to the next screen or the one before, over the ends of lessons.
func (st lessonState) step(by int) templates.Link {
	all := lessons()
	at := slices.Index(all, st.lesson)
	switch next := st.at + by; {
	case next >= 0 && next < len(st.lesson.screen):
		to := st.open(next)
		return templates.Link{Href: to.address(), Label: to.screen().title}
	case at+by >= 0 && at+by < len(all):
		to := lessonState{lesson: all[at+by], projector: st.projector}
		if by < 0 {
			to = to.open(len(to.lesson.screen) - 1)
		} else {
			to = to.open(0)
		}
		return templates.Link{Href: to.address(), Label: to.lesson.title, Title: to.lesson.inPart().title}
	}
	return templates.Link{}
}

// lessonBlocks are the screen's, as far as they are shown: up to a question, until it is answered. The origin is where
// links from elsewhere find the site.
func (s *Server) lessonBlocks(ctx context.Context, origin string, st lessonState) ([]templates.LessonBlock, error) {
	sc := st.screen()
	f, err := s.factsOf(ctx, sc, st.settings)
	if err != nil {
		return nil, err
	}
	view := lessonView{st, f, f, origin}
	if sc.question != nil {
		if view.asked, err = s.factsOf(ctx, sc, sc.question.at); err != nil {
			return nil, err
		}
	}
	var out []templates.LessonBlock
	for _, b := range sc.blocks {
		shown, err := view.block(ctx, s, b)
		if err != nil {
			return nil, err
		}
		out = append(out, shown...)
		if b.question != nil && st.guess == unguessed {
			break
		}
	}
	return out, nil
}

// lessonView shows blocks with what a run gave.
type lessonView struct {
	lessonState
	*facts
	asked  *facts // what the screen's question is about
	origin string
}

func (v lessonView) block(ctx context.Context, s *Server, b block) ([]templates.LessonBlock, error) {
	var shown templates.LessonBlock
	var err error
	switch {
	case b.when != nil && !b.when.holds(v.facts):
		return nil, nil
	case b.prose != nil:
		shown.HTML, err = b.prose.html(v.facts)
	case b.takeaway != nil:
		shown.Takeaway, err = b.takeaway.html(v.facts)
	case b.question != nil:
		shown.Question = v.ask(b.question)
	case b.run != nil:
		shown.Run, err = v.played(ctx, s)
	case b.controls:
		shown.Controls = v.controls()
	case b.figure != nil:
		shown.Figure = v.figure(b.figure)
	}
	return []templates.LessonBlock{shown}, err
}

// ask asks a question. A guess leads to the run that it is about.
func (v lessonView) ask(q *question) *templates.Question {
	skip, again := v.lessonState, v.lessonState
	skip.guess, again.guess = skipped, unguessed
	skip.settings = q.at
	skip.player, again.player = atStart, atStart
	out := &templates.Question{Text: q.text, Carried: append(again.carried(), skip.moved()...)}
	right := q.right(v.asked)
	for i, o := range q.options {
		answer := templates.QuestionOption{Value: strconv.Itoa(i + 1), Text: o.text}
		if v.guess != unguessed {
			answer.Right, answer.Guessed = i == right, i+1 == v.guess
		}
		out.Options = append(out.Options, answer)
	}
	switch {
	case v.guess == unguessed:
		out.Skip = skip.address()
		return out
	case v.guess == skipped:
		out.Said = "This is what the run says:"
	case v.guess-1 == right:
		out.Said = "Your guess is right."
	default:
		out.Said = "The run says otherwise."
	}
	out.Again = again.address()
	return out
}

func (v lessonView) controls() []templates.Switchboard {
	var all []templates.Switchboard
	for i, c := range v.screen().controls {
		b := templates.Switchboard{Name: c.name, Label: c.label}
		for j, choice := range c.choices {
			b.Choices = append(b.Choices, templates.SwitchChoice{Value: choice.value, Label: choice.label, On: j == v.settings[i]})
		}
		all = append(all, b)
	}
	return all
}

// standings are in the order of the lesson, which tells a story, and not by rank.
func (v lessonView) standings() []standing {
	all := make([]standing, len(v.result.Results))
	for i := range v.result.Results {
		all[i] = standing{PolicyResult: &v.result.Results[i], position: i, mark: i}
	}
	return all
}

// played is the run: the policies to watch as stages, the others as strips on one axis.
func (v lessonView) played(ctx context.Context, s *Server) (*templates.LessonRun, error) {
	axes, show := newStrips(v.result), v.screen().run.show
	out := &templates.LessonRun{Player: encode(v.player.query()), Load: axes.loadAxis(), Time: axes.timeAxis()}
	out.Numbers.Spans = axes.spanHead()
	given := marks{}
	for _, of := range v.standings() {
		given[of.Policy.ID] = of.mark
		if slices.Contains(show, of.Policy.ID) {
			continue
		}
		out.Strips = append(out.Strips, templates.LessonStrip{ID: of.Policy.ID, Name: nameOf(of), Mark: markOf(of.mark), Strip: axes.strip(of.PolicyResult)})
		out.Numbers.Rows = append(out.Numbers.Rows, templates.Row{Name: nameOf(of), SpanRows: axes.spanRows(of.PolicyResult)})
	}
	var err error
	if len(show) > 0 {
		out.Stages, err = s.stagesOf(ctx, v.result.Scenario, given, show...)
	}
	if v.origin != "" && len(out.Stages) > 0 {
		out.Embed = stagesSnippet(v.origin, state{scenario: v.result.Scenario}, out.Stages)
	}
	return out, err
}

func (v lessonView) figure(of []figureColumn) *templates.LessonFigure {
	sc := v.result.Scenario
	compare := state{scenario: sc, shown: v.screen().run.show}
	out := &templates.LessonFigure{Caption: headline(sc), Footing: lessonFooting(v.result), Compare: address(encode(compare.query()))}
	for _, c := range of {
		out.Head = append(out.Head, templates.LessonColumn{Metric: c.metric, Title: c.title()})
	}
	met := trialIn(sc)
	for _, s := range v.standings() {
		row := templates.LessonFigureRow{ID: s.Policy.ID, Name: nameOf(s), Text: s.Policy.Text(), Href: policyAddress(s.Policy, met), Mark: markOf(s.mark)}
		for _, c := range of {
			row.Figures = append(row.Figures, c.figure(s))
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

// lessonFooting is what the figures rest on.
func lessonFooting(r *sim.Result) string {
	n := r.Scenario.Replications
	return "Means of " + plural(float64(n), "run", "runs") + " with 95" + nbsp + "% intervals; seed " + strconv.FormatUint(r.Scenario.Seed, 10) + "."
}

// title heads a column: the lesson's word for the metric, or the site's.
func (c figureColumn) title() string {
	if c.label != "" {
		return c.label
	}
	return strings.ToUpper(c.metricKind.label[:1]) + c.metricKind.label[1:]
}

func (c figureColumn) figure(s standing) templates.Figure {
	x := s.Metrics.Get(c.metric)
	m := c.measure(x)
	f := templates.Figure{Label: c.title(), Value: mean(x, m.unit.scale), Unit: m.unit.name, Interval: interval(x, m.unit.scale, 0, m.most*m.unit.scale)}
	if c.quantity == asShare {
		f.Value = percent(x)
	}
	if x.Mean == nil {
		f.Unit = ""
		if c.quantity == asTime {
			f.Value = "never"
		}
	}
	return f
}
