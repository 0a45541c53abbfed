package sim

// The declarations of a scenario's fields: what they are called, what they accept and what they are if left out.
// JSON, query, form, schema and faults all follow from these; see package spec.

import (
	"math"
	"time"

	"github.com/stampede-sim/stampede/strategies/spec"
)

// Bounds of a scenario.
const (
	maxClients  = 1e7 // all groups together
	MaxPolicies = 24
	maxGroups   = 24
	maxBins     = 10_000
	maxSpans    = 100 // outages, surges
	maxNodes    = 100
	maxRate     = 1e9 // per second
)

// Fields declares what a scenario is made of.
func (s *Scenario) Fields() []spec.Field {
	return []spec.Field{
		spec.Value(spec.Param{Key: "name", Label: "Name", Max: 200, Default: ""}, &s.Name),
		spec.Value(spec.Param{
			Key: "seed", Label: "Seed", Default: 1,
			Help: "Everything random follows from it: the same seed gives the same result.",
		}, &s.Seed),
		spec.Value(spec.Param{
			Key: "replications", Label: "Repetitions", Min: 1, Max: 1000, Default: 5,
			Help: "Runs of each policy, each with other random numbers; figures are means over them.",
		}, &s.Replications),
		spec.Value(spec.Param{
			Key: "horizon", Label: "Watch for", Min: 1e6, Max: spec.MaxDuration, Default: 5 * time.Minute,
			Help: "Where the simulation ends.",
		}, &s.Horizon),
		spec.Value(spec.Param{
			Key: "bin", Label: "Step of the charts", Min: 1, Max: spec.MaxDuration, Default: 0,
			Help: "Left out: the smallest of 1, 2, 5, 10, … that divides the horizon into at most 400.",
		}, &s.Bin),
		spec.Value(spec.Param{
			Key: "peakWindow", Label: "Peaks over", Min: 1e6, Max: spec.MaxDuration, Default: time.Second,
			Help: "The span over which the highest load is taken.",
		}, &s.PeakWindow),
		spec.Nested(spec.Param{Key: "clients", Label: "Clients"}, &s.Clients),
		spec.Nested(spec.Param{Key: "network", Label: "Network"}, &s.Network),
		spec.Nested(spec.Param{Key: "server", Label: "Server"}, &s.Server),
		spec.Several(spec.Param{
			Key: "policies", Label: "Policies", Min: 1, Max: MaxPolicies,
			Help: "How the clients retry: each policy is simulated on its own, under the same circumstances.",
		}, &s.Policies),
	}
}

// Fields declares the clients under test, and the others.
func (c *Clients) Fields() []spec.Field {
	return []spec.Field{
		countField(&c.Count),
		spec.Value(spec.Param{
			Key: "clientsPerProcess", Label: "Clients in a process", Min: 1, Max: maxClients, Default: 1,
			Help: "They share what a process has one of, such as a circuit breaker.",
		}, &c.ClientsPerProcess),
		workloadField(&c.Workload),
		spec.Several(spec.Param{
			Key: "others", Label: "Other clients", Max: maxGroups,
			Help: "Groups beside those under test: they load the same server.",
		}, &c.Others),
	}
}

// Fields declares a group of other clients.
func (g *Group) Fields() []spec.Field {
	return []spec.Field{
		spec.Value(spec.Param{Key: "name", Label: "Name", Max: 64, Start: "others", Help: "Names the group in results."}, &g.Name),
		countField(&g.Count),
		workloadField(&g.Workload),
		spec.Optional(spec.Param{
			Key: "policy", Label: "Policy", Help: "How they retry; left out: as the clients under test do.",
		}, &g.Policy),
	}
}

func countField(count *int) spec.Field {
	return spec.Value(spec.Param{Key: "count", Label: "Clients", Min: 1, Max: maxClients, Start: 100}, count)
}

func workloadField(w *Workload) spec.Field {
	return spec.Nested(spec.Param{Key: "workload", Label: "Requests", Help: "When clients want something."}, w)
}

// Fields declares when requests are created.
func (w *Workload) Fields() []spec.Field {
	return []spec.Field{
		spec.Value(spec.Param{
			Key: "kind", Label: "Requests come", Default: Burst,
			Options: []string{Burst, Closed, Open},
			Names:   []string{"one a client, together", "again and again, after thinking", "steadily"},
		}, &w.Kind),
		spec.Value(spec.Param{
			Key: "spread", Label: "Within", Max: spec.MaxDuration, Default: 0,
			Help: "Each client's request is created at a random time in this span; 0s: all at once.",
		}, &w.Spread).For(Burst),
		distributionField(spec.Param{
			Key: "think", Label: "Thinking", Help: "How long a client pauses before each request.",
			Start: spec.Choice{Kind: "exponential", Args: spec.Args{"mean": 10 * time.Second}},
		}, &w.Think, "").For(Closed),
		rateField(spec.Param{Label: "Rate", Unit: "requests per second"}, &w.Rate).For(Open),
		spec.Several(spec.Param{
			Key: "surges", Label: "Surges", Max: maxSpans, Help: "Spans in which requests come at another rate.",
		}, &w.Surges).For(Open),
	}
}

// Fields declares a span with another rate of requests.
func (s *Surge) Fields() []spec.Field {
	return []spec.Field{
		startField(&s.Start), endField(&s.End),
		rateField(spec.Param{Label: "Rate", Unit: "requests per second"}, &s.Rate),
	}
}

// Fields declares what lies between client and server.
func (n *Network) Fields() []spec.Field {
	return []spec.Field{distributionField(spec.Param{
		Key: "latency", Label: "Latency", Help: "One way; the answer takes as long again, drawn anew.",
	}, &n.Latency, constantKind)}
}

// Fields declares the recovering server.
func (s *Server) Fields() []spec.Field {
	fields := []spec.Field{
		spec.Value(spec.Param{
			Key: "kind", Label: "Server", Default: Capacity,
			Options: []string{Capacity, OCC}, Names: []string{"serves so many at a time", "one versioned row (contention)"},
		}, &s.Kind),
		spec.Several(spec.Param{
			Key: "outages", Label: "Outages", Max: maxSpans, Help: "When it cannot serve: in order, not touching.",
		}, &s.Outages),
		spec.Value(spec.Param{
			Key: "workers", Label: "Workers", Max: 1e6, Default: 0,
			Help: "How many requests it, or each of its nodes, serves at the same time; 0: any number.",
		}, &s.Workers),
		distributionField(spec.Param{
			Key: "serviceTime", Label: "Service time", Help: "How long a worker needs for a request.",
		}, &s.ServiceTime, constantKind),
		spec.Value(spec.Param{
			Key: "queue", Label: "Queue", Max: math.MaxInt32, Default: 0, Help: "Places to wait for a worker, at each node.",
		}, &s.Queue),
		spec.Value(spec.Param{
			Key: "discipline", Label: "Served first", Default: FIFO,
			Options: []string{FIFO, LIFO}, Names: []string{"who came first", "who came last"},
		}, &s.Discipline),
		spec.Value(spec.Param{
			Key: "maxQueueWait", Label: "Longest useful wait", Max: spec.MaxDuration, Default: 0,
			Help: "Who has waited longer when a worker is free is turned away; 0s: nobody.",
		}, &s.MaxQueueWait),
		spec.Value(spec.Param{
			Key: "refusalCost", Label: "Cost of a refusal", Max: spec.MaxDuration, Default: 0,
			Help: "How long a worker is busy turning one away.",
		}, &s.RefusalCost),
		spec.Nested(spec.Param{Key: "nodes", Label: "Nodes", Help: "It is one machine or several alike, behind a balancer that knows who is up."}, &s.Nodes),
		spec.Optional(spec.Param{Key: "rateLimit", Label: "Rate limit", Help: "What exceeds it is turned away (429)."}, &s.RateLimit),
		spec.Optional(spec.Param{Key: "warmup", Label: "Warm-up", Help: "How it gets up to speed after an outage."}, &s.Warmup),
		spec.Value(spec.Param{
			Key: "slowdown", Label: "Slower under load", Max: 1000, Default: 0,
			Help: "A service takes longer by this share for each other one under way.",
		}, &s.Slowdown),
		spec.Optional(spec.Param{Key: "crash", Label: "Crash", Help: "How overload brings it down again."}, &s.Crash),
		spec.Nested(spec.Param{Key: "errors", Label: "Errors"}, &s.Errors),
		spec.Nested(spec.Param{Key: "retryAfter", Label: "Retry-After", Help: "When it tells those it turns away to come back."}, &s.RetryAfter),
	}
	for i := range fields[1:] {
		fields[i+1] = fields[i+1].For(Capacity)
	}
	return fields
}

// Fields declares a span in which the server cannot serve.
func (o *Outage) Fields() []spec.Field {
	return []spec.Field{
		startField(&o.Start), endField(&o.End),
		spec.Value(spec.Param{
			Key: "mode", Label: "Clients are", Default: Refuse,
			Options: []string{Refuse, Hang}, Names: []string{"refused at once", "left without an answer"},
		}, &o.Mode),
		spec.Value(spec.Param{
			Key: "endSpread", Label: "Ends later by up to", Max: spec.MaxDuration, Default: 0,
			Help: "The end is random in this span, so that no policy is lucky to retry just then.",
		}, &o.EndSpread),
	}
}

// Fields declares the nodes behind the balancer.
func (n *Nodes) Fields() []spec.Field {
	return []spec.Field{
		spec.Value(spec.Param{
			Key: "count", Label: "Nodes", Min: 1, Max: maxNodes, Default: 1,
			Help: "Workers, queue, warm-up and crashes are those of each; the rate limit is the balancer's.",
		}, &n.Count),
		spec.Value(spec.Param{
			Key: "balancer", Label: "An attempt goes to", Default: RandomNode,
			Options: []string{RandomNode, LeastInFlight}, Names: []string{"any node that is up", "the one with least in flight"},
		}, &n.Balancer),
		spec.Value(spec.Param{
			Key: "comeUp", Label: "Come up apart by", Max: spec.MaxDuration, Default: 0,
			Help: "After an outage the first node is up at its end, each other one so much later.",
		}, &n.ComeUp),
	}
}

func startField(start *time.Duration) spec.Field {
	return spec.Value(spec.Param{Key: "start", Label: "From", Max: spec.MaxDuration, Start: 30 * time.Second}, start)
}

func endField(end *time.Duration) spec.Field {
	return spec.Value(spec.Param{Key: "end", Label: "To", Max: spec.MaxDuration, Start: 40 * time.Second}, end)
}

// Fields declares a rate limit.
func (r *RateLimit) Fields() []spec.Field {
	return []spec.Field{
		spec.Value(spec.Param{
			Key: "kind", Label: "Counted", Options: []string{FixedWindow, TokenBucket}, Names: []string{"in windows", "in tokens"},
		}, &r.Kind),
		spec.Value(spec.Param{
			Key: "limit", Label: "Limit", Min: 1, Max: 1e9, Start: 200, Unit: "attempts in a window",
		}, &r.Limit).For(FixedWindow),
		windowField(&r.Window).For(FixedWindow),
		rateField(spec.Param{Label: "Rate", Unit: "tokens per second", Above: true, Help: "An attempt takes one token."}, &r.Rate).For(TokenBucket),
		spec.Value(spec.Param{
			Key: "burst", Label: "Burst", Min: 1, Max: 1e9, Start: 100, Unit: "tokens", Help: "The most that it can hold; it starts full.",
		}, &r.Burst).For(TokenBucket),
	}
}

// Fields declares how the server gets up to speed.
func (w *Warmup) Fields() []spec.Field {
	return []spec.Field{
		spec.Value(spec.Param{
			Key: "from", Label: "Starts at", Above: true, Max: 1, Start: 0.25, Help: "The fraction of its speed at which it comes up.",
		}, &w.From),
		spec.Value(spec.Param{Key: "duration", Label: "For", Min: 1, Max: spec.MaxDuration, Start: 5 * time.Second, Help: "How long it takes to full speed."}, &w.Duration),
	}
}

// Fields declares how overload brings the server down.
func (c *Crash) Fields() []spec.Field {
	return []spec.Field{
		spec.Value(spec.Param{
			Key: "on", Label: "It crashes when", Options: []string{OnQueueFull, OnRate}, Names: []string{"the queue is full", "too many arrive"},
		}, &c.On),
		spec.Value(spec.Param{Key: "restart", Label: "Restarts in", Min: 1, Max: spec.MaxDuration, Start: 5 * time.Second}, &c.Restart),
		rateField(spec.Param{Label: "Too many", Unit: "arrivals per second", Above: true}, &c.Rate).For(OnRate),
		windowField(&c.Window).For(OnRate),
	}
}

// Fields declares the errors that are injected.
func (e *Errors) Fields() []spec.Field {
	return []spec.Field{
		spec.Value(spec.Param{
			Key: "transient", Label: "Transient", Max: 1, Default: 0, Help: "The share of attempts that fail with a 5xx, whatever the load.",
		}, &e.Transient),
		spec.Value(spec.Param{
			Key: "permanent", Label: "Permanent", Max: 1, Default: 0, Help: "The share of attempts that fail with a 4xx other than 429.",
		}, &e.Permanent),
	}
}

// Fields declares the Retry-After hint.
func (h *Hint) Fields() []spec.Field {
	return []spec.Field{
		spec.Value(spec.Param{
			Key: "kind", Label: "Retry-After", Default: NoHint,
			Options: []string{NoHint, ConstantHint, RemainingHint}, Names: []string{"none", "always the same", "when it will serve again"},
		}, &h.Kind),
		spec.Value(spec.Param{Key: "after", Label: "After", Max: spec.MaxDuration, Start: 5 * time.Second}, &h.After).For(ConstantHint),
	}
}

// rateField is a rate per second, Above 0 or at least 0.
func rateField(p spec.Param, rate *float64) spec.Field {
	p.Key, p.Max, p.Start = "rate", maxRate, 100
	return spec.Value(p, rate)
}

func windowField(window *time.Duration) spec.Field {
	return spec.Value(spec.Param{Key: "window", Label: "Window", Min: 1, Max: spec.MaxDuration, Start: time.Second}, window)
}

// constantKind is the distribution that latency and service time have if left out: constantly 0.
const constantKind = "constant"

func distributionField(p spec.Param, c *spec.Choice, standard string) spec.Field {
	return spec.Pick(p, c, distributionCatalogue, standard)
}

var distributionCatalogue = spec.NewCatalogue(Distributions)
