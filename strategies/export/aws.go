package export

import (
	"fmt"
	"math"
	"time"

	"github.com/stampede-sim/stampede/strategies"
)

// awsConfig is the shared configuration of the AWS SDKs and command line. All it knows is how often, and a mode.
var awsConfig = Format{
	ID:        "aws-config",
	Name:      "AWS SDK config",
	Place:     "Put it into ~/.aws/config; or set AWS_RETRY_MODE and AWS_MAX_ATTEMPTS.",
	Source:    "AWS SDKs and Tools reference guide, “Retry behavior”; retries/standard.py of botocore. SDKs differ in the first wait",
	File:      "aws-config",
	MediaType: "text/plain; charset=utf-8",
	fit:       fitAWS,
	write:     writeAWS,
}

func fitAWS(f *fitting) {
	f.attempts(1, math.MaxInt32, "the SDKs always count their attempts")
	const fixed = "the SDKs' standard mode decides that itself"
	f.rewrite(fixed, func(p *strategies.Policy) {
		p.Schedule, p.Jitter = choiceOf("exponential", "base", time.Second, "factor", 2.0), fullJitter.jitter
		p.Cap, p.CapAfterJitter, p.GrowsPastCap = 20*time.Second, false, false
	})
	f.leaveOutDeadline("the SDKs have no deadline over several attempts here")
	f.leaveOutAttemptTimeout("the timeouts of the SDKs' HTTP clients are set in code")
	f.retryOnFixed(strategies.ClassesOf("unavailable", "timeout", "overloaded", "rateLimited", "transient"), fixed)
	f.hints(strategies.IgnoreHint, "the SDKs do not read Retry-After")
	f.leaveOutGuards("", fixed)
	f.change("the SDKs' standard mode always has its retry quota", func(p *strategies.Policy) {
		p.Budget = choiceOf("aws", "retryCost", int64(5), "timeoutCost", int64(10), "capacity", int64(500))
	})
}

func writeAWS(p strategies.Policy) string {
	return fmt.Sprintf("[default]\nretry_mode = standard\nmax_attempts = %d\n", p.MaxAttempts)
}
