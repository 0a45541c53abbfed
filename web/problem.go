package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/a-h/templ"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/static"
	"github.com/stampede-sim/stampede/strategies/export"
	"github.com/stampede-sim/stampede/strategies/spec"
	"github.com/stampede-sim/stampede/templates"
)

// problem is an error as a client sees it: an RFC 9457 problem detail, with our own members after Detail.
type problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail,omitempty"`

	Errors   []spec.Fault `json:"errors,omitempty"`   // every fault of a document
	Estimate int64        `json:"estimate,omitempty"` // events that a scenario would cost
	Stopped  bool         `json:"stopped,omitempty"`  // the estimate is what it had cost when it was stopped
	Limit    int64        `json:"limit,omitempty"`    // events that one may cost
}

var (
	errNotFound = errors.New("there is nothing at this address")
	errMethod   = errors.New("this address does not take that method")
	errQuery    = errors.New("the query string is malformed")
	errCrowded  = errors.New("too many large results are on their way to clients; try again in a second")
	errBody     = errors.New("the body ended early")
	errCoding   = errors.New("send the document without a content coding")
)

// statuses is the table of errors and what they are in HTTP. An error that matches no row is the server's fault, and
// its text goes to the log alone.
var statuses = []struct {
	is     func(error) bool
	status int
}{
	{is[spec.Faults], http.StatusUnprocessableEntity},
	{is[*export.Refusal], http.StatusUnprocessableEntity},
	{is[*sim.TooCostlyError], http.StatusUnprocessableEntity},
	{is[*spec.SyntaxError], http.StatusBadRequest},
	{equals(errQuery), http.StatusBadRequest},
	{equals(errBody), http.StatusBadRequest},
	{equals(errForm), http.StatusUnsupportedMediaType},
	{is[*http.MaxBytesError], http.StatusRequestEntityTooLarge},
	{equals(errCoding), http.StatusUnsupportedMediaType},
	{equals(errNotFound), http.StatusNotFound},
	{equals(errMethod), http.StatusMethodNotAllowed},
	{equals(errBusy), http.StatusServiceUnavailable},
	{equals(errCrowded), http.StatusServiceUnavailable},
	{equals(ErrShutdown), http.StatusServiceUnavailable},
}

// tooLong is what http.MaxBytesError does not say.
var tooLong = fmt.Sprintf("the document must have at most %d MiB", maxBody>>20)

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

func equals(target error) func(error) bool {
	return func(err error) bool { return errors.Is(err, target) }
}

func problemOf(err error) problem {
	p := problem{Type: "about:blank", Status: http.StatusInternalServerError, Detail: "the server failed; its log says why"}
	for _, row := range statuses {
		if row.is(err) {
			p.Status, p.Detail = row.status, err.Error()
			break
		}
	}
	if p.Status == http.StatusRequestEntityTooLarge {
		p.Detail = tooLong
	}
	p.Title = http.StatusText(p.Status)
	if faults, ok := errors.AsType[spec.Faults](err); ok {
		p.Errors, p.Detail = faults, "the document has faults"
	}
	if costly, ok := errors.AsType[*sim.TooCostlyError](err); ok {
		p.Estimate, p.Stopped, p.Limit = costly.Estimate, costly.Stopped, costly.Limit
	}
	return p
}

// fail answers with an error: a document, or a page for who reads pages where these are; nothing if the client has gone.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	if gone(r) {
		return
	}
	p := s.problem(r, err)
	sayWhenToRetry(w, p.Status)
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Del("ETag")
	w.Header().Del("Content-Disposition")
	contentType, body := "application/problem+json", asJSON(p)
	if !strings.HasPrefix(r.URL.Path, apiPrefix+"/") {
		w.Header().Add("Vary", "Accept")
		if readsPages(r) {
			contentType, body = "text/html; charset=utf-8", s.failurePage(r, p)
		}
	}
	send(w, r, p.Status, contentType, body)
}

// sendPage answers with a page, of whatever status: to be kept, but asked about, if it is what was asked for.
func (s *Server) sendPage(w http.ResponseWriter, r *http.Request, status int, page templ.Component) {
	var b bytes.Buffer
	if err := page.Render(r.Context(), &b); err != nil {
		s.fail(w, r, err)
		return
	}
	w.Header().Set("Cache-Control", "no-cache")
	if status != http.StatusOK {
		w.Header().Set("Cache-Control", "no-store")
	}
	sayWhenToRetry(w, status)
	send(w, r, status, "text/html; charset=utf-8", b.Bytes())
}

// nothingToShow heads a page that can only say why.
const nothingToShow = "There is nothing to show"

// readsPages reports whether someone looks at the answer, in a browser. The script, which takes events too, does not.
func readsPages(r *http.Request) bool {
	return static.Quality(r, "Accept", "text/html") > 0 && static.Quality(r, "Accept", "text/event-stream") == 0
}

// failurePage is a problem as a page, with the way to the others.
func (s *Server) failurePage(r *http.Request, p problem) []byte {
	page := templates.FailurePage{Static: static.URL, Title: nothingToShow, Problems: unshown(p)}
	var b bytes.Buffer
	if err := templates.Failure(page).Render(r.Context(), &b); err != nil {
		s.log.ErrorContext(r.Context(), "failed", "path", r.URL.Path, "error", err)
	}
	return b.Bytes()
}

// sayWhenToRetry tells those who are turned away for want of room to come back.
func sayWhenToRetry(w http.ResponseWriter, status int) {
	if status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
}

// problem returns what a client is told about err, and logs what it is not told.
func (s *Server) problem(r *http.Request, err error) problem {
	p := problemOf(err)
	if p.Status == http.StatusInternalServerError {
		s.log.ErrorContext(r.Context(), "failed", "path", r.URL.Path, "error", err)
	}
	return p
}

// gone reports whether the client has closed the connection. A request cancelled because the server shuts down still
// has one who waits for an answer.
func gone(r *http.Request) bool {
	return r.Context().Err() != nil && !errors.Is(context.Cause(r.Context()), ErrShutdown)
}
