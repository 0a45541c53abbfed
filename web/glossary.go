package web

import (
	"fmt"
	"io/fs"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// The glossary is lessons/glossary.md: a title, a paragraph, and a heading of the second level for each term with what it
// means below. A link to /glossary#term, wherever it stands in a lesson, tells the meaning when it is pointed at.

// glossary holds the terms by the id of their place on the page.
type glossary map[string]*glossaryTerm

type glossaryTerm struct {
	id, name string
	meaning  *prose
	brief    string // the first sentence
}

const glossaryFile = "lessons/glossary.md"

// readGlossary reads the glossary, and says what is wrong with it.
func readGlossary(files fs.FS) (glossary, lessonFaults) {
	list, faults := glossaryTerms(files)
	terms := glossary{}
	for _, t := range list {
		terms[t.id] = t
	}
	return terms, faults
}

// glossaryTerms are in the file's order.
func glossaryTerms(files fs.FS) ([]*glossaryTerm, lessonFaults) {
	source, err := fs.ReadFile(files, glossaryFile)
	if err != nil {
		return nil, lessonFaults{err}
	}
	r := &lessonReader{source: source, terms: glossary{}, lesson: &lesson{file: "glossary.md"}}
	var list []*glossaryTerm
	seen := map[string]bool{}
	for node := markdownParser.Parse(text.NewReader(source)).FirstChild(); node != nil; node = node.NextSibling() {
		heading, ok := node.(*ast.Heading)
		switch {
		case ok && heading.Level == 2:
			t := &glossaryTerm{name: wordsOf(node, source)}
			if t.id = termID(t.name); seen[t.id] {
				r.fail(r.lineOf(node), "%q is there already", t.name)
			}
			seen[t.id] = true
			list = append(list, t)
		case len(list) == 0: // the title, and what is said of all
		case node.Kind() != ast.KindParagraph || list[len(list)-1].meaning != nil:
			r.fail(r.lineOf(node), "a term has one paragraph")
		default:
			t := list[len(list)-1]
			t.meaning = r.proseOf(source, []ast.Node{node})
			t.brief, _, _ = strings.Cut(wordsOf(node, source), ". ")
			t.brief = strings.TrimSuffix(t.brief, ".") + "."
		}
	}
	for _, t := range list {
		if t.meaning == nil {
			r.fail(1, "%q has no meaning", t.name)
			continue
		}
		for _, link := range t.meaning.links {
			if id, ok := strings.CutPrefix(link.href, "#"); !ok || !seen[id] {
				r.fail(link.line, "there is no term %q", link.href)
			}
		}
	}
	return list, r.faults
}

var notInID = regexp.MustCompile(`[^a-z0-9]+`)

// termID is where a term is on its page: "Circuit breaker" is at circuit-breaker.
func termID(name string) string {
	return strings.Trim(notInID.ReplaceAllString(strings.ToLower(name), "-"), "-")
}

// explain gives a link to a term its meaning as a title.
func (g glossary) explain(link *ast.Link) {
	if id, ok := strings.CutPrefix(string(link.Destination), "/glossary#"); ok && g[id] != nil && len(link.Title) == 0 {
		link.Title = []byte(g[id].brief)
	}
}

// linkFaults are links of lessons that lead nowhere.
func linkFaults(all []*lesson, terms glossary) (faults lessonFaults) {
	there := map[string]bool{"/": true, "/learn": true, "/glossary": true, "/policy": true, "/layers": true, "/tune": true, "/export": true}
	for _, l := range all {
		if there["/learn/"+l.slug] {
			faults = append(faults, fmt.Errorf("two lessons are called %q", l.slug))
		}
		there["/learn/"+l.slug] = true
	}
	for id := range terms {
		there["/glossary#"+id] = true
	}
	for _, l := range all {
		for _, s := range l.screen {
			for _, b := range s.blocks {
				for _, p := range b.proses() {
					for _, link := range p.links {
						if path, _, _ := strings.Cut(link.href, "?"); !there[path] && !strings.HasPrefix(link.href, "https://") {
							faults = append(faults, fmt.Errorf("%s:%d: the link to %q leads nowhere", l.file, link.line, link.href))
						}
					}
				}
			}
		}
	}
	return faults
}
