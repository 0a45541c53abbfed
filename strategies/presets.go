package strategies

// Policies worth comparing: what tutorials show, step by step better, and what well-known libraries do.

import "slices"

// Preset is a policy to start from.
type Preset struct {
	Policy Policy `json:"policy"`
	Advice string `json:"advice"` // one sentence
	Source string `json:"source"` // where it is found, with its formula
}

// Presets returns the preset policies, the simplest first.
func Presets() []Preset { return slices.Clone(presets) }

// presets is the catalogue. A new preset is an entry here. Those that stand for code that reads no Retry-After
// ignore it.
var presets = []Preset{
	preset("at-once", "At once", "immediate,maxAttempts=3,retryAfter=ignore",
		"Uses up its attempts before anything can have recovered, and multiplies the load while it lasts.",
		"A loop around the call: 3 attempts, no wait."),
	preset("constant", "Every second", "constant,base=1s,maxAttempts=3,retryAfter=ignore",
		"Gives up after two seconds; clients that failed together stay together.",
		"A loop with a sleep: 3 attempts, sleep(1 s)."),
	preset("linear", "Linear", "linear,base=1s,maxAttempts=5,retryAfter=ignore",
		"Eases off a little more each time, in step with everybody else.",
		"sleep(1 s · n): 1, 2, 3, 4 s."),
	preset("exponential", "Exponential", "exponential,base=1s,maxAttempts=5,retryAfter=ignore",
		"Eases off fast, but the herd comes back whole: 1, 3, 7 and 15 s after the failure.",
		"sleep(1 s · 2^(n−1)): 1, 2, 4, 8 s."),
	preset("exponential-percentage", "Exponential, ±10 %", "exponential,base=1s,jitter=percentage,maxAttempts=5,retryAfter=ignore",
		"The first retries still come within a fifth of a second.",
		"delay + delay·U[−0.1, 0.1]."),
	preset("exponential-full", "Exponential, full jitter", "exponential,base=1s,jitter=full,maxAttempts=5,retryAfter=ignore",
		"Spreads clients over the whole wait, and waits half as long on average.",
		"random · delay; Full Jitter of the AWS Architecture Blog's “Exponential Backoff And Jitter”."),
	preset("exponential-equal", "Exponential, equal jitter", "exponential,base=1s,jitter=equal,maxAttempts=5,retryAfter=ignore",
		"Spreads clients over half the wait, and never retries at once.",
		"delay/2 + random · delay/2; Equal Jitter of the AWS Architecture Blog's “Exponential Backoff And Jitter”."),
	preset("exponential-decorrelated", "Exponential, decorrelated jitter", "exponential,base=1s,cap=30s,jitter=decorrelated,maxAttempts=5,retryAfter=ignore",
		"Grows from the last wait as drawn, so it soon waits much longer than the schedule says.",
		"min(maxDelay, random·(3·prev − delay) + delay)."),
	preset("email-sender", "E-mail sender", "exponential,base=2s,jitter=additive,max=1s,maxAttempts=5,retryAfter=ignore",
		"Its second of jitter is wide beside the first wait and nothing beside the last.",
		"attempt++; sleep(2^attempt s + U[0, 1 s]): 2, 4, 8, 16 s, because the counter is raised before the power."),
	preset("capped", "Capped, half random", "exponential,base=1s,cap=30s,jitter=equal,maxAttempts=3,retryAfter=ignore",
		"Does not retry what the client did wrong, and three attempts bound the load; they end before most outages do.",
		"d = min(30 s, 1 s · 2^(n−1)); d/2 + random · d/2; no retry on a 4xx other than 429."),
	preset("filtered", "Linear, filtered", "linear,base=1s,maxAttempts=4,retryOn=unavailable/overloaded/rateLimited,retryAfter=ignore",
		"Retries only what may pass: connection failures, 503 and 429; not timeouts, which may have been served.",
		"sleep(1 s · n), 4 attempts."),
	preset("aws-full", "AWS, full jitter", "exponential,base=100ms,cap=10s,jitter=full",
		"The standard answer to a herd: few wasted attempts, everybody back soon after the server.",
		"sleep = random_between(0, min(cap, base · 2^attempt)), AWS Architecture Blog."),
	preset("aws-decorrelated", "AWS, decorrelated jitter", "constant,base=100ms,cap=10s,jitter=decorrelated",
		"Needs no attempt counter; a third of its waits are exactly the cap, where clients can meet again.",
		"sleep = min(cap, random_between(base, sleep · 3)), AWS Architecture Blog."),
	preset("grpc", "gRPC retry policy", "exponential,base=100ms,cap=1s,jitter=percentage,fraction=0.2,maxAttempts=4,retryOn=unavailable/overloaded/rateLimited,retryAfter=ignore",
		"Short waits for failures of a single backend; alone, without its throttling, too eager for an outage.",
		"min(initialBackoff · backoffMultiplier^(n−1), maxBackoff) · U[0.8, 1.2], gRPC proposal A6 and its example."),
}

// preset panics if text is not a policy: that is a mistake in the table above.
func preset(id, name, text, advice, source string) Preset {
	p, err := ParseText(text)
	if err != nil {
		panic("strategies: preset " + id + ": " + err.Error())
	}
	p.ID, p.Name = id, name
	return Preset{p, advice, source}
}
