package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/stampede-sim/stampede/sim"
)

// heartbeatEvery is how long a stream may be silent; proxies cut quiet connections.
const heartbeatEvery = 10 * time.Second

// stream runs a scenario and sends server-sent events: progress, then result or error. An error that comes before the
// first event is an ordinary answer with its own status.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, sc *sim.Scenario, o options) {
	e := &eventStream{w: w, control: http.NewResponseController(w)}
	o.progress = e.progress
	result, leave, err := s.simulateToSend(r.Context(), sc, o)
	if err == nil {
		defer leave()
	}
	s.finish(e, r, len(sc.Policies)*sc.Replications, result, err)
}

// finish ends a stream with a result, or with why there is none.
func (s *Server) finish(e *eventStream, r *http.Request, total int, result any, err error) {
	var document []byte
	if err == nil {
		document, err = json.Marshal(result)
	}
	switch {
	case err == nil:
		e.progress(total, total)
		e.send("event: result\ndata: %s\n\n", document)
	case !e.begun:
		s.fail(e.w, r, err)
	case !gone(r):
		e.send("event: error\ndata: %s\n", asJSON(s.problem(r, err)))
	}
}

// eventStream writes server-sent events.
type eventStream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	begun   bool
	sent    time.Time     // when the last event was
	kept    time.Duration // so long the client has kept us waiting
	done    int           // the progress sent last
}

// progress sends how far a run is, if that is news, or else a comment now and then.
func (e *eventStream) progress(done, total int) {
	switch {
	case total == 0: // not yet running: it may still turn out to be an ordinary error
	case !e.begun || done != e.done:
		e.done = done
		e.send("event: progress\ndata: {\"done\": %d, \"total\": %d}\n\n", done, total)
	case time.Since(e.sent) >= heartbeatEvery:
		e.send(": running\n\n")
	}
}

// send writes one event and flushes it. A failure to write ends the request's context, and with it the run. A client may
// keep us waiting for writeTimeout with all of its events together, as with an answer that is sent whole.
func (e *eventStream) send(format string, args ...any) {
	if !e.begun {
		e.begun = true
		e.w.Header().Set("Content-Type", "text/event-stream")
		e.w.Header().Set("Cache-Control", "no-store")
		e.w.Header().Set("X-Accel-Buffering", "no") // nginx would wait for the end
	}
	e.sent = time.Now()
	e.control.SetWriteDeadline(e.sent.Add(writeTimeout - e.kept)) // in place of the one for the whole answer
	fmt.Fprintf(e.w, format, args...)
	e.control.Flush()
	e.kept += time.Since(e.sent)
}
