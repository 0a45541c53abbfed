package web

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/stampede-sim/stampede/sim"
)

// This file writes the rows as a Markdown table for an issue, a design document or a README: the words and figures of the
// page, each with its interval.

// exportMarkdown gives the rows as the page shows them, and a link to it.
func (s *Server) exportMarkdown(w http.ResponseWriter, r *http.Request) {
	s.exportAs(w, r, "table.md", "text/markdown; charset=utf-8", func(result *sim.Result) []byte {
		text := markdownOf(result)
		if origin := s.origin(r); origin != "" {
			text += fmt.Sprintf("\n[Open in Stampede](%s)\n", origin+address(encode(result.Scenario.Query())))
		}
		return []byte(text)
	})
}

// markdownOf is the headline, the verdict, a row a policy and what the figures rest on.
func markdownOf(r *sim.Result) string {
	all, axes, columns := rank(r), newStrips(r), columnsOf(r)
	var b strings.Builder
	said := speak(r.Scenario, all)
	fmt.Fprintf(&b, "**%s.** %s\n", markdown(headline(r.Scenario)), markdown(strings.Join(said.sentences(), " ")))
	if why := said.reasons(); why != "" {
		fmt.Fprintf(&b, "\n*Why:* %s\n", markdown(why))
	}
	for i, s := range all {
		row := rowOf(columns, s, axes)
		if i == 0 {
			b.WriteString("\n| | Policy |")
			for _, f := range row.Figures {
				b.WriteString(" " + f.Label + " |")
			}
			b.WriteString("\n|--:|:--|" + strings.Repeat("--:|", len(row.Figures)) + "\n")
		}
		fmt.Fprintf(&b, "| %s | %s |", row.Rank, markdown(row.Name))
		for _, f := range row.Figures {
			cell := strings.TrimSpace(f.Value + nbsp + f.Unit)
			if f.Interval != "" {
				cell += " (" + f.Interval + ")"
			}
			if f.Bad && f.Note != "" {
				cell += ", " + f.Note
			}
			b.WriteString(" " + cell + " |")
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "\n%s\n", markdown(footing(r)))
	return b.String()
}

// markdown makes sure that text is taken for text: no markup, no markup of HTML and no border of a table.
func markdown(text string) string {
	var b strings.Builder
	for _, c := range text {
		if strings.ContainsRune("\\`*_{}[]<>()#|!&~$", c) {
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	return b.String()
}
