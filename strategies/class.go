package strategies

import (
	"slices"
	"strings"
)

// Class is how an attempt failed.
type Class uint8

// The failure classes, in the order in which documents list them.
const (
	Unavailable Class = iota // connection refused or reset
	Timeout                  // no answer within the attempt timeout
	Overloaded               // 503, the queue is full
	RateLimited              // 429
	Transient                // an injected 5xx
	Permanent                // an injected 4xx other than 429
	Conflict                 // contention: the write was based on a stale version
	NumClasses  = 7
)

var classNames = [NumClasses]string{"unavailable", "timeout", "overloaded", "rateLimited", "transient", "permanent", "conflict"}

func (c Class) String() string { return classNames[c] }

// ClassNames lists the names of the failure classes in order.
func ClassNames() []string { return classNames[:] }

// Classes is a set of failure classes, one bit each.
type Classes uint8

// AllClasses holds every failure class.
const AllClasses Classes = 1<<NumClasses - 1

// DefaultRetryOn is what a policy retries unless it says otherwise: all but Permanent.
const DefaultRetryOn = AllClasses &^ (1 << Permanent)

// Has reports whether c is in the set.
func (s Classes) Has(c Class) bool { return s>>c&1 != 0 }

// ClassesOf returns the set of the classes of these names. Names that are none are left out.
func ClassesOf(names ...string) Classes {
	var s Classes
	for c := range Class(NumClasses) {
		if slices.Contains(names, c.String()) {
			s |= 1 << c
		}
	}
	return s
}

// Names lists the members in order.
func (s Classes) Names() []string {
	names := []string{}
	for c := range Class(NumClasses) {
		if s.Has(c) {
			names = append(names, c.String())
		}
	}
	return names
}

func (s Classes) String() string { return strings.Join(s.Names(), "/") }
