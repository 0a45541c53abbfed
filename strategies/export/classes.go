package export

// Failure classes in a target's words.

import (
	"slices"

	"github.com/stampede-sim/stampede/strategies"
)

// vocabulary is what a target calls the failure classes: by class, the names that together stand for it. A class without
// names cannot be told to the target.
type vocabulary [strategies.NumClasses][]string

// names returns the names for a set of classes, each once, in the order of the classes.
func (v vocabulary) names(set strategies.Classes) []string {
	names := []string{}
	for c := range strategies.Class(strategies.NumClasses) {
		if !set.Has(c) {
			continue
		}
		for _, name := range v[c] {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// classes returns those classes all of whose names are given.
func (v vocabulary) classes(names []string) strategies.Classes {
	var set strategies.Classes
	for c := range strategies.Class(strategies.NumClasses) {
		missing := func(name string) bool { return !slices.Contains(names, name) }
		if len(v[c]) > 0 && !slices.ContainsFunc(v[c], missing) {
			set |= 1 << c
		}
	}
	return set
}

// retryOn reduces what is retried to what the target can be told.
func (f *fitting) retryOn(v vocabulary, why string) {
	f.change(why, func(p *strategies.Policy) { p.RetryOn = v.classes(v.names(p.RetryOn)) })
	if f.fits.RetryOn == 0 {
		f.refuse("it has no word for what this policy retries on (%s)", f.asked.RetryOn)
	}
}

// retryOnFixed is for targets that decide themselves what is retried.
func (f *fitting) retryOnFixed(set strategies.Classes, why string) {
	f.change(why, func(p *strategies.Policy) { p.RetryOn = set })
}
