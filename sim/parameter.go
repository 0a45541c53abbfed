package sim

// What of a scenario can be varied: its numbers and durations by their path, those of all policies at once, and three
// that readers think in but that are no field: how long the first outage is, what the server can serve a second, and of
// how many nodes it is made that can do as much together.

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stampede-sim/stampede/strategies"
	"github.com/stampede-sim/stampede/strategies/spec"
)

// The parameters that are no field of the scenario.
const (
	OutageLength = "outage"   // of the first outage
	CapacityRate = "capacity" // what the server can serve a second
	NodeCount    = "nodes"    // that share the workers and the queue
)

// allPolicies starts the path of a field of all policies that have it, such as "policies.schedule.base".
const allPolicies = "policies."

// Parameter is a number or a duration of a scenario.
type Parameter struct {
	Path  string // OutageLength, CapacityRate, NodeCount, a path of the JSON document, or "policies." and a path of a policy's
	Param spec.Param
	Value string // as text; "" where the policies differ
}

// Parameters lists everything of the scenario that Set can change, but for fields of single policies
// ("policies.0.cap"): what decides how the figures are taken is none.
func (s *Scenario) Parameters() []Parameter { return append(s.ownParameters(), s.ofPolicies()...) }

// ownParameters are those that are not of policies.
func (s *Scenario) ownParameters() []Parameter {
	list := s.derived()
	for _, item := range spec.Items(s) {
		switch item.Path {
		case "seed", "replications", "bin", "peakWindow", "policies":
		default:
			list = appendNumeric(list, []spec.Item{item})
		}
	}
	return list
}

func (s *Scenario) derived() (list []Parameter) {
	if len(s.Server.Outages) > 0 && s.Server.Kind == Capacity {
		o := s.Server.Outages[0]
		p := spec.Param{Key: OutageLength, Type: spec.Duration, Label: "How long it is down", Max: spec.MaxDuration, Above: true}
		list = append(list, Parameter{OutageLength, p, text(o.End - o.Start)})
	}
	if capacity, ok := s.Capacity(); ok {
		p := spec.Param{Key: CapacityRate, Type: spec.Number, Label: "It can serve", Unit: "a second", Max: maxRate, Above: true}
		list = append(list, Parameter{CapacityRate, p, spec.Format(capacity)})
	}
	if s.Server.Kind == Capacity && s.Server.Workers > 0 {
		p := spec.Param{Key: NodeCount, Type: spec.Integer, Label: "Nodes, as strong together", Min: 1, Max: maxNodes}
		list = append(list, Parameter{NodeCount, p, spec.Format(s.Server.Nodes.Count)})
	}
	return list
}

// appendNumeric adds the items that are one number or duration.
func appendNumeric(list []Parameter, items []spec.Item) []Parameter {
	for _, item := range items {
		switch {
		case item.Absent:
		case item.Items != nil:
			list = appendNumeric(list, item.Items)
		case slices.Contains([]spec.Type{spec.Number, spec.Integer, spec.Duration}, item.Param.Type):
			list = append(list, Parameter{item.Path, item.Param, item.Text})
		}
	}
	return list
}

// ofPolicies lists what any policy has, in the order of the first that has it.
func (s *Scenario) ofPolicies() (list []Parameter) {
	for i := range s.Policies {
		for _, p := range appendNumeric(nil, spec.Items(&s.Policies[i])) {
			p.Path = allPolicies + p.Path
			at := slices.IndexFunc(list, func(q Parameter) bool { return q.Path == p.Path })
			if at < 0 {
				list = append(list, p)
			} else if list[at].Value != p.Value {
				list[at].Value = ""
			}
		}
	}
	return list
}

// Parameter returns the parameter at a path; one of a single policy too.
func (s *Scenario) Parameter(path string) (Parameter, bool) {
	var list []Parameter
	if i, own, ok := s.ofPolicy(path); ok {
		list = appendNumeric(nil, spec.Items(&s.Policies[i]))
		path = own
	} else if strings.HasPrefix(path, allPolicies) {
		list = s.ofPolicies()
	} else {
		list = s.ownParameters()
	}
	at := slices.IndexFunc(list, func(p Parameter) bool { return p.Path == path })
	if at < 0 {
		return Parameter{}, false
	}
	return list[at], true
}

// ofPolicy takes "policies.0.cap" apart.
func (s *Scenario) ofPolicy(path string) (index int, own string, ok bool) {
	rest, ok := strings.CutPrefix(path, allPolicies)
	number, own, dotted := strings.Cut(rest, ".")
	index, err := strconv.Atoi(number)
	return index, own, ok && dotted && err == nil && index >= 0 && index < len(s.Policies)
}

// Set returns the scenario with a parameter changed. It returns all spec.Faults, with pointers into the scenario.
func (s *Scenario) Set(path, value string) (*Scenario, error) {
	changed := *s
	rest, ofPolicies := strings.CutPrefix(path, allPolicies)
	switch {
	case path == OutageLength || path == CapacityRate || path == NodeCount:
		if err := changed.setDerived(path, spec.Amount(value)); err != nil {
			return nil, err
		}
	case ofPolicies:
		if err := changed.setPolicies(rest, value); err != nil {
			return nil, err
		}
	default:
		return s.With(spec.Texts{path: value})
	}
	return &changed, changed.Validate()
}

func (s *Scenario) setDerived(path string, value spec.Amount) error {
	list := s.derived()
	at := slices.IndexFunc(list, func(p Parameter) bool { return p.Path == path })
	if at < 0 {
		return spec.Faults{{Detail: "the scenario has no " + path}}
	}
	x, problem := value.Value(list[at].Param)
	switch {
	case problem != "":
		return spec.Faults{{Detail: path + " " + problem}}
	case path == OutageLength:
		s.SetOutage(time.Duration(x))
	case path == NodeCount:
		s.setNodes(int(x))
	default:
		s.SetCapacity(x)
	}
	return nil
}

// setPolicies changes a field of every policy that has it, or of the one that the path names.
func (s *Scenario) setPolicies(path, value string) error {
	only, own, single := s.ofPolicy(allPolicies + path)
	if single {
		path = own
	}
	policies := slices.Clone(s.Policies)
	var faults spec.Collector
	found := false
	for i := range policies {
		texts := spec.TextsOf(&policies[i])
		if _, has := texts[path]; !has || single && i != only {
			continue
		}
		found = true
		texts[path] = value
		var changed strategies.Policy
		faults.Merge(fmt.Sprintf("/policies/%d", i), spec.DecodeTexts(&changed, texts, nil))
		policies[i] = changed
	}
	if !found {
		faults.Addf("/policies", "no policy has %.60q", path)
	}
	s.Policies = policies
	return faults.Err()
}

// SetOutage changes how long the first outage is: there is one if d is above 0.
func (s *Scenario) SetOutage(d time.Duration) {
	switch outages := s.Server.Outages; {
	case d == 0 && len(outages) > 0:
		s.Server.Outages = slices.Clone(outages[1:])
	case d > 0 && len(outages) == 0:
		s.Server.Outages = []Outage{{End: d, Mode: Refuse}}
	case d > 0:
		s.Server.Outages = slices.Clone(outages)
		s.Server.Outages[0].End = outages[0].Start + d
	}
}

// SetCapacity changes what the server can serve per second: by the number of workers, not by how long a service takes,
// and so that a full queue takes as long as before. A rate limit changes with it; where nothing limits the server, it
// gets one. Workers being whole, the capacity is as near as can be.
func (s *Scenario) SetCapacity(perSecond float64) {
	before, limited := s.Capacity()
	server := &s.Server
	if !limited {
		server.RateLimit = &RateLimit{Kind: TokenBucket, Rate: perSecond, Burst: int64(max(1, math.Round(perSecond)))}
		return
	}
	factor := perSecond / before
	if server.Workers > 0 {
		server.Workers = int(max(1, math.Round(float64(server.Workers)*factor)))
		server.Queue = int(math.Round(float64(server.Queue) * factor))
	}
	if l := server.RateLimit; l != nil {
		changed := *l
		changed.Limit = int64(max(float64(min(l.Limit, 1)), math.Round(float64(l.Limit)*factor)))
		changed.Rate = significant(l.Rate * factor)
		server.RateLimit = &changed
	}
}

// setNodes spreads the server's workers and places to wait over n nodes. These being whole, the nodes can do as much
// together as is nearest.
func (s *Scenario) setNodes(n int) {
	server := &s.Server
	share := func(each int) int { return int(math.Round(float64(each*server.Nodes.Count) / float64(n))) }
	server.Workers, server.Queue = max(1, share(server.Workers)), share(server.Queue)
	server.Nodes.Count = n
}

// significant rounds to six significant digits.
func significant(x float64) float64 {
	if x == 0 {
		return 0
	}
	p := math.Pow(10, 5-math.Floor(math.Log10(math.Abs(x))))
	return math.Round(x*p) / p
}
