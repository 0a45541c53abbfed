package strategies

// What real implementations do if they are told nothing else.

import "slices"

// Library is an implementation at its defaults.
type Library struct {
	Policy  Policy `json:"policy"`
	Group   string `json:"group"`   // its language, or what sort of system it is
	Version string `json:"version"` // that the defaults were read from
	Source  string `json:"source"`  // where: file or document
	Differs string `json:"differs"` // what it does that the policy cannot say, or what surprises; "" if nothing
}

// Libraries returns the implementations, those of a group together.
func Libraries() []Library { return slices.Clone(libraries) }

const (
	everything = ",retryOn=unavailable/timeout/overloaded/rateLimited/transient/permanent/conflict"
	httpErrors = ",retryOn=unavailable/timeout/overloaded/rateLimited/transient"
	noHint     = ",retryAfter=ignore"
)

// libraries is the catalogue. A new one is an entry here and its formula in the test.
var libraries = []Library{
	library("Go", "cenkalti-backoff", "cenkalti/backoff", "exponential,base=500ms,factor=1.5,cap=1m,jitter=percentage,fraction=0.5,deadline=15m"+everything+noHint,
		"7.0.3", "exponential.go, retry.go",
		"It caps before jitter: a wait may exceed the minute by 50 %. The first attempt counts towards the 15 minutes."),
	library("Go", "go-retryablehttp", "hashicorp/go-retryablehttp", "exponential,base=1s,cap=30s,maxAttempts=5"+httpErrors,
		"0.7.8", "client.go: DefaultBackoff, DefaultRetryPolicy",
		"A Retry-After replaces the wait, even by a shorter one, and is not held to the 30 s. No jitter."),
	library("Go", "failsafe-go", "failsafe-go", "immediate,maxAttempts=3"+everything+noHint,
		"0.9.8", "retrypolicy/retry.go: NewBuilder", "Two retries, at once."),
	library("Go", "retry-go", "avast/retry-go", "exponential,base=100ms,jitter=additive,max=100ms,maxAttempts=10"+everything+noHint,
		"5.1.1", "retry.go, options.go: CombineDelay of BackOffDelay and RandomDelay",
		"No longest wait; the tenth of a second of jitter is lost beside the last waits."),
	library("Go", "go-retry", "sethvargo/go-retry Exponential", "exponential,base=1s"+everything+noHint,
		"0.5.0", "backoff_exponential.go, retry.go",
		"It has no first wait of its own; shown is 1 s. It retries nothing but what is wrapped in RetryableError; neither limit, longest wait nor jitter unless WithMaxRetries and the like add them. Its Fibonacci waits 1, 2, 3, 5 times the first."),
	library("Go", "gax-go", "googleapis/gax-go", "exponential,base=1s,cap=30s,jitter=full,retryOn=unavailable/overloaded"+noHint,
		"2.27", "call_option.go: Backoff", "It retries nothing unless it is given codes; shown is UNAVAILABLE. A wait is at least 1 ns."),
	library("Go", "client-go-conflict", "client-go RetryOnConflict", "constant,base=10ms,jitter=range,low=1,high=1.1,maxAttempts=5,retryOn=conflict"+noHint,
		"0.37", "util/retry: DefaultRetry; apimachinery wait.Backoff", "Meant for conflicts alone; its jitter only lengthens, by at most a millisecond."),
	library("Go", "client-go-workqueue", "client-go workqueue", "exponential,base=5ms,cap=1000s"+everything+noHint,
		"0.37", "workqueue/default_rate_limiters.go: ItemExponentialFailureRateLimiter",
		"Beside it a token bucket for the whole queue lets 10 a second through, which the policy does not have."),
	library("Go", "azure-go", "Azure SDK for Go", "geometric,base=800ms,cap=1m,growsPastCap=true,jitter=range,low=0.8,high=1.3,maxAttempts=4,retryAfter=giveUp"+httpErrors,
		"azcore 1.24", "sdk/internal/exported, runtime/policy_retry.go: calcDelay",
		"It multiplies by 2^n − 1, so the second wait is three times the first. A Retry-After replaces the wait."),
	library("Go", "aws-go", "AWS SDK for Go, standard", "exponential,base=50ms,cap=20s,jitter=full,maxAttempts=3,budget.kind=aws,budget.retryCost=14,budget.timeoutCost=14"+httpErrors+noHint,
		"aws-sdk-go-v2 1.48", "aws/retry: standard.go, jitter_backoff.go", "After throttling it starts from 1 s and pays 5 tokens instead of 14."),
	library("Go", "franz-go", "franz-go", "exponential,base=250ms,cap=5s,growsPastCap=true,jitter=percentage,fraction=0.2,maxAttempts=21,deadline=30s"+noHint,
		"1.22.3", "pkg/kgo: config.go, client.go, errors.go",
		"The schedule grows on past the 5 s, so from the sixth on all waits are exactly 5 s: clients meet there. A connection refused is retried at another broker, if there is one; one that fails otherwise is tried twice before each wait. Requests of consumer groups have the session's timeout as their deadline."),
	library("Go", "grpc-connection", "grpc-go, connecting", "exponential,base=1s,factor=1.6,cap=2m,jitter=laterPercentage,fraction=0.2"+everything+noHint,
		"1.85.0", "backoff/backoff.go, internal/backoff/backoff.go: Exponential.Backoff",
		"This is how a connection is made anew, not how a request is retried. It caps before jitter: a wait may exceed the two minutes by 20 %. An attempt may take 20 s, or as long as the wait after it if that is longer. No limit."),
	library("Java", "resilience4j", "resilience4j", "constant,base=500ms,maxAttempts=3"+everything+noHint,
		"read in November 2026", "RetryConfig.java: DEFAULT_WAIT_DURATION, DEFAULT_MAX_ATTEMPTS", "Neither growth nor jitter unless both are switched on."),
	library("Java", "spring-retry", "Spring Retry ExponentialBackOffPolicy", "exponential,base=100ms,cap=30s,maxAttempts=3"+everything+noHint,
		"the last one; archived in 2025", "ExponentialBackOffPolicy.java, SimpleRetryPolicy.java", "Without a back-off policy a RetryTemplate retries at once, and @Retryable waits 1 s each time. ExponentialRandomBackOffPolicy is the one with jitter."),
	library("Java", "spring-framework", "Spring Framework ExponentialBackOff", "exponential,base=2s,factor=1.5,cap=30s"+everything+noHint,
		"7", "org.springframework.util.backoff.ExponentialBackOff", "No limit and no jitter by default."),
	library("Java", "kafka-java", "Kafka client for Java", "exponential,base=100ms,cap=1s,capAfterJitter=true,jitter=percentage,fraction=0.2,deadline=2m"+noHint,
		"read in November 2026", "ExponentialBackoff.java; retry.backoff.ms, retry.backoff.max.ms, delivery.timeout.ms",
		"It caps after jitter: half of the late waits are exactly 1 s."),
	library(".NET", "polly", "Polly", "constant,base=2s,maxAttempts=4"+everything+noHint,
		"8, of August 2026", "RetryStrategyOptions.TResult.cs, RetryHelper.cs", "Neither growth nor jitter by default; jitter on doubling waits follows a formula of its own."),
	library(".NET", "dotnet-http-resilience", "Microsoft.Extensions.Http.Resilience", "exponential,base=2s,jitter=decorrelatedV2,maxAttempts=4,attemptTimeout=10s,deadline=30s"+httpErrors,
		"read in December 2026", "HttpRetryStrategyOptions.cs, HttpStandardResilienceOptions.cs; RetryHelper.cs of Polly 8",
		"Shown is the standard handler. A Retry-After replaces the wait, even by a shorter one. Its 30 s end the attempt under way, too. Its breaker, which opens when a tenth fails of a hundred attempts within 30 s, and its limit of a thousand at once are left out."),
	library("JavaScript", "p-retry", "p-retry", "exponential,base=1s,maxAttempts=11"+everything+noHint,
		"7.1.1", "index.js", "Without jitter: randomize is off. TypeErrors that are no network errors are not retried."),
	library("JavaScript", "axios-retry", "axios-retry", "immediate,maxAttempts=4,retryOn=unavailable/overloaded/rateLimited/transient"+noHint,
		"4.5", "src/index.ts: DEFAULT_OPTIONS", "Three retries at once, of idempotent requests."),
	library("JavaScript", "cockatiel", "cockatiel ExponentialBackoff", "exponential,base=128ms,cap=30s,jitter=decorrelatedV2"+everything+noHint,
		"4.0.0", "RetryPolicy.ts, ExponentialBackoff.ts, ExponentialBackoffGenerators.ts",
		"Without a backoff it retries at once. No limit unless it is given maxAttempts, which counts retries. It caps after jitter: before long nearly all waits are exactly 30 s."),
	library("JavaScript", "kafkajs", "kafkajs", "constant,base=150ms,cap=30s,jitter=compounding,low=1.6,high=2.4,maxAttempts=6"+noHint,
		"2.2.4", "src/retry/index.js, defaults.js", "What chance does to one wait it does to all later ones: each is 1.6 to 2.4 times the last as drawn. The first is 300 ms give or take 20 %."),
	library("JavaScript", "bullmq", "BullMQ", "exponential,base=1s,maxAttempts=3"+everything+noHint,
		"6.7.0", "classes/backoffs.ts, classes/job.ts; documentation: Retrying failing jobs",
		"It retries nothing unless a job has attempts; shown is the example of its documentation. No longest wait. A queue has the wait between two runs of a job, not a client that waits."),
	library("JavaScript", "azure-js", "Azure SDK for JavaScript", "exponential,base=1s,cap=64s,jitter=equal,maxAttempts=4,retryOn=unavailable/timeout/overloaded/rateLimited/transient",
		"ts-http-runtime 0.3.11", "retryStrategies/exponentialRetryStrategy.ts, util/delay.ts", "A Retry-After replaces the wait; a 429 is retried only with one."),
	library("Python", "botocore", "AWS SDK for Python, standard", "exponential,base=1s,cap=20s,jitter=full,maxAttempts=3,budget.kind=aws"+httpErrors+noHint,
		"of August 2026", "retries/standard.py", ""),
	library("Python", "botocore-legacy", "AWS SDK for Python, legacy", "exponential,base=1s,jitter=full,maxAttempts=5"+httpErrors+noHint,
		"of August 2026", "retryhandler.py, data/_retry.json", "No longest wait. DynamoDB has ten attempts that start from 50 ms."),
	library("Python", "google-api-core", "google-api-core", "exponential,base=1s,cap=1m,jitter=full,deadline=2m,retryOn=unavailable/overloaded/rateLimited/transient"+noHint,
		"read in November 2026", "retry/retry_base.py: exponential_sleep_generator", ""),
	library("Python", "tenacity", "tenacity wait_exponential_jitter", "exponential,base=1s,jitter=additive,max=1s"+everything+noHint,
		"of July 2026", "wait.py, stop.py", "@retry without arguments does not even wait. No limit by default."),
	library("Python", "backoff", "backoff.expo", "exponential,base=1s,jitter=full"+everything+noHint,
		"2.2", "_wait_gen.py, _jitter.py", "Neither a limit nor a longest wait by default."),
	library("Python", "urllib3", "urllib3 Retry", "immediate,maxAttempts=11,retryOn=unavailable/timeout/overloaded/rateLimited",
		"read in November 2026", "util/retry.py", "Ten retries at once: backoff_factor is 0. A request that is given no Retry has three. It retries 503 and 429 only if they come with Retry-After."),
	library("Python", "celery", "Celery, retry_backoff=True", "exponential,base=1s,cap=10m,jitter=full,maxAttempts=4"+everything+noHint,
		"read in November 2026", "utils/time.py: get_exponential_backoff_interval", "It draws whole seconds, so clients meet at every one of them."),
	library("Ruby", "sidekiq", "Sidekiq", "offsetPolynomial,base=15s,step=1s,power=4,jitter=growing,max=10s,maxAttempts=26"+everything+noHint,
		"8.1.7", "lib/sidekiq/job_retry.rb: delay_for, process_retry",
		"It draws whole seconds, the last of them left out. A queue has the waits, which take three weeks in all, and is looked through every few seconds."),
	library("Rust", "backon", "backon", "exponential,base=1s,cap=1m,maxAttempts=4"+everything+noHint,
		"read in November 2026", "backoff/exponential.rs", "No jitter by default."),
	library("Platforms", "temporal", "Temporal", "exponential,base=1s,cap=100s"+everything+noHint,
		"server 1.30", "common/retrypolicy; common/backoff/retrypolicy.go", "Neither jitter nor limit by default."),
	library("Platforms", "envoy", "Envoy", "exponential,base=25ms,cap=250ms,jitter=full,maxAttempts=2,retryOn=unavailable"+noHint,
		"read in November 2026", "retry_state_impl.cc, backoff_strategy.cc", "It retries nothing unless retry_on names it; shown is connect-failure. It draws whole milliseconds, from 0."),
	library("Platforms", "istio", "Istio", "exponential,base=25ms,cap=250ms,jitter=full,maxAttempts=3,retryOn=unavailable/overloaded"+noHint,
		"read in November 2026", "pilot/pkg/networking/core/route/retry: DefaultPolicy", "Its unavailable is the status of gRPC; an HTTP 503 is not retried. The longest wait cannot be set."),
	library("Platforms", "step-functions", "AWS Step Functions", "exponential,base=1s,maxAttempts=4"+everything+noHint,
		"documentation of November 2026", "Developer guide: IntervalSeconds 1, MaxAttempts 3, BackoffRate 2", "It retries nothing unless a state has Retry. No jitter unless JitterStrategy is FULL."),
	library("Platforms", "crash-loop", "Kubernetes CrashLoopBackOff", "list,delays=0s/10s/20s/40s/80s/160s/5m"+everything+noHint,
		"1.37", "pkg/kubelet/kuberuntime: doBackOff; client-go flowcontrol.Backoff; documentation: How Pods handle problems with containers",
		"A container that fails for the first time is restarted at once. It starts anew once a container has been well for 10 minutes."),
}

// library panics if text is not a policy: that is a mistake in the table above.
func library(group, id, name, text, version, source, differs string) Library {
	return Library{preset(id, name, text, "", "").Policy, group, version, source, differs}
}
