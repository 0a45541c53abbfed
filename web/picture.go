package web

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/stampede-sim/stampede/strategies/spec"
)

// This file answers /chart.png and /chart.svg: the rows of a compare page as a picture, for link previews, README files
// and slides. The query is that of the page; "width" and "theme" say how the picture is to look.

// The widths that a picture may have, in pixels.
const (
	leastWidth = 320
	mostWidth  = 2400
)

// pictureBytes is about how much memory finished pictures may take.
const pictureBytes = 16 << 20

// album holds the pictures drawn last.
type album struct {
	mu    sync.Mutex
	cache cache[[]byte]
}

func newAlbum() *album {
	return &album{cache: newCache(pictureBytes, func(picture []byte) int64 { return int64(len(picture)) })}
}

func (a *album) get(k key) []byte {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.cache.get(k)
}

func (a *album) add(k key, picture []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.cache.add(k, picture)
}

// pictureOrder is what a picture is asked to be.
type pictureOrder struct {
	state
	width  int
	theme  string
	origin string // of the link in it
}

// takePictureOrder reads a request for a picture.
func (s *Server) takePictureOrder(r *http.Request) (pictureOrder, error) {
	query, err := queryOf(r)
	if err != nil {
		return pictureOrder{}, err
	}
	width, widthErr := takeInt(query, "width", int(pictureWidth), leastWidth, mostWidth)
	theme, themeErr := takeChoice(query, "theme", "light", "dark")
	st, err := parseState(query)
	return pictureOrder{st, width, theme, s.origin(r)}, allFaults(err, widthErr, themeErr)
}

// takeChoice removes one of some words from a query; the first is meant where there is none.
func takeChoice(query url.Values, name string, words ...string) (string, error) {
	if !query.Has(name) {
		return words[0], nil
	}
	word := query.Get(name)
	query.Del(name)
	if !slices.Contains(words, word) {
		return words[0], spec.Faults{{Pointer: "?" + name, Detail: fmt.Sprintf("%s must be %s, not %.40q", name, strings.Join(words, " or "), word)}}
	}
	return word, nil
}

// pictureAs answers with pictures of one kind.
func (s *Server) pictureAs(contentType string, draw func(pictureOrder, picture) ([]byte, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		order, err := s.takePictureOrder(r)
		if err != nil {
			s.fail(w, r, err)
			return
		}
		k, err := keyOf(order.scenario, options{})
		if err != nil {
			s.fail(w, r, err)
			return
		}
		k = sha256.Sum256(fmt.Appendf(k[:], "%s %d %s %s %s", contentType, order.width, order.theme, order.origin, order.rowsAddress()))
		w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin") // other people's pages may show it
		if s.held(w, r, k) {
			return
		}
		body := s.album.get(k)
		if body == nil {
			if body, err = s.paint(r, order, draw); err != nil {
				s.fail(w, r, err)
				return
			}
			s.album.add(k, body)
		}
		send(w, r, http.StatusOK, contentType, body)
	}
}

// paint runs the scenario and draws the result. Drawing takes a slot, as a run does.
func (s *Server) paint(r *http.Request, order pictureOrder, draw func(pictureOrder, picture) ([]byte, error)) ([]byte, error) {
	result, err := s.simulate(r.Context(), order.scenario, options{})
	if err != nil {
		return nil, err
	}
	release, err := s.acquire(r.Context())
	if err != nil {
		return nil, err
	}
	defer release()
	return draw(order, pictureOf(result, order.state, order.linkIn()))
}

func drawPNG(order pictureOrder, what picture) ([]byte, error) {
	colours := palettes[order.theme]
	image := newImageSurface(pictureWidth, pictureHeight, float64(order.width)/pictureWidth, colours.ground)
	painter{image, colours}.draw(what)
	return image.png()
}

func drawSVG(order pictureOrder, what picture) ([]byte, error) {
	colours := palettes[order.theme]
	svg := newSVGSurface(order.width, [2]float64{pictureWidth, pictureHeight}, colours.ground, what.headline, what.verdict)
	painter{svg, colours}.draw(what)
	return svg.svg(), nil
}

// linkIn is what a picture names as its source: the address if it is short, else where the page is.
func (o pictureOrder) linkIn() string {
	_, host, ok := strings.Cut(o.origin, "://")
	switch {
	case !ok:
		return "Stampede"
	case len(o.rowsAddress()) <= 48:
		return host + strings.TrimSuffix(o.rowsAddress(), "/")
	}
	return host
}
