package web

import (
	"fmt"
	"strconv"

	"gonum.org/v1/plot/vg"
)

// This file reads the SVG paths that the page's marks and strips are made of, so that a picture draws the very same
// shapes. It knows what those use and no more: lines, and arcs that are half circles.

// pathOf places a path: its origin comes to (x, y) and it is scaled by (sx, sy). It panics on a path that is none of ours.
func pathOf(d string, x, y, sx, sy float64) vg.Path {
	r := pathReader{text: d}
	point := func(px, py float64) vg.Point { return vg.Point{X: vg.Length(x + px*sx), Y: vg.Length(y + py*sy)} }
	var out vg.Path
	var startX, startY, atX, atY float64
	for r.next() {
		switch r.command {
		case 'M':
			atX, atY = r.number(), r.number()
			startX, startY = atX, atY
			out.Move(point(atX, atY))
			r.command = 'L' // what further pairs are
			continue
		case 'L':
			atX, atY = r.number(), r.number()
		case 'l':
			atX, atY = atX+r.number(), atY+r.number()
		case 'H':
			atX = r.number()
		case 'h':
			atX += r.number()
		case 'V':
			atY = r.number()
		case 'v':
			atY += r.number()
		case 'a':
			radius := r.number()
			for range 4 { // the other radius, which is the same, a rotation without effect on a circle, and two flags
				r.number()
			}
			toX, toY := atX+r.number(), atY+r.number()
			halfCircle(&out, point, atX, atY, toX, toY, radius)
			atX, atY = toX, toY
			continue
		case 'Z':
			atX, atY = startX, startY
			out.Close()
			continue
		default:
			panic(fmt.Sprintf("path %q: no command %q", d, r.command))
		}
		out.Line(point(atX, atY))
	}
	return out
}

// halfCircle adds a level half circle, whose ends are a diameter apart, as two cubic curves.
func halfCircle(p *vg.Path, point func(x, y float64) vg.Point, x, y, toX, toY, radius float64) {
	const k = 0.5523 // of the radius: how far control points lie for a quarter of a circle
	side := 1.0      // towards greater y; our paths go anticlockwise
	if toX < x {
		side = -1
	}
	middle, top := (x+toX)/2, y+side*radius
	p.CubeTo(point(x, y+side*k*radius), point(middle-side*k*radius, top), point(middle, top))
	p.CubeTo(point(middle+side*k*radius, top), point(toX, y+side*k*radius), point(toX, toY))
}

// pathReader takes a path's text apart.
type pathReader struct {
	text    string
	at      int
	command byte
}

// next moves to the next command, or to the next numbers of the present one. It is false at the end.
func (r *pathReader) next() bool {
	r.space()
	if r.at == len(r.text) {
		return false
	}
	if c := r.text[r.at]; 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' {
		r.command = c
		r.at++
	}
	return true
}

func (r *pathReader) space() {
	for r.at < len(r.text) && (r.text[r.at] == ' ' || r.text[r.at] == ',') {
		r.at++
	}
}

// number reads a number: a sign begins another one.
func (r *pathReader) number() float64 {
	r.space()
	from := r.at
	for r.at < len(r.text) {
		c := r.text[r.at]
		if !('0' <= c && c <= '9' || c == '.' || c == '-' && r.at == from) {
			break
		}
		r.at++
	}
	x, err := strconv.ParseFloat(r.text[from:r.at], 64)
	if err != nil {
		panic(fmt.Sprintf("path %q: no number at %d", r.text, from))
	}
	return x
}
