package web

import (
	"image/color"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/templates"
)

// This file draws a result as one picture: the headline, the verdict and a row a policy, from the same view of the result
// as the page. It has the proportions of a link preview and is read at half its size there, so its letters are large.

const (
	pictureWidth  = 1200.0
	pictureHeight = 630.0
)

// The columns of a row, in the drawing's units.
const (
	left, right = 40.0, pictureWidth - 40
	markAt      = 92.0
	nameLeft    = 120.0
	nameRight   = 392.0
	stripLeft   = 404.0
	stripRight  = 712.0
)

// figureEnds are the ends of the columns of figures, behind that of the strip's scale.
var figureEnds = []float64{748, 852, 944, 1058, right}

// palette are the colours of the style sheet.
type palette struct {
	ground, ink, quiet, line, edge, harm, served, refused, down, downLine, casing color.RGBA
	policies                                                                      [colours]color.RGBA
}

var palettes = map[string]palette{
	"light": {
		ground: rgb(0xfbfbf9), ink: rgb(0x191b1d), quiet: rgb(0x565b61), line: rgb(0xdddfe0), edge: rgb(0x8a9096), harm: rgb(0xa93020),
		served: rgb(0x3d7ea6), refused: rgb(0xd65f4b), down: rgb(0xeceeed), downLine: rgb(0xb9bec1), casing: rgb(0x191b1d),
		policies: [colours]color.RGBA{rgb(0x000000), rgb(0xe69f00), rgb(0x56b4e9), rgb(0x009e73), rgb(0xf0e442), rgb(0x0072b2), rgb(0xd55e00), rgb(0xcc79a7)},
	},
	"dark": {
		ground: rgb(0x15181b), ink: rgb(0xe9ebed), quiet: rgb(0xa8aeb5), line: rgb(0x343a40), edge: rgb(0x7b838b), harm: rgb(0xff9d8a),
		served: rgb(0x63a5d0), refused: rgb(0xe8806c), down: rgb(0x262b30), downLine: rgb(0x4d555c),
		policies: [colours]color.RGBA{rgb(0xf2f2f2), rgb(0xe69f00), rgb(0x56b4e9), rgb(0x009e73), rgb(0xf0e442), rgb(0x2b8fcb), rgb(0xd55e00), rgb(0xcc79a7)},
	},
}

func rgb(hex uint32) color.RGBA {
	return color.RGBA{uint8(hex >> 16), uint8(hex >> 8), uint8(hex), 255}
}

// picture is what a picture says.
type picture struct {
	headline, verdict string
	rows              []templates.Row
	load              templates.LoadAxis
	time              templates.TimeAxis
	footing, link     string
}

func pictureOf(r *sim.Result, st state, link string) picture {
	all, axes, columns := st.standings(r), newStrips(r), columnsOf(r)
	p := picture{
		headline: headline(r.Scenario), verdict: strings.Join(verdict(r.Scenario, all), " "),
		load: axes.loadAxis(), time: axes.timeAxis(), footing: footing(r), link: link,
	}
	for _, s := range all {
		p.rows = append(p.rows, rowOf(columns, s, axes))
	}
	return p
}

// painter draws on a surface in a palette.
type painter struct {
	surface
	palette
}

func (p painter) style(size float64) textStyle { return textStyle{size: size, color: p.ink} }

// label is small and quiet.
func (p painter) label() textStyle { return textStyle{size: 14, color: p.quiet} }

// endAt writes text that ends at x.
func (p painter) endAt(x, y float64, text string, s textStyle) { p.text(x-s.width(text), y, text, s) }

func (p painter) rect(x, y, width, height float64, c color.RGBA) {
	p.fill(vg.Path{
		{Type: vg.MoveComp, Pos: at(x, y)}, {Type: vg.LineComp, Pos: at(x+width, y)}, {Type: vg.LineComp, Pos: at(x+width, y+height)},
		{Type: vg.LineComp, Pos: at(x, y+height)}, {Type: vg.CloseComp},
	}, c)
}

func (p painter) rule(x, y, toX, toY float64, c color.RGBA, dash ...float64) {
	p.stroke(vg.Path{{Type: vg.MoveComp, Pos: at(x, y)}, {Type: vg.LineComp, Pos: at(toX, toY)}}, c, 1, dash...)
}

func at(x, y float64) vg.Point { return vg.Point{X: vg.Length(x), Y: vg.Length(y)} }

// draw draws the whole picture, from top to bottom.
func (p painter) draw(what picture) {
	title := textStyle{size: 34, bold: true, color: p.ink}
	p.text(left, 64, title.fit(what.headline, right-left), title)
	y := p.says(what.verdict, 98) + 18
	p.head(what.rows, y)
	y += 8
	const bottom = 546
	height := min(120, (bottom-y)/float64(max(1, len(what.rows))))
	for _, row := range what.rows {
		p.rule(left, y, right, y, p.line)
		p.row(row, what.load, y, height)
		y += height
	}
	p.timeAxis(what.time, y)
	p.foot(what)
}

// says writes the verdict, smaller where it is long, and returns where the next line would be.
func (p painter) says(verdict string, y float64) float64 {
	const room = 108 // for all of its lines
	for _, size := range []float64{19, 17, 15} {
		style, apart := p.style(size), size*1.36
		most := int(room / apart)
		lines := style.wrap(verdict, right-left, most+1)
		if len(lines) > most && size > 15 {
			continue
		}
		for _, line := range style.wrap(verdict, right-left, most) {
			p.text(left, y, line, style)
			y += apart
		}
		break
	}
	return y
}

func (p painter) head(rows []templates.Row, y float64) {
	p.text(nameLeft, y, "Policy, best first", p.label())
	p.text(stripLeft, y, "Load in the first run", p.label())
	if len(rows) > 0 {
		p.figures(rows[0], y, func(f templates.Figure) (string, textStyle) { return f.Label, p.label() })
	}
}

// row draws one policy between y and y+height: in two lines if there is room, else without what is small.
func (p painter) row(row templates.Row, load templates.LoadAxis, y, height float64) {
	roomy := height >= 37
	base, note := y+height/2+6, y+height/2+15.5
	if roomy {
		base = y + height/2 - 1
	}
	p.text(left, base, row.Rank, p.style(18))
	p.mark(row.Mark, base-6)
	name := textStyle{size: 18, bold: true, color: p.ink}
	p.text(nameLeft, base, name.fit(row.Name, nameRight-nameLeft), name)
	if roomy {
		p.text(nameLeft, note, p.label().fit(row.Details, nameRight-nameLeft), p.label())
	}
	p.strip(row.Strip, load, y+5, height-8)
	p.figures(row, base, func(f templates.Figure) (string, textStyle) {
		value := textStyle{size: 20, bold: f.Bad, color: p.ink}
		if f.Bad {
			value.color = p.harm
		}
		return strings.TrimSpace(f.Value + nbsp + f.Unit), value
	})
	if roomy {
		p.figures(row, note, func(f templates.Figure) (string, textStyle) {
			fine := p.label()
			if f.Bad {
				fine.color = p.harm
			}
			return f.Note, fine
		})
	}
}

// figures writes a text for each of a row's figures at the end of its column.
func (p painter) figures(row templates.Row, y float64, text func(templates.Figure) (string, textStyle)) {
	for i, figure := range row.Figures[:min(len(row.Figures), len(figureEnds)-1)] {
		says, style := text(figure)
		p.endAt(figureEnds[i+1], y, style.fit(says, figureEnds[i+1]-figureEnds[i]-6), style)
	}
}

func (p painter) mark(m templates.Mark, y float64) {
	line := pathOf("M-12 0H12", markAt, y, 1.3, 1.3)
	shape := pathOf(m.Shape, markAt, y, 1.3, 1.3)
	own := p.policies[m.Colour-1]
	if p.casing.A > 0 {
		p.stroke(line, p.casing, 4.5)
	}
	p.stroke(line, own, 3, dashOf(m.Dash)...)
	p.fill(shape, own)
	if p.casing.A > 0 {
		p.stroke(append(shape, vg.PathComp{Type: vg.CloseComp}), p.casing, 1)
	}
}

func dashOf(dash string) []float64 {
	var lengths []float64
	for d := range strings.FieldsSeq(dash) {
		x, _ := strconv.ParseFloat(d, 64) // one of ours
		lengths = append(lengths, x*1.3)
	}
	return lengths
}

// strip draws a load strip, with its scale to the right of it.
func (p painter) strip(s templates.Strip, axis templates.LoadAxis, y, height float64) {
	const width = stripRight - stripLeft
	x := func(place string) float64 { return stripLeft + width*share(place) }
	for _, down := range s.Down {
		p.hatch(x(down.X), y, width*share(down.Width), height)
	}
	path := func(d string) vg.Path { return pathOf(d, stripLeft, y, width/float64(s.Columns), height/100) }
	p.fill(path(s.Refused), p.refused)
	p.fill(path(s.Served), p.served)
	p.stroke(path(s.Arrivals), p.ink, 0.75)
	if axis.Capacity != "" {
		capacity := y + height*share(axis.Capacity)
		p.rule(stripLeft, capacity, stripRight, capacity, p.ink, 3, 3)
	}
	p.rule(stripLeft, y+height, stripRight, y+height, p.edge)
	if s.Cut.Label != "" {
		cut := p.style(14)
		cut.halo = p.ground
		p.text(x(s.Cut.At)+3, y+11, s.Cut.Label, cut)
	}
	for i, tick := range axis.Ticks {
		if i == 0 || height > 28 {
			p.text(stripRight+5, y+height*share(tick.At)+5, tick.Label, p.label())
		}
	}
}

// hatch fills a rectangle as the page does: stripes of two units in every six, falling to the right.
func (p painter) hatch(x, y, width, height float64) {
	p.rect(x, y, width, height, p.down)
	var stripes vg.Path
	const apart = 8.5 // along an edge
	for d := apart / 2; d < width+height; d += apart {
		// A stripe goes from the left or upper edge to the lower or right one, all at the same angle.
		from, to := at(x+max(0, d-height), y+min(d, height)), at(x+min(d, width), y+max(0, d-width))
		stripes.Move(from)
		stripes.Line(to)
	}
	p.stroke(stripes, p.downLine, 2)
}

// share reads a place such as "12.5%".
func share(place string) float64 {
	x, _ := strconv.ParseFloat(strings.TrimSuffix(place, "%"), 64) // one of ours
	return x / 100
}

func (p painter) timeAxis(axis templates.TimeAxis, y float64) {
	p.rule(left, y, right, y, p.line)
	for i, tick := range axis.Ticks {
		x := stripLeft + (stripRight-stripLeft)*share(tick.At)
		p.rule(x, y, x, y+4, p.edge)
		if i > 0 {
			x -= p.label().width(tick.Label) / 2
		}
		p.text(x, y+18, tick.Label, p.label())
	}
	p.text(stripRight+10, y+18, axis.Title, p.label())
}

// foot says what the colours mean, what the figures rest on and where the page is.
func (p painter) foot(what picture) {
	x, small := left, p.label()
	for _, key := range []struct {
		label string
		chip  func(x, y float64)
	}{
		{"served", func(x, y float64) { p.rect(x, y, 12, 12, p.served) }},
		{"refused or timed out", func(x, y float64) { p.rect(x, y, 12, 12, p.refused) }},
		{"arrived", func(x, y float64) { p.rect(x, y+5, 12, 2, p.ink) }},
		{"server down", func(x, y float64) { p.hatch(x, y, 12, 12) }},
	} {
		key.chip(x, 577)
		p.text(x+18, 588, key.label, small)
		x += 18 + small.width(key.label) + 20
	}
	p.text(x, 588, small.fit(what.load.Title, right-x), small)
	brand := textStyle{size: 16, bold: true, color: p.ink}
	link := brand.fit(what.link, 480)
	p.endAt(right, 613, link, brand)
	p.text(left, 613, small.fit(what.footing, right-left-brand.width(link)-24), small)
}
