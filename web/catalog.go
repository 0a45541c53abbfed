package web

import (
	"context"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/strategies"
	"github.com/stampede-sim/stampede/strategies/export"
	"github.com/stampede-sim/stampede/strategies/spec"
)

// catalog is everything that documents can choose from.
type catalog struct {
	Schedules     []spec.Kind     `json:"schedules"`
	Jitters       []spec.Kind     `json:"jitters"`
	Guards        guards          `json:"guards"`
	Distributions []spec.Kind     `json:"distributions"`
	Formats       []export.Format `json:"formats"`
	Presets       presets         `json:"presets"`
}

// guards are what each of a policy's guards can be, by the policy's field.
type guards struct {
	Breaker  []spec.Kind `json:"breaker"`
	Budget   []spec.Kind `json:"budget"`
	Throttle []spec.Kind `json:"throttle"`
}

// presets are documents to start from.
type presets struct {
	Policies  []strategies.Preset  `json:"policies"`
	Libraries []strategies.Library `json:"libraries"`
	Scenarios []sim.Preset         `json:"scenarios"`
}

func theCatalog() catalog {
	return catalog{
		Schedules: spec.Kinds(strategies.Schedules),
		Jitters:   spec.Kinds(strategies.Jitters),
		Guards: guards{
			Breaker: spec.Kinds(strategies.Breakers), Budget: spec.Kinds(strategies.Budgets), Throttle: spec.Kinds(strategies.Throttles),
		},
		Distributions: spec.Kinds(sim.Distributions),
		Formats:       export.Formats,
		Presets:       presets{strategies.Presets(), strategies.Libraries(), sim.Presets()},
	}
}

// Warm runs the opening scenario, so that its result is at hand when the first visitor comes.
func (s *Server) Warm(ctx context.Context) {
	if _, err := s.simulate(ctx, sim.Default(), options{}); err != nil && ctx.Err() == nil {
		s.log.Error("the opening scenario failed", "error", err)
	}
}
