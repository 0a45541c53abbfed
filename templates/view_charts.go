package templates

import (
	"strconv"
	"strings"
)

// Tab leads to some of the large charts.
type Tab struct {
	ID, Label, Href string
	Shown           bool
}

// Clients is the tab of single clients.
type Clients struct {
	Title, Note string
	Count       int // of the clients
	Client      int // whose log it is, from 1
	Rasters     []Raster
	Time        TimeAxis
	Lines       []Tick // numbers of clients
	Key         []RasterMarks
	Logs        []Log // one a raster
	Table       Table // a row a client
}

// Raster is one policy's picture: a line a client, a mark an attempt, in a box Width wide and Height high.
type Raster struct {
	ID, Name      string
	Mark          Mark
	Width, Height int
	Down          []Span
	Marks         []RasterMarks
}

// RasterMarks are all marks of one outcome, as one path; Dot is the diameter of a round one.
type RasterMarks struct{ Outcome, Label, D, Dot string }

// Log lists what one client did under one policy.
type Log struct {
	Mark  Mark
	Table Table
	More  string // what the table leaves out
}

// stops are the places of a slider from 1 to n.
func stops(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strconv.Itoa(i + 1))
		b.WriteByte(' ')
	}
	return strings.TrimSuffix(b.String(), " ")
}

// lineOf is a client's line in a raster, as a percentage.
func lineOf(client, count int) (y, height string) {
	percent := func(x float64) string { return strconv.FormatFloat(100*x/float64(count), 'f', 3, 64) + "%" }
	return percent(float64(client - 1)), percent(1)
}

// ChartKey says what policy a mark stands for.
type ChartKey struct {
	Mark Mark
	Name string
}
