package web

import (
	"bytes"
	"html"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	htmlrenderer "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// This file is the prose of lessons: Markdown with {figures} in it, which are filled in from the run that it stands beside.

// prose is Markdown that has been read.
type prose struct {
	source  []byte
	nodes   []ast.Node
	figures []*figureNode
	links   []proseLink
}

// proseLink is where a link leads, and the line it is on.
type proseLink struct {
	href string
	line int
}

// html renders the prose for a run.
func (p *prose) html(f *facts) (string, error) {
	r := renderer.NewRenderer(renderer.WithNodeRenderers(
		util.Prioritized(htmlrenderer.NewRenderer(), 1000), util.Prioritized(figureRenderer{f}, 500)))
	var b bytes.Buffer
	for _, node := range p.nodes {
		if err := r.Render(&b, p.source, node); err != nil {
			return "", err
		}
	}
	return b.String(), nil
}

// markdownParser reads CommonMark with figures.
var markdownParser = goldmark.New(goldmark.WithParserOptions(
	parser.WithInlineParsers(util.Prioritized(figureParser{}, 50)))).Parser()

// figureNode is a figure in a sentence, such as {crashes of none}.
type figureNode struct {
	ast.BaseInline
	source string
	open   bool // its brace is not closed
	term   term
}

var figureKind = ast.NewNodeKind("Figure")

func (n *figureNode) Kind() ast.NodeKind { return figureKind }

func (n *figureNode) Dump(source []byte, level int) {
	ast.DumpHelper(n, source, level, map[string]string{"Source": n.source}, nil)
}

type figureParser struct{}

func (figureParser) Trigger() []byte { return []byte{'{'} }

func (figureParser) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, _ := block.PeekLine()
	inside, _, closed := strings.Cut(strings.TrimSuffix(string(line[1:]), "\n"), "}")
	block.Advance(1 + len(inside))
	if closed {
		block.Advance(1)
	}
	return &figureNode{source: inside, open: !closed}
}

// figureRenderer writes figures as values of a run.
type figureRenderer struct{ facts *facts }

func (r figureRenderer) RegisterFuncs(to renderer.NodeRendererFuncRegisterer) {
	to.Register(figureKind, func(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			n := node.(*figureNode)
			w.WriteString(`<b class="figure" title="` + html.EscapeString(n.source) + `, from this run">` + html.EscapeString(n.term.text(r.facts)) + `</b>`)
		}
		return ast.WalkContinue, nil
	})
}
