package web

import (
	"fmt"

	"github.com/stampede-sim/stampede/templates"
)

// This file says how policies are told apart. Each takes the next of the eight colours of Okabe and Ito (Color Universal
// Design, 2008) by its place in the scenario, and a shape and a dash with it, so that no one depends on colour and
// a ninth policy still differs from the first.

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

// dash is a place's line style: neighbours differ, and so does the ninth from the first.
func dash(position int) int { return (position + position/colours) % len(dashes) }

// colour is the CSS variable of a place's colour.
func colour(position int) string { return fmt.Sprintf("var(--policy-%d)", position%colours+1) }

func markOf(position int) templates.Mark {
	return templates.Mark{Colour: position%colours + 1, Shape: shapes[position%len(shapes)], Dash: dashes[dash(position)].svg}
}
