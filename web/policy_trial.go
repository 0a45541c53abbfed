package web

import (
	"errors"
	"net/url"
	"time"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/strategies"
	"github.com/stampede-sim/stampede/strategies/spec"
)

// trial is what one policy is put to: an outage, and who meets it. Its fields are controls of the policy page, keys of its
// address, and parameters of the API.
type trial struct {
	outage    time.Duration
	roundTrip time.Duration
	down      string
	clients   int64
	capacity  float64
	retries   int64
}

// What a server that is down does with an attempt.
const (
	refuses     = "refuse"
	staysSilent = "silent"
)

func (t *trial) Fields() []spec.Field {
	return []spec.Field{
		spec.Value(spec.Param{
			Key: "outage", Label: "How long it is down", Max: spec.MaxDuration, Default: int(10 * time.Second),
			Help: "From the first attempt on.",
		}, &t.outage),
		spec.Value(spec.Param{
			Key: "down", Label: "While it is down it", Default: refuses, Options: []string{refuses, staysSilent},
			Names: []string{"refuses at once", "stays silent"},
			Help:  "Silence ends with the attempt timeout.",
		}, &t.down),
		spec.Value(spec.Param{
			Key: "roundTrip", Label: "Round trip", Max: spec.MaxDuration, Default: int(40 * time.Millisecond),
			Help: "From an attempt to its answer.",
		}, &t.roundTrip),
		spec.Value(spec.Param{
			Key: "clients", Label: "Clients with this policy", Min: 1, Max: 1e7, Default: 1000,
		}, &t.clients),
		spec.Value(spec.Param{
			Key: "capacity", Type: spec.Number, Label: "It can serve", Unit: "a second", Above: true, Max: 1e9, Default: 200,
		}, &t.capacity),
		spec.Value(spec.Param{
			Key: "retries", Label: "Retries shown", Min: 1, Max: maxRetries, Default: 10,
			Help: "Rows of the table, as far as there are so many.",
		}, &t.retries),
	}
}

// MarshalJSON writes every field.
func (t trial) MarshalJSON() ([]byte, error) { return spec.EncodeJSON(&t) }

// UnmarshalJSON reads what MarshalJSON wrote.
func (t *trial) UnmarshalJSON(data []byte) error { return spec.DecodeJSON(t, data) }

// takeTrial removes a trial's fields from a query. Its error holds spec.Faults that point to "?key"; what they are about has
// its default.
func takeTrial(query url.Values) (trial, error) { return takeFields[trial](query) }

// takeFields removes the fields of a document that has only plain ones from a query, as takeTrial does.
func takeFields[T any, D interface {
	*T
	spec.Document
}](query url.Values) (T, error) {
	var faults spec.Collector
	texts := spec.Texts{}
	for _, f := range D(new(T)).Fields() {
		values := query[f.Key]
		query.Del(f.Key)
		if len(values) > 1 {
			faults.Addf("?"+f.Key, "%s is given %d times", f.Key, len(values))
		} else if len(values) == 1 {
			texts[f.Key] = values[0]
		}
	}
	for {
		var document T
		err := spec.DecodeTexts(D(&document), texts, nil)
		if err == nil {
			return document, faults.Err()
		}
		for _, f := range faultsOf(err) {
			faults.Add("?"+f.Pointer[1:], f.Detail)
		}
		texts = without(texts, err)
	}
}

// write adds to a query what is not the default.
func (t trial) write(query url.Values) { writeFields(query, &t) }

// writeFields adds to a query what of a document is not the default.
func writeFields(query url.Values, document spec.Document) {
	for _, item := range spec.Items(document) {
		if !item.Default {
			query.Set(item.Path, item.Text)
		}
	}
}

// trialIn is the trial that a scenario is.
func trialIn(sc *sim.Scenario) trial {
	t, _ := takeTrial(url.Values{})
	t.clients = int64(sc.Clients.Count)
	if capacity, ok := sc.Throughput(); ok {
		t.capacity = round(capacity)
	}
	if o := sc.Server.Outages; len(o) > 0 {
		t.outage = o[0].End - o[0].Start
		if o[0].Mode == sim.Hang {
			t.down = staysSilent
		}
	}
	latency := sc.Network.Latency
	t.roundTrip = time.Duration(2 * spec.Find(sim.Distributions, latency.Kind).Mean(latency.Args)).Round(10 * time.Millisecond)
	return t
}

// failure is how long an attempt takes to fail; false if it never does.
func (t trial) failure(p strategies.Policy) (time.Duration, bool) {
	switch {
	case t.down == staysSilent:
		return p.AttemptTimeout, p.AttemptTimeout > 0
	case p.AttemptTimeout > 0:
		return min(t.roundTrip, p.AttemptTimeout), true
	}
	return t.roundTrip, true
}

// class is what the client sees of a failure.
func (t trial) class(p strategies.Policy) strategies.Class {
	if t.down == staysSilent || t.impatient(p) {
		return strategies.Timeout
	}
	return strategies.Unavailable
}

// impatient reports whether an attempt is given up before any answer can be there.
func (t trial) impatient(p strategies.Policy) bool {
	return p.AttemptTimeout > 0 && p.AttemptTimeout < t.roundTrip
}

// faultsOf are an error's spec.Faults.
func faultsOf(err error) spec.Faults {
	faults, _ := errors.AsType[spec.Faults](err)
	return faults
}
