package sim

// Scenarios as queries of a URL:
//
//	?clients.count=5000&server.outages.0.end=30s&p=exponential,base=100ms,cap=10s,jitter=full
//
// The paths are those of the JSON document, dotted, lists by index, where the scenario differs from the opening one.
// An empty value leaves the field out: an optional object is absent (server.crash=), a list is empty
// (server.outages=), anything else has its default. What is left out can be given anew in the same query. Where a
// query chooses another kind, the opening scenario's values count only as far as that kind has them too.
// p, repeated, are the policies in their text form; without it they are the opening scenario's.

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/stampede-sim/stampede/strategies"
	"github.com/stampede-sim/stampede/strategies/spec"
)

// maxKeys is more than any scenario's query has.
const maxKeys = 10_000

// ParseQuery reads a scenario from a query. It returns all spec.Faults, with the pointers of the JSON form.
func ParseQuery(query url.Values) (*Scenario, error) {
	var faults spec.Collector
	if len(query) > maxKeys {
		faults.Addf("", "a query must have at most %d keys, not %d", maxKeys, len(query))
		return nil, faults.Err()
	}
	texts := spec.Texts{}
	for _, key := range slices.Sorted(maps.Keys(query)) {
		values := query[key]
		switch {
		case key == "p":
			setPolicies(texts, values)
		case len(values) > 1:
			faults.Addf("/"+strings.ReplaceAll(key, ".", "/"), "%.60q is given %d times", key, len(values))
		case isUnder(key, "policies"):
			faults.Addf("/policies", "policies are given as p, not as %.60q", key)
		default:
			texts[key] = values[0]
		}
	}
	s := new(Scenario)
	faults.Merge("", spec.DecodeTexts(s, texts, openingTexts()))
	if err := faults.Err(); err != nil {
		return nil, err
	}
	return s, nil
}

var openingTexts = sync.OnceValue(func() spec.Texts { return Default().texts() })

// setPolicies replaces all policies.
func setPolicies(texts spec.Texts, policies []string) {
	texts["policies"] = ""
	for i, p := range policies {
		texts[fmt.Sprintf("policies.%d", i)] = p
	}
}

func isUnder(path, root string) bool { return path == root || strings.HasPrefix(path, root+".") }

// With returns the scenario with some of its fields changed, given as texts by path: what has an empty text is left
// out, what belongs to a kind that is no longer chosen goes, and what must be given for a new one starts as its
// declaration says. A policy is one text. It returns all spec.Faults.
func (s *Scenario) With(texts spec.Texts) (*Scenario, error) {
	changed := new(Scenario)
	if err := spec.EditTexts(changed, texts, s.texts()); err != nil {
		return nil, err
	}
	return changed, nil
}

// texts are those of all fields, without the bin if it follows from the horizon.
func (s *Scenario) texts() spec.Texts {
	texts := spec.TextsOf(s)
	if s.Bin == defaultBin(s.Horizon) {
		delete(texts, "bin")
	}
	return texts
}

// Query returns what differs from the opening scenario. ParseQuery of it gives the scenario again.
func (s *Scenario) Query() url.Values {
	query := url.Values{}
	for path, text := range spec.Difference(s, openingTexts()) {
		if !isUnder(path, "policies") {
			query.Set(path, text)
		} else if query["p"] == nil {
			query["p"] = policyTexts(s.Policies)
		}
	}
	return query
}

// policyTexts are the policies in their text form, without the ids if they would be given the same ones anyway.
func policyTexts(policies []strategies.Policy) []string {
	bare := slices.Clone(policies)
	for i := range bare {
		if p := &bare[i]; strings.HasPrefix(p.ID, p.Kinds()) {
			p.ID = ""
		}
	}
	completed := Scenario{Policies: slices.Clone(bare)}
	completed.Complete()
	sameID := func(a, b strategies.Policy) bool { return a.ID == b.ID }
	if !slices.EqualFunc(completed.Policies, policies, sameID) {
		bare = policies
	}
	texts := make([]string, len(bare))
	for i, p := range bare {
		texts[i] = p.Text()
	}
	return texts
}
