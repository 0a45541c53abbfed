package web

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/sim/simtest"
)

// pictured asks for a picture and fails the test if there is none.
func pictured(t *testing.T, s *Server, target string) []byte {
	t.Helper()
	res := ask(s, "GET", target, "")
	body := bodyOf(t, res)
	if res.StatusCode != http.StatusOK {
		t.Fatalf("%s: status %d: %s", target, res.StatusCode, body)
	}
	return body
}

func TestPictureIsAnImage(t *testing.T) {
	simtest.PlainRunOnly(t)
	s := quick()
	for query, want := range map[string]struct {
		width, height int
		theme         string
	}{
		"": {1200, 630, "light"}, "?width=320": {320, 168, "light"}, "?width=2400&theme=dark": {2400, 1260, "dark"},
	} {
		picture, err := png.Decode(bytes.NewReader(pictured(t, s, "/chart.png"+query)))
		must(t, err)
		if size := picture.Bounds().Size(); size != image.Pt(want.width, want.height) {
			t.Errorf("%s: %v, want %d × %d", query, size, want.width, want.height)
		}
		own := palettes[want.theme]
		if got := color.RGBAModel.Convert(picture.At(1, 1)); got != own.ground {
			t.Errorf("%s: the ground is %v, want %v", query, got, own.ground)
		}
		seen := map[color.Color]int{}
		for x := range want.width {
			for y := range want.height {
				seen[color.RGBAModel.Convert(picture.At(x, y))]++
			}
		}
		for what, c := range map[string]color.RGBA{"served": own.served, "refused": own.refused, "down": own.down, "ink": own.ink} {
			if seen[c] < 2 {
				t.Errorf("%s: %d pixels have the colour of what is %s", query, seen[c], what)
			}
		}
	}
}

// The SVG may be opened under the server's own policy: nothing in it is inline style or script.
func TestPictureAsSVG(t *testing.T) {
	const name = `<script>alert("x")</script> & co`
	query := "?clients.count=50&theme=dark&width=600&p=constant,base=1s,id=a,name=" + url.QueryEscape(name) + "&p=exponential,base=100ms,id=b"
	svg := pictured(t, quick(), "/chart.svg"+query)
	decoder := xml.NewDecoder(bytes.NewReader(svg))
	var texts []string
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			break
		}
		must(t, err)
		switch e := token.(type) {
		case xml.CharData:
			texts = append(texts, string(e))
		case xml.StartElement:
			if !slices.Contains([]string{"svg", "title", "desc", "rect", "path", "text"}, e.Name.Local) {
				t.Errorf("there is an element %s", e.Name.Local)
			}
			for _, a := range e.Attr {
				if a.Name.Local == "style" || strings.HasPrefix(a.Name.Local, "on") || strings.Contains(a.Name.Local, "href") {
					t.Errorf("%s has %s=%q", e.Name.Local, a.Name.Local, a.Value)
				}
			}
		}
	}
	for _, want := range []string{"50\u00a0clients lose a server for 10\u00a0s", name, "example.com"} {
		if !slices.Contains(texts, want) {
			t.Errorf("it does not say %q but %q", want, texts)
		}
	}
	if head := string(svg[:400]); !strings.Contains(head, `width="600" height="315" viewBox="0 0 1200 630"`) || !strings.Contains(head, `role="img"`) {
		t.Errorf("it begins %s", head)
	}
}

// A picture shows the figures of the page.
func TestPictureShowsThePagesFigures(t *testing.T) {
	r := simulated(t, "?replications=3&clients.count=1500")
	drawn := drawnOn(t, pictureOf(r, stateFor(r), "example.org"))
	if strings.Contains(drawn.all(), "…") {
		t.Errorf("something is cut: %s", drawn.all())
	}
	view := results(r, stateFor(r))
	for _, sentence := range view.Verdict {
		if !strings.Contains(drawn.all(), sentence) {
			t.Errorf("it does not say %q", sentence)
		}
	}
	for _, row := range view.Rows {
		for _, want := range []string{row.Name, row.Rank, row.Figures[0].Value + nbsp + "%", row.Figures[1].Value, row.Figures[3].Value} {
			if !slices.Contains(drawn.texts, want) {
				t.Errorf("%s: it does not show %q", row.Name, want)
			}
		}
	}
}

func simulated(t *testing.T, query string) *sim.Result {
	t.Helper()
	values, err := url.ParseQuery(strings.TrimPrefix(query, "?"))
	must(t, err)
	sc, err := sim.ParseQuery(values)
	must(t, err)
	r, err := sim.Runner{}.Run(t.Context(), sc, nil)
	must(t, err)
	return r
}

// stateFor is the state that shows a result and nothing else.
func stateFor(r *sim.Result) state {
	return state{scenario: r.Scenario, marks: markPolicies(nil, r.Scenario.Policies)}
}

// drawing is a surface that keeps what is drawn.
type drawing struct {
	t     *testing.T
	texts []string
	boxes []area
}

type area struct{ left, top, right, bottom float64 }

func drawnOn(t *testing.T, p picture) *drawing {
	d := &drawing{t: t}
	painter{d, palettes["light"]}.draw(p)
	return d
}

func (d *drawing) all() string { return strings.Join(d.texts, " ") }

func (d *drawing) fill(p vg.Path, _ color.RGBA) { d.inside(p) }

func (d *drawing) stroke(p vg.Path, _ color.RGBA, _ float64, _ ...float64) { d.inside(p) }

func (d *drawing) inside(p vg.Path) {
	for _, c := range p {
		x, y := float64(c.Pos.X), float64(c.Pos.Y)
		if c.Type != vg.CloseComp && !(x >= 0 && x <= pictureWidth && y >= 0 && y <= pictureHeight) {
			d.t.Errorf("a path leaves the picture at (%v, %v)", x, y)
			return
		}
	}
}

func (d *drawing) text(x, y float64, text string, s textStyle) {
	if text == "" {
		return
	}
	b := area{x, y - s.size*0.7, x + s.width(text), y + s.size*0.1}
	if b.left < 0 || b.top < 0 || b.right > pictureWidth || b.bottom > pictureHeight {
		d.t.Errorf("%q leaves the picture: %v", text, b)
	}
	for i, other := range d.boxes {
		if b.left < other.right && other.left < b.right && b.top < other.bottom && other.top < b.bottom {
			d.t.Errorf("%q lies over %q", text, d.texts[i])
		}
	}
	d.texts, d.boxes = append(d.texts, text), append(d.boxes, b)
}

// Whatever there is to say, no text leaves the picture or lies over another.
func TestPictureHasRoomForAll(t *testing.T) {
	simtest.PlainRunOnly(t)
	long := url.QueryEscape("Ein sehr langer Name den niemand sich merken kann w" + strings.Repeat("e", 30) + "il")
	var twelve strings.Builder
	for i := range maxRows {
		fmt.Fprintf(&twelve, "&p=exponential,base=%dms,cap=10s,jitter=full,maxAttempts=900,deadline=100s,id=p%d,name=%d+%s", 100+i, i, i, long)
	}
	for _, query := range []string{
		"replications=3",
		"replications=3&clients.count=1000000&clients.workload.spread=10s&horizon=30s&p=constant,base=10s,jitter=full",
		"replications=1&clients.count=1&p=constant,base=1s",
		"replications=2" + twelve.String(),
		"replications=2&server.outages=&server.crash=&clients.workload.kind=open&clients.workload.rate=160",
		"replications=2&horizon=10s&server.outages.0.end=9.5s&server.outages.0.start=9s",
		"replications=2&server.kind=occ&clients.count=20",
	} {
		r := simulated(t, query)
		drawnOn(t, pictureOf(r, stateFor(r), strings.Repeat("very-long-name.", 15)+"example.org:65535"))
	}
}

func TestPictureOrdersAreChecked(t *testing.T) {
	s := quick()
	for query, want := range map[string]string{
		"width=319": "?width", "width=2401": "?width", "width=1e3": "?width", "width=": "?width", "theme=pink": "?theme", "theme=": "?theme",
		"width=1&theme=x&clients.count=0": "/clients/count ?width ?theme", "nosuch=1": "/nosuch",
	} {
		for _, path := range []string{"/chart.png?", "/chart.svg?"} {
			if p := wantProblem(t, ask(s, "GET", path+query, ""), 422); pointers(p) != want {
				t.Errorf("%s%s: faults at %q, want %q", path, query, pointers(p), want)
			}
		}
	}
	wantProblem(t, ask(s, "GET", "/chart.png?a=%zz", ""), 400)
	s.maxEvents = 10
	wantProblem(t, ask(s, "GET", "/chart.png?seed=5", ""), 422)
}

// Every size, theme, host and kind is another picture, drawn once; a client that has it is not sent it again.
func TestPicturesAreKept(t *testing.T) {
	simtest.PlainRunOnly(t)
	s := quick()
	tags := map[string]string{}
	for _, target := range []string{"/chart.png", "/chart.svg", "/chart.png?width=600", "/chart.png?theme=dark", "/chart.png?seed=2", "/chart.png?marks=b", "http://example.org/chart.png"} {
		res := ask(s, "GET", target, "")
		if got := res.Header.Get("Cross-Origin-Resource-Policy"); res.StatusCode != http.StatusOK || got != "cross-origin" {
			t.Fatalf("%s: status %d, Cross-Origin-Resource-Policy %q", target, res.StatusCode, got)
		}
		tag := res.Header.Get("ETag")
		if other, ok := tags[tag]; ok || tag == "" {
			t.Errorf("%s has the ETag %q, as has %s", target, tag, other)
		}
		tags[tag] = target
	}
	s.run = func(context.Context, sim.Runner, *sim.Scenario, sim.Progress) (*sim.Result, error) {
		t.Error("a run for a picture that has been drawn")
		return nil, errBusy
	}
	s.cache = newCache(0, sizeOf)
	for range cap(s.slots) { // and none is drawn
		s.slots <- struct{}{}
	}
	for tag, target := range tags {
		pictured(t, s, target)
		if res := ask(s, "GET", target, "", "If-None-Match", tag); res.StatusCode != http.StatusNotModified {
			t.Errorf("%s: status %d for a client that has it, want 304", target, res.StatusCode)
		}
	}
	wantProblem(t, ask(s, "GET", "/chart.png?width=700", ""), 503)
}

// The picture's colours are those of the style sheet.
func TestPalettesAreTheStyleSheets(t *testing.T) {
	css, err := os.ReadFile("../static/app.css")
	must(t, err)
	light, rest, _ := strings.Cut(string(css), "@media (prefers-color-scheme: dark)")
	dark, _, _ := strings.Cut(rest, "\n}\n")
	variable := regexp.MustCompile(`--([\w-]+): #([0-9a-f]{6});`)
	sheet := map[string]map[string]string{"light": {}, "dark": {}}
	for _, theme := range []string{"light", "dark"} {
		for _, m := range variable.FindAllStringSubmatch(light, -1) {
			sheet[theme][m[1]] = "#" + m[2]
		}
	}
	for _, m := range variable.FindAllStringSubmatch(dark, -1) {
		sheet["dark"][m[1]] = "#" + m[2]
	}
	for theme, p := range palettes {
		for name, c := range map[string]color.RGBA{
			"ground": p.ground, "ink": p.ink, "ink-2": p.quiet, "line": p.line, "edge": p.edge, "harm": p.harm,
			"served": p.served, "refused": p.refused, "down": p.down, "down-line": p.downLine,
		} {
			if want := sheet[theme][name]; hex(c) != want {
				t.Errorf("%s: --%s is %s in the style sheet and %s in pictures", theme, name, want, hex(c))
			}
		}
		for i, c := range p.policies {
			if want := sheet[theme][fmt.Sprintf("policy-%d", i+1)]; hex(c) != want {
				t.Errorf("%s: policy %d is %s in the style sheet and %s in pictures", theme, i+1, want, hex(c))
			}
		}
	}
}

func TestPathsAreRead(t *testing.T) {
	got := pathText(pathOf("M0 100h2V50h1V100H0Z", 10, 20, 2, 0.1))
	if want := "M10 30L14 30L14 25L16 25L16 30L10 30Z"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for _, shape := range shapes {
		for _, c := range pathOf(shape, 0, 0, 1, 1) {
			if r := math.Hypot(float64(c.Pos.X), float64(c.Pos.Y)); r > 6.5 {
				t.Errorf("%s has a point %v from its centre", shape, r)
			}
		}
	}
	circle := pathOf(shapes[0], 0, 0, 1, 1)
	quarters := 0
	for _, c := range circle {
		if c.Type == vg.CurveComp {
			quarters++
			if r := math.Hypot(float64(c.Pos.X), float64(c.Pos.Y)); math.Abs(r-4) > 1e-9 {
				t.Errorf("the circle has a point %v from its centre, want 4", r)
			}
		}
	}
	if quarters != 4 {
		t.Errorf("the circle has %d quarters", quarters)
	}
}

func TestTextIsWrappedAndCut(t *testing.T) {
	s := textStyle{size: 20}
	lines := s.wrap("one two three four five six", s.width("three four"), 3)
	if got := strings.Join(lines, "|"); got != "one two|three four|five six" {
		t.Errorf("wrapped to %s", got)
	}
	lines = s.wrap("one two three four five six", s.width("three four"), 2)
	if got := strings.Join(lines, "|"); got != "one two|three fo…" && got != "one two|three f…" {
		t.Errorf("wrapped to two lines: %s", got)
	}
	if got := s.fit("W", 1); got != "…" {
		t.Errorf("nothing fits: %s", got)
	}
}

func BenchmarkPicture(b *testing.B) {
	r, err := sim.Runner{}.Run(b.Context(), sim.Default(), nil)
	must(b, err)
	what, order := pictureOf(r, stateFor(r), "example.org"), pictureOrder{width: 1200, theme: "light"}
	for name, draw := range map[string]func(pictureOrder, picture) ([]byte, error){"png": drawPNG, "svg": drawSVG} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				body, err := draw(order, what)
				must(b, err)
				b.ReportMetric(float64(len(body)), "bytes")
			}
		})
	}
}
