package web

import (
	"slices"
	"strings"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/templates"
)

// This file says in one to three sentences what the figures mean, and why. The sentences are a catalogue of rules: each
// says when it applies, from the figures and their intervals, what it says, and which arithmetic stands behind it. A
// verdict has three slots, and in each the first rule that applies speaks. Only the rules of one slot praise, and only
// policies that serve as many as any, within the intervals.

// ruleOf is one thing that findings of some kind can mean.
type ruleOf[F any] struct {
	id       string
	slot     slot
	applies  func(f F) bool
	sentence func(f F) string
	why      func(f F) string // sentences too; "" where arithmetic has nothing to add

	tone  tone                     // of what is said of a single policy
	shows func(f F) templates.Link // where to see it; nil: the figures beside it do
}

// rule is one of the compare page's.
type rule = ruleOf[*findings]

// tone says what a sentence is to the reader.
type tone string

const (
	neutral tone = ""
	good    tone = "good"
	bad     tone = "bad"
)

// slot is a rule's place in the verdict.
type slot int

const (
	contrast slot = iota // what one ingredient alone does or does not do
	praise               // the best
	lacking              // what harms or costs further down
	slots
)

// findings are what rules look at: standings in order, and some of them picked out.
type findings struct {
	telling
	sc    *sim.Scenario
	all   []standing // best first
	best  standing
	top   []standing // on rank 1, of which the best is the first
	safe  []standing // that serve as many as the best and crash the server as seldom, the best among them
	fewer []standing // that serve fewer than the best, beyond the intervals
}

func findingsOf(sc *sim.Scenario, all []standing) *findings {
	f := &findings{telling: tellingOf(sc), sc: sc, all: all, best: all[0]}
	for _, s := range all {
		level := f.by[0].meet(f.best, s)
		if !level {
			f.fewer = append(f.fewer, s)
		}
		if level && f.by[1].meet(f.best, s) {
			f.safe = append(f.safe, s)
		}
		if s.rank == f.best.rank {
			f.top = append(f.top, s)
		}
	}
	return f
}

// spoken is what a rule said.
type spoken struct {
	id, sentence, why string
	tone              tone
	shows             templates.Link
}

// speech is a verdict: what rules said, in the order of their slots.
type speech []spoken

// speak lets rules speak about standings that are in order.
func speak(sc *sim.Scenario, all []standing) speech {
	return hear(rules, slots, findingsOf(sc, all))
}

// hear lets in each slot the first rule speak that applies.
func hear[F any](rules []ruleOf[F], slots slot, f F) speech {
	var out speech
	for at := range slots {
		i := slices.IndexFunc(rules, func(r ruleOf[F]) bool { return r.slot == at && r.applies(f) })
		if i < 0 {
			continue
		}
		r := rules[i]
		said := spoken{id: r.id, sentence: r.sentence(f), why: r.why(f), tone: r.tone}
		if r.shows != nil {
			said.shows = r.shows(f)
		}
		out = append(out, said)
	}
	return out
}

// verdict is what the rules say about standings that are in order.
func verdict(sc *sim.Scenario, all []standing) []string { return speak(sc, all).sentences() }

func (s speech) sentences() []string {
	var out []string
	for _, x := range s {
		out = append(out, x.sentence)
	}
	return out
}

// reasons is the arithmetic behind what was said; "" if there is none.
func (s speech) reasons() string {
	var out []string
	for _, x := range s {
		out = append(out, x.why)
	}
	return sentences(out...)
}

// sentences joins those that are not empty.
func sentences(all ...string) string {
	return strings.Join(slices.DeleteFunc(all, func(s string) bool { return s == "" }), " ")
}
