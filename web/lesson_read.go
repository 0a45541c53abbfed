package web

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/stampede-sim/stampede/strategies/spec"
)

// This file reads a lesson: a title, one sentence, and a screen from each heading of the second level to the next. Within
// a screen, fenced blocks are what a lesson has beyond prose, and a quotation is the sentence to take away.

// lessonFaults are what is wrong with lessons, each with its file and line.
type lessonFaults []error

func (f lessonFaults) err() error { return errors.Join(f...) }

// lessonReader reads one file.
type lessonReader struct {
	source []byte
	faults lessonFaults
	terms  glossary
	*lesson
}

// read fills the lesson from its source and returns what is wrong.
func (l *lesson) read(source []byte, terms glossary) lessonFaults {
	r := &lessonReader{source: source, terms: terms, lesson: l}
	doc := markdownParser.Parse(text.NewReader(source))
	for node := doc.FirstChild(); node != nil; node = node.NextSibling() {
		r.take(node)
	}
	if l.title == "" || l.about == "" {
		r.fail(1, "a lesson starts with a heading of the first level and one paragraph, the sentence of the overview")
	}
	if len(l.screen) == 0 {
		r.fail(1, "a lesson needs a screen: a heading of the second level, and what is below it")
	}
	for _, s := range l.screen {
		r.resolve(s)
	}
	return r.faults
}

func (r *lessonReader) fail(line int, format string, args ...any) {
	r.faults = append(r.faults, fmt.Errorf("%s:%d: %s", r.file, line, fmt.Sprintf(format, args...)))
}

// lineAt is the number of the line that a place in the source is on.
func (r *lessonReader) lineAt(at int) int {
	return 1 + bytes.Count(r.source[:max(at, 0)], []byte("\n"))
}

// lineOf is the line that a node starts on.
func (r *lessonReader) lineOf(node ast.Node) int {
	at := node.Pos()
	if node.Type() == ast.TypeBlock && at < 0 && node.Lines().Len() > 0 {
		at = node.Lines().At(0).Start
	}
	return r.lineAt(at)
}

// take sorts one block of the file.
func (r *lessonReader) take(node ast.Node) {
	line := r.lineOf(node)
	heading, isHeading := node.(*ast.Heading)
	switch {
	case isHeading && heading.Level == 1 && r.title == "":
		r.title = wordsOf(node, r.source)
	case isHeading && heading.Level == 2:
		r.screen = append(r.screen, &screen{title: wordsOf(node, r.source), line: line})
	case isHeading && heading.Level == 1:
		r.fail(line, "a lesson has one heading of the first level")
	case len(r.screen) == 0 && r.about == "" && node.Kind() == ast.KindParagraph:
		r.about = wordsOf(node, r.source)
	case len(r.screen) == 0:
		r.fail(line, "this stands before the first screen, where only a title and one paragraph may")
	default:
		r.takeInto(r.screen[len(r.screen)-1], node, line)
	}
}

// takeInto adds one block to a screen.
func (r *lessonReader) takeInto(s *screen, node ast.Node, line int) {
	switch n := node.(type) {
	case *ast.FencedCodeBlock:
		name, argument := "", ""
		if n.Info != nil {
			name, argument, _ = strings.Cut(string(n.Info.Value(r.source)), " ")
		}
		take, ok := lessonBlocks[name]
		if !ok {
			r.fail(line, "unknown block %q; there are run, question, control, figure, when and holds", name)
			return
		}
		take(r, s, fence{n, strings.TrimSpace(argument), line})
	case *ast.Blockquote:
		r.add(s, block{line: line, takeaway: r.proseOf(r.source, childrenOf(n))})
	case *ast.HTMLBlock:
		r.fail(line, "HTML is not allowed")
	default:
		r.add(s, block{line: line, prose: r.proseOf(r.source, []ast.Node{n})})
	}
}

func (r *lessonReader) add(s *screen, b block) { s.blocks = append(s.blocks, b) }

// proseOf takes Markdown for showing, and the figures in it for resolving.
func (r *lessonReader) proseOf(source []byte, nodes []ast.Node) *prose {
	p := &prose{source: source, nodes: nodes}
	for _, node := range nodes {
		ast.Walk(node, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			switch n := n.(type) {
			case *figureNode:
				if entering {
					p.figures = append(p.figures, n)
				}
			case *ast.Link:
				if entering {
					r.terms.explain(n)
					p.links = append(p.links, proseLink{string(n.Destination), r.lineOf(n.Parent())})
				}
			case *ast.RawHTML, *ast.HTMLBlock:
				if entering {
					r.fail(r.lineOf(n.Parent()), "HTML is not allowed")
				}
			case *ast.Image:
				if entering {
					r.fail(r.lineOf(n.Parent()), "pictures are not allowed: show a run")
				}
			}
			return ast.WalkContinue, nil
		})
	}
	return p
}

// fence is a fenced block.
type fence struct {
	node     *ast.FencedCodeBlock
	argument string // what follows its name
	line     int
}

// fenceLine is a line of one that is not empty.
type fenceLine struct {
	text string
	line int
}

func (r *lessonReader) linesOf(f fence) []fenceLine {
	var out []fenceLine
	for i := range f.node.Lines().Len() {
		segment := f.node.Lines().At(i)
		if line := strings.TrimSpace(string(segment.Value(r.source))); line != "" {
			out = append(out, fenceLine{line, r.lineAt(segment.Start)})
		}
	}
	return out
}

// lessonBlocks are the blocks by the word after the fence.
var lessonBlocks map[string]func(*lessonReader, *screen, fence)

func init() { // a block holds others
	lessonBlocks = map[string]func(*lessonReader, *screen, fence){
		"run": (*lessonReader).takeRun, "question": (*lessonReader).takeQuestion, "control": (*lessonReader).takeControl,
		"figure": (*lessonReader).takeFigure, "when": (*lessonReader).takeWhen, "holds": (*lessonReader).takeHolds,
	}
}

var variables = regexp.MustCompile(`\$[a-z]+`)

func (r *lessonReader) takeRun(s *screen, f fence) {
	if s.run != nil {
		r.fail(f.line, "a screen has one run")
		return
	}
	s.run = &lessonRun{}
	for _, l := range r.linesOf(f) {
		key, value, ok := strings.Cut(l.text, "=")
		if key == "show" {
			s.run.show = strings.Split(value, ",")
			continue
		}
		if !ok {
			r.fail(l.line, "a line of a run is KEY=VALUE as in the address of a compare page, or show=ID,ID, not %q", l.text)
		}
		s.run.lines = append(s.run.lines, queryLine{l.line, key, value})
	}
	r.add(s, block{line: f.line, run: s.run})
}

func (r *lessonReader) takeQuestion(s *screen, f fence) {
	if s.question != nil || s.run != nil {
		r.fail(f.line, "a screen asks one question, before its run")
		return
	}
	q := &question{setting: f.argument}
	for _, l := range r.linesOf(f) {
		answer, isOption := strings.CutPrefix(l.text, "- ")
		if !isOption {
			q.text = strings.TrimSpace(q.text + " " + l.text)
			continue
		}
		said, right, conditional := strings.Cut(answer, "{")
		o := option{text: strings.TrimSpace(said)}
		if conditional {
			o.right = &condition{source: strings.TrimSuffix(strings.TrimSpace(right), "}")}
		}
		q.options = append(q.options, o)
	}
	if q.text == "" || len(q.options) < 2 {
		r.fail(f.line, "a question is a sentence and two answers or more, each a line that starts with a hyphen; the right one ends with {CONDITION}")
	}
	s.question = q
	r.add(s, block{line: f.line, question: q})
}

// repeats reports whether two choices have the same value, which no address could tell apart.
func (c *lessonControl) repeats() bool {
	values := map[string]bool{}
	for _, choice := range c.choices {
		values[choice.value] = true
	}
	return len(values) < len(c.choices)
}

func (r *lessonReader) takeControl(s *screen, f fence) {
	c := &lessonControl{name: f.argument}
	for _, l := range r.linesOf(f) {
		choice, isChoice := strings.CutPrefix(l.text, "- ")
		if !isChoice {
			c.label = strings.TrimSpace(c.label + " " + l.text)
			continue
		}
		if rest, start := strings.CutPrefix(choice, "[x] "); start {
			c.start, choice = len(c.choices), rest
		}
		value, label, labelled := strings.Cut(choice, ": ")
		if !labelled {
			label = value
		}
		c.choices = append(c.choices, controlChoice{value, label})
	}
	switch {
	case !variables.MatchString("$"+c.name) || len(variables.FindString("$"+c.name)) != len(c.name)+1:
		r.fail(f.line, "a control needs a name of lower-case letters: ```control NAME")
	case slices.Contains(slices.Concat(learnKeys, playerKeys), c.name) || c.name == "clients" || c.name == "capacity":
		r.fail(f.line, "%q means something else already", c.name)
	case slices.ContainsFunc(s.controls, func(o *lessonControl) bool { return o.name == c.name }):
		r.fail(f.line, "there is a control %q already", c.name)
	case c.label == "" || len(c.choices) < 2 || len(c.choices) > maxChoices:
		r.fail(f.line, "a control is a label and two to %d choices, each a line that starts with a hyphen; - [x] is the one to start from", maxChoices)
	case c.repeats():
		r.fail(f.line, "two choices of %q have the same value", c.name)
	default:
		s.controls = append(s.controls, c)
		if len(s.controls) == 1 {
			r.add(s, block{line: f.line, controls: true})
		}
	}
}

const (
	maxChoices  = 8  // of a control
	maxSettings = 40 // of a screen's controls together: each is a run that a test makes
)

func (r *lessonReader) takeFigure(s *screen, f fence) {
	b := block{line: f.line}
	for _, l := range r.linesOf(f) {
		name, label, _ := strings.Cut(l.text, ": ")
		b.figure = append(b.figure, figureColumn{metricKind{metric: strings.TrimSpace(name)}, label})
	}
	if len(b.figure) == 0 {
		r.fail(f.line, "a figure names a metric or more, a line each")
	}
	r.add(s, b)
}

// takeWhen takes Markdown that shows only while something holds. It is read in place, so that lines keep their numbers.
func (r *lessonReader) takeWhen(s *screen, f fence) {
	lines := f.node.Lines()
	if lines.Len() == 0 {
		r.fail(f.line, "there is nothing to show")
		return
	}
	from, to := lines.At(0).Start, lines.At(lines.Len()-1).Stop
	inner := bytes.Clone(r.source[:to])
	for i := range inner[:from] {
		if inner[i] != '\n' {
			inner[i] = ' '
		}
	}
	doc := markdownParser.Parse(text.NewReader(inner))
	for node := doc.FirstChild(); node != nil; node = node.NextSibling() {
		if kind := node.Kind(); kind != ast.KindParagraph && kind != ast.KindList {
			r.fail(r.lineOf(node), "a when block holds paragraphs and lists")
		}
	}
	r.add(s, block{line: f.line, when: &condition{source: f.argument}, prose: r.proseOf(inner, childrenOf(doc))})
}

func (r *lessonReader) takeHolds(s *screen, f fence) {
	for _, l := range r.linesOf(f) {
		s.holds = append(s.holds, claim{condition: condition{source: l.text}, line: l.line, setting: f.argument})
	}
}

// resolve ties what a screen says to its run, which can be read once all of the screen has been.
func (r *lessonReader) resolve(s *screen) {
	if s.run == nil {
		r.fail(s.line, "the screen %q has no run", s.title)
		return
	}
	in, ok := r.scopeOf(s)
	if !ok {
		return
	}
	condition := func(c *condition, line int) {
		read, err := parseCondition(c.source, in)
		if err != nil {
			r.fail(line, "%s: %v", c.source, err)
		}
		*c = read
	}
	for i := range s.blocks {
		b := &s.blocks[i]
		for _, p := range b.proses() {
			r.resolveProse(p, in)
		}
		if b.when != nil {
			condition(b.when, b.line)
		}
		if b.question != nil {
			b.question.at = r.setting(s, b.question.setting, b.line)
			for _, o := range b.question.options {
				if o.right != nil {
					condition(o.right, b.line)
				}
			}
		}
		for i, c := range b.figure {
			k, ok := in.metricOf(c.metric)
			if !ok {
				r.fail(b.line, "unknown metric %q; docs/model.md lists them", c.metric)
			}
			b.figure[i].metricKind = k
		}
	}
	for i := range s.holds {
		c := &s.holds[i]
		condition(&c.condition, c.line)
		if c.setting == "always" {
			c.at = s.settings()
		} else {
			c.at = [][]int{r.setting(s, c.setting, c.line)}
		}
	}
}

// setting reads where controls stand, and reports what is wrong with that.
func (r *lessonReader) setting(s *screen, text string, line int) []int {
	at, err := s.setting(text)
	if err != nil {
		r.fail(line, "%v", err)
	}
	return at
}

func (r *lessonReader) resolveProse(p *prose, in scope) {
	for _, n := range p.figures {
		if n.open {
			r.fail(r.lineOf(n.Parent()), "{%s: there is no } on the line", n.source)
			continue
		}
		var err error
		if n.term, err = parseTerm(n.source, in); err != nil {
			r.fail(r.lineOf(n.Parent()), "{%s}: %v", n.source, err)
		}
	}
}

// scopeOf checks the run at every setting of the controls, and says what can be named there.
func (r *lessonReader) scopeOf(s *screen) (in scope, ok bool) {
	in.controls = s.choices(s.opening())
	for _, l := range s.run.lines {
		for _, v := range variables.FindAllString(l.value, -1) {
			if _, known := in.controls[v[1:]]; !known {
				r.fail(l.line, "there is no control %q", v[1:])
				return in, false
			}
		}
	}
	settings := s.settings()
	if len(settings) > maxSettings {
		r.fail(s.line, "the controls have %d settings together; at most %d can be", len(settings), maxSettings)
		return in, false
	}
	for _, at := range append([][]int{s.opening()}, settings...) {
		sc, err := s.run.scenario(s.choices(at))
		if err != nil {
			r.runFaults(s, err)
			return in, false
		}
		var ids []string
		for _, p := range sc.Policies {
			ids = append(ids, p.ID)
		}
		if in.policies == nil {
			in.policies = ids
			for _, o := range sc.Clients.Others {
				in.others = append(in.others, o.Name)
			}
		}
		if !slices.Equal(ids, in.policies) {
			r.fail(s.line, "the policies' ids follow the controls: give each policy an id=")
			return in, false
		}
	}
	for _, id := range s.run.show {
		if !slices.Contains(in.policies, id) {
			r.fail(s.line, "unknown policy %q to show; the run has %s", id, strings.Join(in.policies, ", "))
		}
	}
	return in, true
}

// runFaults puts the faults of a run's scenario at the lines they are about, else at the screen.
func (r *lessonReader) runFaults(s *screen, err error) {
	faults, ok := errors.AsType[spec.Faults](err)
	if !ok {
		r.fail(s.line, "run: %v", err)
		return
	}
	for _, f := range faults {
		line := s.line
		policies := 0
		for _, l := range s.run.lines {
			at := "/" + strings.ReplaceAll(l.key, ".", "/")
			if l.key == "p" {
				at = fmt.Sprintf("/policies/%d", policies)
				policies++
			}
			if f.Pointer == at || strings.HasPrefix(f.Pointer, at+"/") {
				line = l.line
			}
		}
		r.fail(line, "run: %s", f.Detail)
	}
}

func childrenOf(node ast.Node) []ast.Node {
	var out []ast.Node
	for c := node.FirstChild(); c != nil; c = c.NextSibling() {
		out = append(out, c)
	}
	return out
}

// wordsOf is what a node says without its markup.
func wordsOf(node ast.Node, source []byte) string {
	var b strings.Builder
	ast.Walk(node, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			b.Write(t.Value(source))
			if t.SoftLineBreak() {
				b.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}
