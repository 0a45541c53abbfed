package web

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/static"
	"github.com/stampede-sim/stampede/strategies/spec"
)

// MaxTrace is the most clients that a result can trace.
const MaxTrace = 500

// postSimulation runs the scenario in the body.
func (s *Server) postSimulation(w http.ResponseWriter, r *http.Request) {
	body, err := readBody(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	sc, err := sim.ParseScenario(body)
	o, query, optErr := takeOptions(r)
	if err := allFaults(err, optErr, unknownParams(query)); err != nil {
		s.fail(w, r, err)
		return
	}
	s.answer(w, r, sc, o)
}

// getSimulation runs the scenario in the query, which is that of the compare page.
func (s *Server) getSimulation(w http.ResponseWriter, r *http.Request) {
	sc, o, err := scenarioInQuery(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	w.Header().Add("Vary", "Accept")
	if !wantsEvents(r) && s.heldByClient(w, r, sc, o) {
		return
	}
	s.answer(w, r, sc, o)
}

func scenarioInQuery(r *http.Request) (*sim.Scenario, options, error) {
	o, query, optErr := takeOptions(r)
	if query == nil {
		return nil, o, optErr
	}
	sc, err := parsePageQuery(query)
	return sc, o, allFaults(err, optErr)
}

// parsePageQuery reads the scenario that an address of the page shows, and takes from the query what is not of it.
func parsePageQuery(query url.Values) (*sim.Scenario, error) {
	deletePageKeys(query)
	return sim.ParseQuery(query)
}

// heldByClient answers 304 if the client holds the result of sc already, without a run. It sets the headers that let
// a client keep what it is sent: a result is a function of the canonical scenario and the program.
func (s *Server) heldByClient(w http.ResponseWriter, r *http.Request, sc *sim.Scenario, o options) bool {
	k, err := keyOf(sc, o)
	if err != nil {
		return false // simulate says so
	}
	return s.held(w, r, k)
}

// held is heldByClient for an answer that is a function of k, the path and the program.
func (s *Server) held(w http.ResponseWriter, r *http.Request, k key) bool {
	sum := sha256.Sum256(append(k[:], r.URL.Path+"\x00"+s.version...))
	tag := `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
	w.Header().Set("Cache-Control", "no-cache") // keep, but ask
	if notModified(w, r, tag) {
		return true
	}
	w.Header().Set("ETag", tag)
	return false
}

// answer runs a scenario and sends its result, as one document or as events.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, sc *sim.Scenario, o options) {
	if wantsEvents(r) {
		s.stream(w, r, sc, o)
		return
	}
	start := time.Now()
	result, leave, err := s.simulateToSend(r.Context(), sc, o)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	defer leave()
	w.Header().Set("Server-Timing", fmt.Sprintf("sim;dur=%.1f", time.Since(start).Seconds()*1000))
	s.sendJSON(w, r, result)
}

func wantsEvents(r *http.Request) bool {
	events := static.Quality(r, "Accept", "text/event-stream")
	return events > 0 && events >= static.Quality(r, "Accept", "application/json", "application/*", "*/*")
}

// readBody reads the whole body, at most maxBody bytes. Its type does not matter: it is JSON or it is not.
func readBody(r *http.Request) ([]byte, error) {
	if c := r.Header.Get("Content-Encoding"); c != "" && c != "identity" {
		return nil, errCoding
	}
	body, err := io.ReadAll(r.Body)
	if err != nil && !is[*http.MaxBytesError](err) {
		return nil, errBody
	}
	return body, err
}

// readRequest reads the body and the query.
func readRequest(r *http.Request) ([]byte, url.Values, error) {
	body, err := readBody(r)
	if err != nil {
		return nil, nil, err
	}
	query, err := queryOf(r)
	return body, query, err
}

// takeOptions splits a request's query into the options of a result and the rest, which is nil if the query cannot be
// read at all.
func takeOptions(r *http.Request) (o options, rest url.Values, err error) {
	if rest, err = queryOf(r); err != nil {
		return o, nil, err
	}
	values, valuesErr := takeInt(rest, "values", 0, 0, 1)
	trace, traceErr := takeInt(rest, "trace", 0, 0, MaxTrace)
	nodes, nodesErr := takeInt(rest, "nodes", 0, 0, 1)
	return options{values: values == 1, trace: trace, nodes: nodes == 1, sampled: true}, rest, allFaults(valuesErr, traceErr, nodesErr)
}

// queryOf reads a request's query. Unlike URL.Query it does not skip over what is malformed.
func queryOf(r *http.Request) (url.Values, error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, errQuery
	}
	return query, nil
}

// takeInt removes an integer from a query. Its error is a spec.Faults that points to "?name".
func takeInt(query url.Values, name string, absent, lowest, highest int) (int, error) {
	if !query.Has(name) {
		return absent, nil
	}
	text := query.Get(name)
	query.Del(name)
	n, err := strconv.Atoi(text)
	if err != nil || n < lowest || n > highest {
		return absent, spec.Faults{{
			Pointer: "?" + name,
			Detail:  fmt.Sprintf("%s must be a whole number from %d to %d, not %.40q", name, lowest, highest, text),
		}}
	}
	return n, nil
}

// unknownParams is a fault for every parameter left in a query, nil if there is none.
func unknownParams(query url.Values) error {
	var faults spec.Collector
	for _, name := range slices.Sorted(maps.Keys(query)) {
		faults.Addf("?"+name, "there is no parameter %.40q here", name)
	}
	return faults.Err()
}

// allFaults joins what several readers found wrong. An error that is no list of faults comes alone.
func allFaults(errs ...error) error {
	var faults spec.Collector
	for _, err := range errs {
		if err != nil && !is[spec.Faults](err) {
			return err
		}
		faults.Merge("", err)
	}
	return faults.Err()
}
