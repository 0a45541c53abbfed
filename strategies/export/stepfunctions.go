package export

import (
	"time"

	"github.com/stampede-sim/stampede/strategies"
)

// stepFunctions is the Retry field of a state in the Amazon States Language.
var stepFunctions = Format{
	ID:        "step-functions",
	Name:      "AWS Step Functions Retry",
	Place:     "Put its fields into a Task state. The error names are those of an HTTP task; other tasks have others.",
	Source:    "AWS Step Functions developer guide, “Handling errors”; schema of amazon-states-language-service 1.16.1",
	File:      "state.asl.json",
	MediaType: "application/json",
	fit:       fitStepFunctions,
	write:     writeStepFunctions,
	read:      readStepFunctions,
}

// The bounds of the schema.
const (
	mostASL     = 99999999
	mostASLTime = 31622399 * time.Second
)

// aslErrors are the error names of HTTP tasks.
var aslErrors = vocabulary{
	strategies.Unavailable: {"States.Http.Socket"},
	strategies.Timeout:     {"States.Timeout"},
	strategies.Overloaded:  {"States.Http.StatusCode.503"},
	strategies.RateLimited: {"States.Http.StatusCode.429"},
	strategies.Transient:   {"States.Http.StatusCode.500", "States.Http.StatusCode.502", "States.Http.StatusCode.504"},
	strategies.Conflict:    {"States.Http.StatusCode.409"},
}

func fitStepFunctions(f *fitting) {
	f.attempts(1, mostASL+1, "Step Functions counts at most 99999999 retries")
	f.capBeforeJitter("Step Functions caps before jitter")
	const jitter = "Step Functions has full jitter or none"
	f.jitter(jitter, fullJitter, fullOrNone)
	f.growth("Step Functions", 1, 10)
	f.mustWait()
	f.whole(time.Second, "Step Functions has whole seconds; rounded up")
	f.uncapSteady()
	f.leaveOutDeadline("Step Functions has no deadline over several attempts of a state")
	f.wholeTimeouts(time.Second, "Step Functions has whole seconds; rounded up")
	if f.fits.RetryOn != strategies.AllClasses {
		f.retryOn(aslErrors, "Step Functions takes errors name by name, and a lasting error has many; it can only be told to retry on everything")
	}
	f.leaveOutGuards("", "Step Functions has neither breaker nor budget")
	f.hints(strategies.IgnoreHint, "Step Functions knows no Retry-After")
}

type aslState struct {
	TimeoutSeconds int64      `json:"TimeoutSeconds,omitempty"`
	Retry          []aslRetry `json:"Retry"`
}

type aslRetry struct {
	ErrorEquals     []string
	IntervalSeconds int64
	MaxAttempts     int64 // counts retries
	BackoffRate     float64
	MaxDelaySeconds int64  `json:",omitempty"`
	JitterStrategy  string // "FULL" or "NONE"
}

func writeStepFunctions(p strategies.Policy) string {
	r := aslRetry{
		ErrorEquals:     []string{"States.ALL"},
		IntervalSeconds: int64(base(p) / time.Second),
		MaxAttempts:     p.MaxAttempts - 1,
		BackoffRate:     factor(p),
		MaxDelaySeconds: int64(p.Cap / time.Second),
		JitterStrategy:  "NONE",
	}
	if p.RetryOn != strategies.AllClasses {
		r.ErrorEquals = aslErrors.names(p.RetryOn)
	}
	if p.Jitter.Kind == "full" {
		r.JitterStrategy = "FULL"
	}
	return indented(aslState{int64(p.AttemptTimeout / time.Second), []aslRetry{r}})
}
