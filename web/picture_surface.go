package web

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"strconv"
	"strings"
	"sync"

	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"golang.org/x/image/font/opentype"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
)

// This file is what pictures are drawn on: an image or an SVG document, with the same origin (the upper left corner), unit
// and fonts. The SVG has neither styles nor scripts nor embedded fonts, so that it may be opened under the strictest
// policy; its texts name fonts of the same widths and state how wide they are.

// surface takes shapes and text.
type surface interface {
	fill(vg.Path, color.RGBA)
	stroke(p vg.Path, c color.RGBA, width float64, dash ...float64)
	text(x, y float64, text string, s textStyle) // y is that of the base line
}

// textStyle is how text looks. There is no need for more than two weights.
type textStyle struct {
	size  float64
	bold  bool
	color color.RGBA
	halo  color.RGBA // around the letters; none if transparent
}

// fonts are parsed once; they are part of the program.
var fonts = sync.OnceValue(func() map[bool]*opentype.Font {
	parsed := map[bool]*opentype.Font{}
	for bold, ttf := range map[bool][]byte{false: liberationsansregular.TTF, true: liberationsansbold.TTF} {
		f, err := opentype.Parse(ttf)
		if err != nil {
			panic(err)
		}
		parsed[bold] = f
	}
	return parsed
})

func (s textStyle) face(scale float64) font.Face {
	return font.Face{Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Length(s.size * scale)}, Face: fonts()[s.bold]}
}

// width is how wide text is.
func (s textStyle) width(text string) float64 {
	f := s.face(1)
	return float64(f.Width(drawable(text)))
}

// fit cuts text to a width, with an ellipsis.
func (s textStyle) fit(text string, width float64) string {
	if s.width(text) <= width {
		return text
	}
	letters := []rune(text)
	for n := len(letters) - 1; n > 0; n-- {
		if cut := strings.TrimRight(string(letters[:n]), " ,.·") + "…"; s.width(cut) <= width {
			return cut
		}
	}
	return "…"
}

// wrap breaks text into at most so many lines of a width; the last one is cut if there is more.
func (s textStyle) wrap(text string, width float64, most int) []string {
	var lines []string
	words := strings.Split(text, " ") // not at spaces that do not break
	for len(words) > 0 {
		n := 1
		for n < len(words) && s.width(strings.Join(words[:n+1], " ")) <= width {
			n++
		}
		if len(lines) == most-1 {
			n = len(words)
		}
		lines = append(lines, s.fit(strings.Join(words[:n], " "), width))
		words = words[n:]
	}
	return lines
}

// drawable replaces the one space that the fonts have no glyph for.
func drawable(text string) string { return strings.ReplaceAll(text, thinSpace, nbsp) }

// imageSurface is an image, scale times as large as the drawing.
type imageSurface struct {
	*vgimg.Canvas
	scale, height float64
}

func newImageSurface(width, height, scale float64, ground color.Color) *imageSurface {
	// At 72 dots per inch a point is a pixel.
	c := vgimg.NewWith(vgimg.UseWH(vg.Length(width*scale), vg.Length(height*scale)), vgimg.UseDPI(72), vgimg.UseBackgroundColor(ground))
	return &imageSurface{c, scale, height}
}

func (s *imageSurface) fill(p vg.Path, c color.RGBA) {
	s.SetColor(c)
	s.upright(func() { s.Fill(p) })
}

func (s *imageSurface) stroke(p vg.Path, c color.RGBA, width float64, dash ...float64) {
	s.SetColor(c)
	s.SetLineWidth(vg.Length(width * s.scale))
	lengths := make([]vg.Length, len(dash))
	for i, d := range dash {
		lengths[i] = vg.Length(d * s.scale)
	}
	s.SetLineDash(lengths, 0)
	s.upright(func() { s.Stroke(p) })
}

// upright draws with the origin in the upper left corner; vg has it in the lower left one.
func (s *imageSurface) upright(draw func()) {
	s.Push()
	s.Translate(vg.Point{Y: vg.Length(s.height * s.scale)})
	s.Scale(s.scale, -s.scale)
	draw()
	s.Pop()
}

func (s *imageSurface) text(x, y float64, text string, style textStyle) {
	write := func(dx, dy float64, c color.RGBA) {
		s.SetColor(c)
		s.FillString(style.face(s.scale), vg.Point{X: vg.Length((x + dx) * s.scale), Y: vg.Length((s.height - y + dy) * s.scale)}, drawable(text))
	}
	if style.halo.A > 0 {
		for _, d := range [][2]float64{{1.5, 0}, {1, 1}, {0, 1.5}, {-1, 1}, {-1.5, 0}, {-1, -1}, {0, -1.5}, {1, -1}} {
			write(d[0], d[1], style.halo)
		}
	}
	write(0, 0, style.color)
}

func (s *imageSurface) png() ([]byte, error) {
	var b bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed, BufferPool: &pngBuffers}
	err := encoder.Encode(&b, s.Image().(*image.RGBA))
	return b.Bytes(), err
}

// pngBuffers keeps encoders: one holds about a megabyte.
var pngBuffers pngPool

type pngPool struct{ sync.Pool }

func (p *pngPool) Get() *png.EncoderBuffer {
	b, _ := p.Pool.Get().(*png.EncoderBuffer)
	return b
}

func (p *pngPool) Put(b *png.EncoderBuffer) { p.Pool.Put(b) }

// svgSurface is an SVG document.
type svgSurface struct{ b bytes.Buffer }

// newSVGSurface begins a document that is shown width pixels wide; title and description are for those who do not see it.
func newSVGSurface(width int, box [2]float64, ground color.RGBA, title, description string) *svgSurface {
	s := &svgSurface{}
	fmt.Fprintf(&s.b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%s" viewBox="0 0 %s %s" role="img" aria-labelledby="title description" font-family="'Liberation Sans', Arimo, Arial, Helvetica, sans-serif">`,
		width, coordinate(float64(width)*box[1]/box[0]), coordinate(box[0]), coordinate(box[1]))
	fmt.Fprintf(&s.b, "\n<title id=\"title\">%s</title>\n<desc id=\"description\">%s</desc>\n", escaped(title), escaped(description))
	fmt.Fprintf(&s.b, "<rect width=\"100%%\" height=\"100%%\" fill=\"%s\"/>\n", hex(ground))
	return s
}

func (s *svgSurface) fill(p vg.Path, c color.RGBA) {
	fmt.Fprintf(&s.b, "<path fill=\"%s\" d=\"%s\"/>\n", hex(c), pathText(p))
}

func (s *svgSurface) stroke(p vg.Path, c color.RGBA, width float64, dash ...float64) {
	fmt.Fprintf(&s.b, `<path fill="none" stroke="%s" stroke-width="%s"`, hex(c), coordinate(width))
	if len(dash) > 0 {
		lengths := make([]string, len(dash))
		for i, d := range dash {
			lengths[i] = coordinate(d)
		}
		fmt.Fprintf(&s.b, ` stroke-dasharray="%s"`, strings.Join(lengths, " "))
	}
	fmt.Fprintf(&s.b, " d=\"%s\"/>\n", pathText(p))
}

func (s *svgSurface) text(x, y float64, text string, style textStyle) {
	weight := ""
	if style.bold {
		weight = ` font-weight="bold"`
	}
	if style.halo.A > 0 {
		weight += fmt.Sprintf(` stroke="%s" stroke-width="3" paint-order="stroke"`, hex(style.halo))
	}
	fmt.Fprintf(&s.b, "<text x=\"%s\" y=\"%s\" font-size=\"%s\"%s fill=\"%s\" textLength=\"%s\" lengthAdjust=\"spacingAndGlyphs\">%s</text>\n",
		coordinate(x), coordinate(y), coordinate(style.size), weight, hex(style.color), coordinate(style.width(text)), escaped(text))
}

func (s *svgSurface) svg() []byte {
	s.b.WriteString("</svg>\n")
	return s.b.Bytes()
}

// pathText writes a path of moves, lines and cubic curves as SVG has it.
func pathText(p vg.Path) string {
	var b strings.Builder
	point := func(command string, points ...vg.Point) {
		b.WriteString(command)
		for i, at := range points {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(coordinate(float64(at.X)) + " " + coordinate(float64(at.Y)))
		}
	}
	for _, c := range p {
		switch c.Type {
		case vg.MoveComp:
			point("M", c.Pos)
		case vg.LineComp:
			point("L", c.Pos)
		case vg.CurveComp:
			point("C", append(c.Control, c.Pos)...)
		case vg.CloseComp:
			point("Z")
		}
	}
	return b.String()
}

// coordinate writes a number with at most one decimal.
func coordinate(x float64) string {
	return strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(x, 'f', 1, 64), "0"), ".")
}

func hex(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

func escaped(text string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(text)) // a write to a builder cannot fail
	return b.String()
}
