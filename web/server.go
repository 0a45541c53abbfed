// Package web is Stampede's web application: the compare page and the HTTP API, over the simulations of package sim.
package web

import (
	"context"
	"log/slog"
	"net/http"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/static"
)

// Config says what a server allows.
type Config struct {
	// MaxEvents is the most events (attempts and service completions) that one scenario may cost; 0: no limit.
	MaxEvents int64
	// MaxConcurrent is how many simulations run at once; 0: as many as there are cores.
	MaxConcurrent int
	// BaseURL is the origin that links and pictures name, such as "https://stampede.example.org"; empty: that of each
	// request. CheckBaseURL says whether it is one.
	BaseURL string
	// Version names the program. Results of another version are not taken from a client's cache.
	Version string
	// Log takes one record a request; nil: slog.Default().
	Log *slog.Logger
}

// DefaultMaxEvents is a limit for a server that others use: some seconds of one core's work, more where clients are in
// the millions.
const DefaultMaxEvents = 100_000_000

// cacheBytes is about how much memory finished results may take.
const cacheBytes = 64 << 20

// slotWait is how long a simulation waits for a slot before its client is told to come back.
const slotWait = 500 * time.Millisecond

// Server serves the page and the API. It is an http.Handler; create it with New.
type Server struct {
	*simulator
	http.Handler

	album    *album
	room     room
	baseURL  string
	log      *slog.Logger
	version  string
	draining atomic.Bool
}

// New returns a server.
func New(c Config) *Server {
	if c.MaxConcurrent <= 0 {
		c.MaxConcurrent = runtime.GOMAXPROCS(0)
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	s := &Server{
		simulator: &simulator{
			run: func(ctx context.Context, r sim.Runner, sc *sim.Scenario, p sim.Progress) (*sim.Result, error) {
				return r.Run(ctx, sc, p)
			},
			maxEvents: c.MaxEvents,
			slots:     make(chan struct{}, c.MaxConcurrent),
			slotWait:  slotWait,
			cache:     newCache(cacheBytes, sizeOf),
			flights:   map[key]*flight{},
			sweeps:    newCache(sweepBytes, sizeOfSweep),
			tunes:     newCache(tuneBytes, func(*sim.TuneResult) int64 { return sizeOfTune }),
		},
		album:   newAlbum(),
		baseURL: c.BaseURL,
		log:     c.Log,
		version: c.Version,
	}
	s.room.left.Store(answerRoom)
	s.Handler = s.routes()
	return s
}

// Drain makes /readyz answer 503 from now on, so that no new traffic is sent here.
func (s *Server) Drain() { s.draining.Store(true) }

func (s *Server) routes() *chi.Mux {
	r := chi.NewRouter()
	r.Use(s.logRequests, s.recoverPanics, secure, limitBody, middleware.GetHead)
	r.NotFound(s.notFound)
	r.MethodNotAllowed(s.methodNotAllowed)

	r.Get("/", s.compare)
	r.Get("/embed", s.embed)
	r.Get(embedStagePath, s.embedStage)
	r.Post("/", s.compare)
	r.Get("/what-if", s.whatIf)
	r.Get("/export", s.exporting)
	r.Get("/policy", s.policyPage)
	r.Get("/learn", s.learn)
	r.Get("/learn/{lesson}", s.lessonPage)
	r.Get("/glossary", s.glossaryPage)
	r.Get("/tune", s.tunePage)
	r.Get("/layers", s.layersPage)
	r.Get("/league", s.league)
	r.Post("/league", s.league)
	r.Get("/league.png", s.leaguePicture)
	r.Get("/published", s.publishedPage)
	r.Get("/chart.png", s.pictureAs("image/png", drawPNG))
	r.Get("/chart.svg", s.pictureAs("image/svg+xml", drawSVG))
	r.Get("/healthz", s.healthy)
	r.Get("/readyz", s.ready)
	r.Get("/favicon.ico", favicon)
	r.Method(http.MethodGet, static.Prefix+"*", static.Handler())
	r.Route(apiPrefix, s.api)
	return r
}

func (s *Server) healthy(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	send(w, r, http.StatusOK, "text/plain; charset=utf-8", []byte("ok\n"))
}

func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	if s.draining.Load() {
		s.fail(w, r, ErrShutdown)
		return
	}
	s.healthy(w, r)
}

func favicon(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "public, max-age=86400")
	http.Redirect(w, r, static.URL("favicon.svg"), http.StatusFound)
}
