package strategies

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stampede-sim/stampede/strategies/spec"
)

func isSentence(s string) bool { return len(s) > 10 && strings.HasSuffix(s, ".") }

// Whatever documentation, forms and validation are made from is there for every kind.
func TestCatalogueIsComplete(t *testing.T) {
	for _, catalogue := range [][]spec.Kind{spec.Kinds(Schedules), spec.Kinds(Jitters), spec.Kinds(Breakers), spec.Kinds(Budgets), spec.Kinds(Throttles)} {
		seen := map[string]bool{}
		for _, k := range catalogue {
			if !regexp.MustCompile(`^[a-z][a-zA-Z0-9]*$`).MatchString(k.ID) || seen[k.ID] {
				t.Errorf("id %q is taken or not in camel case", k.ID)
			}
			seen[k.ID] = true
			if k.Name == "" || k.Formula == "" || !isSentence(k.Advice) {
				t.Errorf("%s lacks name, formula or advice: %+v", k.ID, k)
			}
			for i, p := range k.Params {
				checkParam(t, k, p, k.Params[:i])
			}
		}
	}
}

func checkParam(t *testing.T, k spec.Kind, p spec.Param, earlier []spec.Param) {
	if p.Key == "" || p.Type == "" || p.Label == "" || !isSentence(p.Help) {
		t.Errorf("%s.%s lacks type, label or help: %+v", k.ID, p.Key, p)
	}
	if p.Type != spec.Option && (p.Min < 0 || p.Max <= p.Min) {
		t.Errorf("%s.%s is bounded by %v and %v", k.ID, p.Key, p.Min, p.Max)
	}
	if d, ok := p.Default.(float64); ok && (d < p.Min || d > p.Max) {
		t.Errorf("%s.%s has default %v", k.ID, p.Key, d)
	}
	if p.Default == nil && p.DefaultOf == "" && p.Start == nil {
		t.Errorf("%s.%s must be given, and a form has nothing to start with", k.ID, p.Key)
	}
	for _, other := range []string{p.DefaultOf, p.AtLeast} {
		if other != "" && !slices.ContainsFunc(earlier, func(e spec.Param) bool { return e.Key == other && e.Type == p.Type }) {
			t.Errorf("%s.%s refers to %s, which is no earlier parameter of its type", k.ID, p.Key, other)
		}
	}
}

// In a policy's text the keys of schedule and jitter stand bare beside those of the policy.
func TestParameterKeysDoNotCollide(t *testing.T) {
	owner := map[string]string{}
	claim := func(key, by string) {
		if was := owner[key]; was != "" && was != by {
			t.Errorf("%q is a key of %s and of %s", key, was, by)
		}
		owner[key] = by
	}
	for _, item := range spec.Items(&Policy{Schedule: spec.Choice{Kind: "immediate"}, Jitter: spec.Choice{Kind: "none"}}) {
		claim(item.Path, "policies")
	}
	for _, k := range Schedules {
		for _, p := range k.Params {
			claim(p.Key, "schedules")
		}
	}
	for _, k := range Jitters {
		for _, p := range k.Params {
			claim(p.Key, "jitters")
		}
	}
	if owner["cap"] != "policies" || owner["base"] != "schedules" || owner["multiplier"] != "jitters" {
		t.Errorf("keys not found: %v", owner)
	}
}
