package web

import (
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/stampede-sim/stampede/sim"
)

// Lessons are content: a Markdown file each, in lessons/. This file says what they are made of; CONTRIBUTING.md says how
// to write one. What a lesson says of its runs is computed from them, or is a condition that a test holds them to.

//go:embed lessons/*.md
var lessonFiles embed.FS

// lesson is one file.
type lesson struct {
	file   string
	slug   string // of its address, from the file's name
	part   int    // of lessonParts
	number int    // within it; those of the course and beyond go on
	title  string
	about  string // one sentence
	screen []*screen
}

// lessonPart is a group of lessons in the overview.
type lessonPart struct {
	key, title, about string
	counted           bool // lessons have numbers; without, their screens have names
}

// lessonParts are in order. A lesson says which it belongs to by its file's name: PART-NUMBER-SLUG.md.
var lessonParts = []lessonPart{
	{"course", "The course", "Eight lessons, half an hour. Then you can choose a policy and say why.", true},
	{"beyond", "Beyond the course", "What else decides: guards, layers, neighbours, and what not to retry.", true},
	{"mistakes", "A gallery of mistakes", "Each as it is often written, beside the same mended.", false},
}

// screen is what is shown at a time: one idea.
type screen struct {
	title    string
	line     int
	blocks   []block
	run      *lessonRun
	question *question // nil: there is nothing to guess
	controls []*lessonControl
	holds    []claim
}

// block is one piece of a screen; one field is set, or when and prose.
type block struct {
	line     int
	prose    *prose
	takeaway *prose
	when     *condition // prose shows only where it holds
	question *question
	run      *lessonRun
	controls bool           // the screen's controls stand here
	figure   []figureColumn // a table of the run
}

// proses are the block's words.
func (b block) proses() (all []*prose) {
	for _, p := range []*prose{b.prose, b.takeaway} {
		if p != nil {
			all = append(all, p)
		}
	}
	return all
}

// lessonRun is the scenario of a screen: the query of a compare page in which $name stands for a control's value.
type lessonRun struct {
	lines []queryLine
	show  []string // ids of the policies on the stage; none: only their figures are shown
}

type queryLine struct {
	line       int
	key, value string
}

// question has one answer that is right, by a run.
type question struct {
	text    string
	setting string // of the controls that it is about, as after the block's name; "": the opening
	at      []int  // the same
	options []option
}

type option struct {
	text  string
	right *condition // nil: it is wrong
}

// right is the answer that a run gives; −1 if there is none.
func (q *question) right(f *facts) int {
	return slices.IndexFunc(q.options, func(o option) bool { return o.right != nil && o.right.holds(f) })
}

// lessonControl lets the reader choose the value of a variable of the run.
type lessonControl struct {
	name, label string
	choices     []controlChoice
	start       int // the choice that a screen opens with
}

type controlChoice struct{ value, label string }

// figureColumn is a metric in a table.
type figureColumn struct {
	metricKind
	label string
}

// claim is a condition that the words of a screen rest on.
type claim struct {
	condition
	line    int
	setting string  // as after the block's name: "", always, or one
	at      [][]int // the settings of the controls at which it has to hold
}

// choices are the values of a screen's controls, by name.
func (s *screen) choices(at []int) map[string]string {
	chosen := map[string]string{}
	for i, c := range s.controls {
		chosen[c.name] = c.choices[at[i]].value
	}
	return chosen
}

// opening is where the controls stand at first.
func (s *screen) opening() []int {
	at := make([]int, len(s.controls))
	for i, c := range s.controls {
		at[i] = c.start
	}
	return at
}

// setting reads what follows a block's name, such as "cap=2s": the opening with some controls set otherwise.
func (s *screen) setting(text string) ([]int, error) {
	at := s.opening()
	for said := range strings.FieldsSeq(text) {
		name, value, _ := strings.Cut(said, "=")
		i := slices.IndexFunc(s.controls, func(c *lessonControl) bool { return c.name == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no control %q", name)
		}
		at[i] = slices.IndexFunc(s.controls[i].choices, func(c controlChoice) bool { return c.value == value })
		if at[i] < 0 {
			return nil, fmt.Errorf("%s has no choice %q", name, value)
		}
	}
	return at, nil
}

// inPart is the part that the lesson belongs to.
func (l *lesson) inPart() lessonPart { return lessonParts[l.part] }

// numeral is the lesson's number, "" where lessons are not counted.
func (l *lesson) numeral() string {
	if !l.inPart().counted {
		return ""
	}
	return strconv.Itoa(l.number)
}

// settings are all that the controls can be set to.
func (s *screen) settings() [][]int {
	all := [][]int{{}}
	for _, c := range s.controls {
		var longer [][]int
		for _, at := range all {
			for i := range c.choices {
				longer = append(longer, append(slices.Clone(at), i))
			}
		}
		all = longer
	}
	return all
}

// scenario is the run with the controls' values in place.
func (r *lessonRun) scenario(chosen map[string]string) (*sim.Scenario, error) {
	query, policies := url.Values{}, false
	for _, l := range r.lines {
		value := fillIn(l.value, chosen)
		switch {
		case l.key == "preset":
			preset, err := presetQuery(value)
			if err != nil {
				return nil, err
			}
			query = preset
		case l.key == "p" && policies:
			query.Add(l.key, value)
		default:
			query.Set(l.key, value)
			policies = policies || l.key == "p"
		}
	}
	return sim.ParseQuery(query)
}

// presetQueries are those of the preset scenarios, all of which have to be read to know one.
var presetQueries = sync.OnceValues(func() (ids []string, queries map[string]url.Values) {
	queries = map[string]url.Values{}
	for _, p := range sim.Presets() {
		ids = append(ids, p.ID)
		queries[p.ID] = p.Scenario.Query()
	}
	return ids, queries
})

// presetQuery is that of a preset scenario, for the lines after it to change.
func presetQuery(id string) (url.Values, error) {
	ids, queries := presetQueries()
	if query, ok := queries[id]; ok {
		return maps.Clone(query), nil
	}
	return nil, fmt.Errorf("there is no preset %q; there are %s", id, strings.Join(ids, ", "))
}

// fillIn replaces $name by its value.
func fillIn(text string, chosen map[string]string) string {
	return variables.ReplaceAllStringFunc(text, func(v string) string { return chosen[v[1:]] })
}

// lessons are all lessons in order. Faulty ones are a mistake in the program, which a test would have found.
var lessons = sync.OnceValue(func() []*lesson {
	all, err := readLessons(lessonFiles)
	if err != nil {
		panic(fmt.Sprintf("web: lessons: %v", err))
	}
	return all
})

// readLessons reads all lessons of a file system, and the glossary that they link to. Its error lists all their faults.
func readLessons(files fs.FS) ([]*lesson, error) {
	terms, faults := readGlossary(files)
	names, err := fs.Glob(files, "lessons/*.md")
	if err != nil {
		return nil, err
	}
	var all []*lesson
	for _, name := range names {
		if name == glossaryFile {
			continue
		}
		source, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		l, err := lessonNamed(path.Base(name))
		if err != nil {
			faults = append(faults, err)
			continue
		}
		for _, o := range all {
			if o.slug == l.slug || o.part == l.part && o.number == l.number {
				faults = append(faults, fmt.Errorf("%s: %s has its number or its address already", l.file, o.file))
			}
		}
		faults = append(faults, l.read(source, terms)...)
		all = append(all, l)
	}
	slices.SortFunc(all, func(a, b *lesson) int { return cmp.Or(a.part-b.part, a.number-b.number) })
	faults = append(faults, linkFaults(all, terms)...)
	return all, faults.err()
}

var lessonName = regexp.MustCompile(`^([a-z]+)-([0-9]{1,3})-([a-z0-9-]+)\.md$`)

// lessonNamed takes PART-NUMBER-SLUG.md apart.
func lessonNamed(file string) (*lesson, error) {
	if m := lessonName.FindStringSubmatch(file); m != nil {
		part := slices.IndexFunc(lessonParts, func(p lessonPart) bool { return p.key == m[1] })
		number, _ := strconv.Atoi(m[2]) // three digits
		if part >= 0 {
			return &lesson{file: file, slug: m[3], part: part, number: number}, nil
		}
	}
	return nil, fmt.Errorf("%s: a lesson's file is called PART-NUMBER-SLUG.md, and the part is course, beyond or mistakes", file)
}

// lessonOf is the lesson at an address; nil if there is none.
func lessonOf(slug string) *lesson {
	all := lessons()
	i := slices.IndexFunc(all, func(l *lesson) bool { return l.slug == slug })
	if i < 0 {
		return nil
	}
	return all[i]
}
