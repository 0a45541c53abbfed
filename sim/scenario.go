package sim

import (
	"time"

	"github.com/stampede-sim/stampede/strategies"
	"github.com/stampede-sim/stampede/strategies/spec"
)

// Scenario says what to simulate. All of its fields are validated and have their defaults filled in by ParseScenario.
type Scenario struct {
	Name         string
	Seed         uint64
	Replications int
	Horizon      time.Duration
	Bin          time.Duration // absent from the document: the smallest width of the 1-2-5 series ≥ Horizon/400
	PeakWindow   time.Duration
	Clients      Clients
	Network      Network
	Server       Server
	Policies     []strategies.Policy
}

// Clients are those under test and the others beside them.
type Clients struct {
	Count             int
	ClientsPerProcess int
	Workload          Workload
	Others            []Group
}

// Group is a group of clients beside those under test.
type Group struct {
	Name     string
	Count    int
	Workload Workload
	Policy   *strategies.Policy // nil: the policy under test
}

// The kinds of workload.
const (
	Burst  = "burst"  // one request a client, created at a uniform time in [0, Spread]
	Closed = "closed" // each client repeats: one Think time, then a request
	Open   = "open"   // requests arrive as a Poisson process of Rate per second, replaced during Surges
)

// Workload says when requests are created.
type Workload struct {
	Kind   string
	Spread time.Duration
	Think  spec.Choice // a kind of Distributions
	Rate   float64
	Surges []Surge
}

// Surge replaces an open workload's rate in [Start, End).
type Surge struct {
	Start, End time.Duration
	Rate       float64
}

// Network is what lies between client and server.
type Network struct {
	Latency spec.Choice // one way; a kind of Distributions
}

// The kinds of server.
const (
	Capacity = "capacity"
	OCC      = "occ" // contention for one versioned row
)

// Server is the recovering server.
type Server struct {
	Kind         string
	Outages      []Outage
	Workers      int           // 0: infinitely many
	ServiceTime  spec.Choice   // a kind of Distributions
	Queue        int           // places to wait
	Discipline   string        // FIFO or LIFO
	MaxQueueWait time.Duration // 0: no shedding
	RefusalCost  time.Duration
	Nodes        Nodes
	RateLimit    *RateLimit
	Warmup       *Warmup
	Slowdown     float64
	Crash        *Crash
	Errors       Errors
	RetryAfter   Hint
}

// The balancers.
const (
	RandomNode    = "random"
	LeastInFlight = "leastInFlight" // of nodes that have as little to do, the one of the lowest number
)

// Nodes are the machines behind a balancer that make up the server. Workers, the queue, crashes and the warm-up are those
// of each.
type Nodes struct {
	Count    int
	Balancer string
	ComeUp   time.Duration // after an outage: from one node to the next
}

// The queue disciplines.
const (
	FIFO = "fifo"
	LIFO = "lifo"
)

// The modes of an outage.
const (
	Refuse = "refuse"
	Hang   = "hang"
)

// Outage is a span [Start, End) in which the server cannot serve; the end is drawn from [End, End + EndSpread].
type Outage struct {
	Start, End time.Duration
	Mode       string
	EndSpread  time.Duration
}

// The kinds of rate limit.
const (
	FixedWindow = "window"
	TokenBucket = "tokenBucket"
)

// RateLimit turns away what exceeds it.
type RateLimit struct {
	Kind   string
	Limit  int64         // window: accepted per Window
	Window time.Duration // window
	Rate   float64       // tokenBucket: tokens per second
	Burst  int64         // tokenBucket: its size
}

// Warmup is how the server comes up: at a fraction From of its speed, rising linearly to 1 over Duration.
type Warmup struct {
	From     float64
	Duration time.Duration
}

// What an overload crash is triggered by.
const (
	OnQueueFull = "queueFull"
	OnRate      = "rate"
)

// Crash is how overload brings the server down.
type Crash struct {
	On      string
	Restart time.Duration
	Rate    float64       // rate: arrivals per second
	Window  time.Duration // rate
}

// Errors are injected with these probabilities.
type Errors struct {
	Transient, Permanent float64
}

// The kinds of Retry-After hint.
const (
	NoHint        = "none"
	ConstantHint  = "constant"
	RemainingHint = "remaining"
)

// Hint is the Retry-After that a refusal carries.
type Hint struct {
	Kind  string
	After time.Duration
}
