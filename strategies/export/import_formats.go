package export

// What each format that can be read means. The words are those that its export writes.

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stampede-sim/stampede/strategies"
	"github.com/stampede-sim/stampede/strategies/spec"
)

// known splits names into the classes that they stand for; names that stand for none are noted.
func (f *fields) known(v vocabulary, names []string) strategies.Classes {
	all := v.names(strategies.AllClasses)
	for _, name := range names {
		if !slices.Contains(all, name) {
			f.note("%.60q stands for none of the failures that a policy knows", name)
		}
	}
	set := v.classes(names)
	if set == 0 {
		f.faults.Addf(f.at, "nothing is retried on; known are %s", strings.Join(all, ", "))
	}
	return set
}

// first returns the first of a list's items that is right, and notes that there are more.
func first(items []node, right func(node) bool) (node, bool) {
	i := slices.IndexFunc(items, right)
	if i < 0 {
		return node{}, false
	}
	if len(items) > 1 {
		items[i].note("of %d entries only the one at %s was read", len(items), items[i].at)
	}
	return items[i], true
}

func has(key string) func(node) bool {
	return func(n node) bool {
		o, _ := n.value.(object)
		return o.find(key) >= 0
	}
}

func readGRPC(root node) strategies.Policy {
	top, deadline, budget := root.object(), time.Duration(0), spec.Choice{}
	retry := root
	if methods, ok := top.take("methodConfig"); ok {
		method, ok := first(methods.list(), has("retryPolicy"))
		if !ok {
			root.faults.Add(root.at+"/methodConfig", "methodConfig has no entry with a retryPolicy")
			return strategies.Policy{}
		}
		m := method.object()
		retry, _ = m.take("retryPolicy")
		deadline = m.duration("timeout", 0)
		m.take("name")
		m.ignore()
		if throttle, ok := top.take("retryThrottling"); ok {
			t := throttle.object()
			budget = choiceOf("grpc", "maxTokens", t.whole("maxTokens", 1, 1000, 10), "tokenRatio", t.number("tokenRatio", 0.001, 1000, 0.1))
			t.none("maxTokens, tokenRatio")
		}
		top.ignore()
	}
	f := retry.object()
	attempts := f.whole("maxAttempts", 2, math.MaxInt32, 5)
	if attempts > 5 {
		f.note("maxAttempts is %d; gRPC takes that for 5", attempts)
		attempts = 5
	}
	p := multiplying(f.required("initialBackoff"), f.required("maxBackoff"), f.number("backoffMultiplier", 1, 10, 2), plusMinus(0.2).jitter)
	p.MaxAttempts, p.Deadline, p.Budget = attempts, deadline, budget
	p.RetryOn = f.known(grpcCodes, f.texts("retryableStatusCodes"))
	f.none("maxAttempts, initialBackoff, maxBackoff, backoffMultiplier, retryableStatusCodes")
	return p
}

func readStepFunctions(root node) strategies.Policy {
	retrier, timeout := root, time.Duration(0)
	if _, list := root.value.([]any); list || has("Retry")(root) {
		if !list {
			state := root.object()
			timeout = time.Duration(state.seconds("TimeoutSeconds", 0)) * time.Second
			root, _ = state.take("Retry")
			state.ignore()
		}
		var ok bool
		if retrier, ok = first(root.list(), func(n node) bool { return true }); !ok {
			root.faults.Add(root.at, "Retry has no entry")
			return strategies.Policy{}
		}
	}
	f := retrier.object()
	p := multiplying(time.Duration(f.whole("IntervalSeconds", 1, 604800, 1))*time.Second,
		time.Duration(f.seconds("MaxDelaySeconds", 0))*time.Second, f.number("BackoffRate", 1, 10, 2), noJitter.jitter)
	p.MaxAttempts, p.AttemptTimeout = f.whole("MaxAttempts", 0, mostASL, 3)+1, timeout
	if n, ok := f.take("JitterStrategy"); ok {
		switch n.value {
		case "FULL":
			p.Jitter = fullJitter.jitter
		case "NONE":
		default:
			n.wrong("FULL or NONE")
		}
	}
	if names := f.texts("ErrorEquals"); !slices.Equal(names, []string{"States.ALL"}) {
		p.RetryOn = f.known(aslErrors, names)
	}
	f.none("ErrorEquals, IntervalSeconds, MaxAttempts, BackoffRate, MaxDelaySeconds, JitterStrategy")
	return p
}

// seconds takes whole seconds that need not be given.
func (f *fields) seconds(key string, absent int64) int64 {
	if f.rest.find(key) < 0 {
		return absent
	}
	return f.whole(key, 1, int64(maxDuration/time.Second), absent)
}

func readTemporal(root node) strategies.Policy {
	f := root.object()
	initial := f.duration("initialInterval", time.Second)
	if initial == 0 {
		initial = time.Second
		f.note("initialInterval is 0, for which Temporal takes 1s")
	}
	most := f.duration("maximumInterval", min(100*initial, maxDuration))
	if most < initial {
		f.faults.Addf(f.at+"/maximumInterval", "maximumInterval must be at least initialInterval (%s), not %s", protoSeconds(initial), protoSeconds(most))
	}
	p := multiplying(initial, most, f.number("backoffCoefficient", 1, 10, 2), noJitter.jitter)
	p.MaxAttempts = f.whole("maximumAttempts", 0, math.MaxInt32, 0)
	for _, name := range f.texts("nonRetryableErrorTypes") {
		class := strategies.ClassesOf(name)
		if class == 0 {
			f.note("the error type %.60q is none of the failures that a policy knows", name)
		}
		p.RetryOn &^= class
	}
	f.none("initialInterval, backoffCoefficient, maximumInterval, maximumAttempts, nonRetryableErrorTypes")
	return p
}

// envoyGroups are the words of retry_on that stand for several others.
var envoyGroups = map[string][]string{
	"5xx":           {"connect-failure", "refused-stream", "reset", "500", "502", "503"},
	"gateway-error": {"reset", "502", "503"},
	"retriable-4xx": {"409"},
}

// readEnvoy reads a RetryPolicy, or one beside the circuit breakers of its cluster.
func readEnvoy(root node) strategies.Policy {
	f := root.object()
	if breakers, ok := f.take("circuitBreakers"); ok {
		retry, ok := f.take("retryPolicy")
		if !ok {
			root.faults.Add(root.at+"/retry_policy", "retry_policy is required beside circuit_breakers")
			return strategies.Policy{}
		}
		f.ignore()
		p := readEnvoy(retry)
		p.Budget = breakers.object().envoyBudget()
		return p
	}
	var words []string
	if n, ok := f.take("retryOn"); ok {
		text, ok := n.value.(string)
		if !ok {
			n.wrong("a text of words with commas between")
		}
		for word := range strings.SplitSeq(text, ",") {
			word = strings.TrimSpace(word)
			switch {
			case envoyGroups[word] != nil:
				words = append(words, envoyGroups[word]...)
			case word != "retriable-status-codes" && word != "":
				words = append(words, word)
			}
		}
	}
	if n, ok := f.take("retriableStatusCodes"); ok {
		for _, code := range n.list() {
			number, ok := code.value.(json.Number)
			if status, err := strconv.Atoi(string(number)); !ok || err != nil || status < 100 || status > 599 {
				code.wrong("a status from 100 to 599")
			}
			words = append(words, string(number))
		}
	}
	first, longest := 25*time.Millisecond, time.Duration(0)
	if n, ok := f.take("retryBackOff"); ok {
		b := n.object()
		first = b.required("baseInterval")
		longest = b.duration("maxInterval", min(10*first, maxDuration))
		if longest < first {
			n.faults.Addf(n.at+"/max_interval", "max_interval must be at least base_interval (%s), not %s", protoSeconds(first), protoSeconds(longest))
		}
		b.none("base_interval, max_interval")
	} else {
		longest = 10 * first
		f.note("retry_back_off is not given: 0.025s to 0.25s by default")
	}
	p := multiplying(first, longest, 2, fullJitter.jitter)
	p.MaxAttempts = f.whole("numRetries", 0, strategies.MaxRetry-1, 1) + 1
	p.AttemptTimeout = f.duration("perTryTimeout", 0)
	if _, ok := f.take("rateLimitedRetryBackOff"); ok {
		p.RetryAfter = strategies.FloorJitter
	}
	p.RetryOn = f.known(envoyWords, words)
	f.ignore()
	return p
}

// isEnvoyCluster reports whether a part of a document has circuit breakers and no retry policy: Envoy has those in the
// routes of listeners.
func isEnvoyCluster(n node) bool { return has("circuitBreakers")(n) && !has("retryPolicy")(n) }

// envoyBudget takes the retry budget of a cluster's circuit breakers.
func (f *fields) envoyBudget() spec.Choice {
	var thresholds []node
	if n, ok := f.take("thresholds"); ok {
		thresholds = n.list()
	}
	threshold, ok := first(thresholds, has("retryBudget"))
	f.ignore()
	if !ok {
		f.note("the circuit breakers have no retry_budget: by default 3 retries may be under way, which is left out")
		return spec.Choice{}
	}
	t := threshold.object()
	budget, _ := t.take("retryBudget")
	t.ignore()
	b, percent := budget.object(), 20.0
	if n, ok := b.take("budgetPercent"); ok {
		p := n.object()
		percent = p.number("value", 0, 100, 0)
		p.none("value")
	} else {
		f.note("budget_percent is not given: 20 by default")
	}
	burst := float64(b.whole("minRetryConcurrency", 0, 1e6, 3))
	if burst == 0 {
		burst = 1
		f.note("min_retry_concurrency is 0; read is 1, the least that a budget can hold")
	}
	b.ignore()
	ratio := math.Round(percent*10) / 1000
	if math.Abs(ratio*100-percent) > 1e-9 {
		f.note("budget_percent is %s; read is %s, as a budget counts thousandths of a token", spec.Format(percent), spec.Format(ratio*100))
	}
	return choiceOf("ratio", "ratio", ratio, "burst", burst, "minPerSecond", 0.0)
}
