package web

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/strategies"
	"github.com/stampede-sim/stampede/strategies/spec"
	"github.com/stampede-sim/stampede/templates"
)

// These are the controls that are not a field of the scenario: what a reader asks for in plain words, and what applies
// to all policies. Each shows what the scenario says, and changes it.

// control is one of them.
type control struct {
	name  string
	show  func(sc *sim.Scenario) bool
	field func(sc *sim.Scenario) templates.Field // without name and value
	get   func(sc *sim.Scenario) string
	set   func(sc *sim.Scenario, text string) (problem string)
}

// usualShare is how much of the capacity steady traffic takes when it is switched on.
const usualShare = 0.8

// queueSeconds is how much work a server lets wait before it crashes, if nothing else is said, in seconds.
const queueSeconds = 2

var plainControls = []control{
	{
		name: "lose",
		show: func(sc *sim.Scenario) bool { return sc.Clients.Workload.Kind == sim.Burst },
		field: func(sc *sim.Scenario) templates.Field {
			f := templates.Field{Label: "How fast they lose it", Input: templates.SelectInput, Options: []templates.Option{
				{Value: "0s", Label: "all at once"}, {Value: "1s", Label: "within 1 s"}, {Value: "2s", Label: "within 2 s"},
				{Value: "5s", Label: "within 5 s"}, {Value: "10s", Label: "within 10 s"},
			}}
			if w := sc.Clients.Workload; !slices.ContainsFunc(f.Options, func(o templates.Option) bool { return o.Value == w.Spread.String() }) {
				f.Options = append(f.Options, templates.Option{Value: w.Spread.String(), Label: "within " + span(w.Spread)})
			}
			return f
		},
		get: func(sc *sim.Scenario) string { return sc.Clients.Workload.Spread.String() },
		set: setWorkload,
	},
	{
		name: "down",
		show: hasCapacity,
		field: func(sc *sim.Scenario) templates.Field {
			f := templates.Field{Label: "How long it is down", Unit: "s", Input: templates.NumberInput, Stops: "0 1 2 3 5 7 10 15 20 30 45 60 90 120"}
			if len(sc.Server.Outages) > 1 {
				f.Help = "The first of " + strconv.Itoa(len(sc.Server.Outages)) + " outages."
			}
			return f
		},
		get: func(sc *sim.Scenario) string {
			if len(sc.Server.Outages) == 0 {
				return "0"
			}
			o := sc.Server.Outages[0]
			return plainNumber((o.End - o.Start).Seconds())
		},
		set: setOutage,
	},
	{
		name: "serves",
		show: hasCapacity,
		field: func(sc *sim.Scenario) templates.Field {
			f := templates.Field{Label: "It can serve", Unit: "a second", Input: templates.NumberInput, Placeholder: "any number",
				Stops: "10 20 30 50 70 100 150 200 250 300 400 500 700 1000 1500 2000"}
			if most, ok := sc.Throughput(); ok && sc.Server.Slowdown > 0 {
				f.Help = "Slower under load, it does " + brief(most) + " a second at the most."
			}
			return f
		},
		get: func(sc *sim.Scenario) string {
			if capacity, ok := sc.Capacity(); ok {
				return plainNumber(capacity)
			}
			return ""
		},
		set: setCapacity,
	},
	{
		name: "full",
		show: func(sc *sim.Scenario) bool { return hasCapacity(sc) && sc.Server.Workers > 0 },
		field: func(sc *sim.Scenario) templates.Field {
			waiting := "2 s"
			if capacity, ok := sc.Throughput(); ok && sc.Server.Queue > 0 {
				waiting = seconds(float64(sc.Server.Places()) / capacity)
			}
			f := templates.Field{Label: "When " + waiting + " of work are waiting", Input: templates.SelectInput, Options: []templates.Option{
				{Value: "", Label: "it turns clients away"}, {Value: sim.OnQueueFull, Label: "it crashes"},
			}}
			if c := sc.Server.Crash; c != nil && c.On == sim.OnRate {
				f.Options = append(f.Options, templates.Option{Value: sim.OnRate, Label: "it turns clients away; it crashes by rate"})
			}
			return f
		},
		get: func(sc *sim.Scenario) string {
			if sc.Server.Crash == nil {
				return ""
			}
			return sc.Server.Crash.On
		},
		set: setFull,
	},
}

func hasCapacity(sc *sim.Scenario) bool { return sc.Server.Kind == sim.Capacity }

func setWorkload(sc *sim.Scenario, text string) string {
	rate := float64(sc.Clients.Count) / 10
	if capacity, ok := sc.Throughput(); ok {
		rate = usualShare * capacity
	}
	switch text {
	case sim.Open:
		sc.Clients.Workload = sim.Workload{Kind: sim.Open, Rate: max(round(rate), 0.001)}
	case sim.Closed:
		think := time.Duration(float64(sc.Clients.Count) / rate * float64(time.Second)).Round(time.Millisecond)
		sc.Clients.Workload = sim.Workload{Kind: sim.Closed, Think: spec.Choice{Kind: "exponential", Args: spec.Args{"mean": max(think, time.Millisecond)}}}
	default:
		spread, err := time.ParseDuration(text)
		if err != nil {
			return fmt.Sprintf("must be one of the choices, not %.40q", text)
		}
		sc.Clients.Workload = sim.Workload{Kind: sim.Burst, Spread: spread}
	}
	return ""
}

func setOutage(sc *sim.Scenario, text string) string {
	d, problem := secondsOf(text)
	if problem == "" {
		sc.SetOutage(d)
	}
	return problem
}

func setCapacity(sc *sim.Scenario, text string) string {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v > 0) || v > 1e9 {
		return fmt.Sprintf("must be a number above 0, not %.40q", text) + spec.WithPoint(text)
	}
	sc.SetCapacity(v)
	return ""
}

func setFull(sc *sim.Scenario, text string) string {
	switch text {
	case "":
		sc.Server.Crash = nil
	case sim.OnQueueFull:
		sc.Server.Crash = &sim.Crash{On: sim.OnQueueFull, Restart: 5 * time.Second}
		if capacity, ok := sc.Throughput(); ok && sc.Server.Queue == 0 {
			sc.Server.Queue = int(math.Round(queueSeconds * capacity / float64(sc.Server.Nodes.Count)))
		}
	}
	return ""
}

// policyControls change all policies at once that have the field. They show what these have in common, and nothing
// where they differ.
var policyControls = []control{
	allPolicies("allFirst", "schedule.base", templates.Field{Label: "First wait", Input: templates.TextInput}),
	allPolicies("allGrowth", "schedule.factor", templates.Field{Label: "Growth", Unit: "×", Input: templates.NumberInput}),
	allPolicies("allCap", "cap", templates.Field{Label: "At most", Input: templates.TextInput, Help: "0s: any time."}),
	allPolicies("allAttempts", "maxAttempts", templates.Field{Label: "Attempts", Input: templates.NumberInput, Help: "0: any number."}),
}

// allPolicies is the control for one field of all policies.
func allPolicies(name, path string, f templates.Field) control {
	return control{
		name: name,
		field: func(sc *sim.Scenario) templates.Field {
			if text, n := common(sc, path); n > 0 && text == "" {
				f.Placeholder = "varies"
			}
			return f
		},
		get: func(sc *sim.Scenario) string {
			text, _ := common(sc, path)
			return text
		},
		show: func(sc *sim.Scenario) bool {
			_, n := common(sc, path)
			return n > 0
		},
		set: func(sc *sim.Scenario, text string) string {
			if text == "" {
				text = "0"
			}
			return setAll(sc, path, text)
		},
	}
}

// common returns what the n policies that have a field say there, "" where they differ.
func common(sc *sim.Scenario, path string) (text string, n int) {
	for _, p := range sc.Policies {
		said, ok := policyText(p, path)
		switch {
		case !ok:
		case n > 0 && said != text:
			return "", n + 1
		default:
			text = said
			n++
		}
	}
	return text, n
}

// policyText is what a policy says at one of the paths of policyControls, if it has the field. It is asked for too often
// to describe the whole policy each time.
func policyText(p strategies.Policy, path string) (string, bool) {
	switch path {
	case "cap":
		return spec.Format(p.Cap), true
	case "maxAttempts":
		return spec.Format(p.MaxAttempts), true
	}
	v, ok := p.Schedule.Args[strings.TrimPrefix(path, "schedule.")]
	return spec.Format(v), ok
}

func setAll(sc *sim.Scenario, path, text string) string {
	changed, err := sc.Set("policies."+path, text)
	if err != nil {
		return strings.TrimPrefix(detailOf(err), path[strings.LastIndexByte(path, '.')+1:]+" ")
	}
	*sc = *changed
	return ""
}

func plainNumber(x float64) string { return strconv.FormatFloat(round(x), 'f', -1, 64) }

// secondsOf reads a number of seconds, or a duration with its unit.
func secondsOf(text string) (time.Duration, string) {
	withUnit := text
	if x, err := strconv.ParseFloat(text, 64); err == nil {
		withUnit = strconv.FormatFloat(x, 'f', -1, 64) + "s"
	}
	d, err := time.ParseDuration(withUnit)
	if err != nil || d < 0 {
		return 0, fmt.Sprintf("must be a number of seconds, at least 0, not %.40q", text) + spec.WithPoint(text)
	}
	return d, ""
}
