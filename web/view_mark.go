package web

import (
	"fmt"
	"strings"

	"github.com/stampede-sim/stampede/strategies"
	"github.com/stampede-sim/stampede/templates"
)

// This file says how policies are told apart. Each has a mark, a number from 0, that stays its own while it is on the
// page. It gives one of the eight colours of Okabe and Ito (Color Universal Design, 2008), and a shape and a dash with it,
// so that no one depends on colour and a ninth policy still differs from the first.
//
// Marks follow the places in the scenario. Where they do not, because a policy was removed or moved, the address says so:
// marks=acd are those of the first three policies, a for 0. Policies that it does not mention take the first marks
// that are free.

const colours = 8

// shapes are SVG paths around the origin.
var shapes = []string{
	"M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0Z",                // circle
	"M-3.5-3.5h7v7h-7Z",                                 // square
	"M0-4.5 4.3 3.5h-8.6Z",                              // triangle
	"M0-4.8 4.8 0 0 4.8-4.8 0Z",                         // diamond
	"M0 4.5 4.3-3.5h-8.6Z",                              // triangle, pointing down
	"M-1.5-4.5h3v3h3v3h-3v3h-3v-3h-3v-3h3Z",             // plus
	"M-4.5-2.5h9v5h-9Z",                                 // bar
	"M-2.2-4.5h4.4L4.8 0 2.2 4.5h-4.4L-4.8 0Z",          // hexagon
	"M-2.5-4.5h5v9h-5Z",                                 // upright bar
	"M0-5 1.4-1.4 5 0 1.4 1.4 0 5-1.4 1.4-5 0-1.4-1.4Z", // star
	"M-4.3-4.3 4.3 0-4.3 4.3Z",                          // triangle, pointing right
}

// dashes are the line styles, as SVG and as ECharts name them.
var dashes = []struct{ svg, chart string }{{"", "solid"}, {"6 3", "dashed"}, {"2 2.5", "dotted"}}

// dash is a mark's line style: neighbours differ, and so does the ninth from the first.
func dash(mark int) int { return (mark + mark/colours) % len(dashes) }

// colour is the CSS variable of a mark's colour.
func colour(mark int) string { return fmt.Sprintf("var(--policy-%d)", mark%colours+1) }

func markOf(mark int) templates.Mark {
	return templates.Mark{Colour: mark%colours + 1, Shape: shapes[mark%len(shapes)], Dash: dashes[dash(mark)].svg}
}

// marks are those of policies, by id.
type marks map[string]int

// markPolicies gives every policy a mark: that of before, or else the first that is free.
func markPolicies(before marks, policies []strategies.Policy) marks {
	given, taken := marks{}, map[int]bool{}
	for _, p := range policies {
		if mark, ok := before[p.ID]; ok && !taken[mark] {
			given[p.ID], taken[mark] = mark, true
		}
	}
	free := 0
	for _, p := range policies {
		if _, ok := given[p.ID]; ok {
			continue
		}
		for taken[free] {
			free++
		}
		given[p.ID], taken[free] = free, true
	}
	return given
}

// text is what an address says of the policies' marks: no more than it must, "" where they follow the places.
func (m marks) text(policies []strategies.Policy) string {
	said := marks{}
	var letters []byte
	for m != nil {
		guessed, missed := markPolicies(said, policies), -1
		for i, p := range policies {
			if guessed[p.ID] != m[p.ID] {
				missed = i
			}
		}
		if missed < 0 {
			return string(letters)
		}
		p := policies[len(letters)]
		said[p.ID] = m[p.ID]
		letters = append(letters, 'a'+byte(m[p.ID]))
	}
	return ""
}

// parseMarks is the inverse of text. It says what is wrong with one.
func parseMarks(text string, policies []strategies.Policy) (m marks, problem string) {
	m = marks{}
	for i, letter := range text {
		if i >= len(policies) || letter < 'a' || letter >= 'a'+maxRows || strings.ContainsRune(text[:i], letter) {
			return nil, fmt.Sprintf("marks must be a letter from a to %c for each policy, none of them twice, not %.40q", 'a'+maxRows-1, text)
		}
		m[policies[i].ID] = int(letter - 'a')
	}
	return m, ""
}
