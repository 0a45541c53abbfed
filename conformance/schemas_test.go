package conformance

// Formats whose own parser does not run here, held to schemas that are written from the documentation and the source of what
// reads them, and to the rules that a schema cannot say.

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/stampede-sim/stampede/strategies"
	"github.com/stampede-sim/stampede/strategies/spec"
	"github.com/stampede-sim/stampede/strategies/spec/spectest"
)

// validator reads a schema of the folder schemas.
func validator(t *testing.T, name string) func(document []byte) error {
	t.Helper()
	data, err := os.ReadFile("schemas/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(data, &schema); err != nil {
		t.Fatal(err)
	}
	return spectest.Validator(t, schema)
}

func parseDotnet(t *testing.T, text string, does strategies.Policy) error {
	if err := validator(t, "dotnet.json")([]byte(text)); err != nil {
		return err
	}
	var settings struct {
		Resilience struct {
			TotalRequestTimeout, AttemptTimeout struct{ Timeout string }
			Retry                               struct {
				MaxRetryAttempts int64
				Delay, MaxDelay  string
			}
			CircuitBreaker struct {
				FailureRatio                    float64
				MinimumThroughput               int64
				SamplingDuration, BreakDuration string
			}
		}
	}
	if err := json.Unmarshal([]byte(text), &settings); err != nil {
		return err
	}
	r := settings.Resilience
	total, attempt, sampling := timeSpan(r.TotalRequestTimeout.Timeout), timeSpan(r.AttemptTimeout.Timeout), timeSpan(r.CircuitBreaker.SamplingDuration)
	sum, c := time.Duration(0), does.Compile()
	for n := int64(1); n < does.MaxAttempts && sum <= total && n < 1e5; n++ {
		sum += time.Duration(c.Scheduled(n))
	}
	switch { // HttpStandardResilienceOptionsCustomValidator
	case attempt > total:
		return errors.New("the timeout of an attempt is longer than that of all")
	case sampling < 2*attempt:
		return errors.New("the sampling duration is less than twice the timeout of an attempt")
	case sum > total:
		return errors.New("the waits together are longer than the timeout of all")
	}
	var breaker error
	if does.Breaker.Kind != "" {
		b, a := r.CircuitBreaker, does.Breaker.Args
		breaker = errors.Join(same("FailureRatio", b.FailureRatio, a.Number("ratio")), same("MinimumThroughput", b.MinimumThroughput, a.Integer("window")),
			same("BreakDuration", timeSpan(b.BreakDuration), a.Duration("openFor")))
	} else if r.CircuitBreaker.MinimumThroughput != math.MaxInt32 {
		breaker = errors.New("the breaker can open")
	}
	return errors.Join(breaker,
		same("MaxRetryAttempts", r.Retry.MaxRetryAttempts, does.MaxAttempts-1),
		same("Delay", timeSpan(r.Retry.Delay), base(does)),
		same("MaxDelay", timeSpan(r.Retry.MaxDelay), does.Cap),
		same("TotalRequestTimeout", total, does.Deadline),
		same("AttemptTimeout", attempt, does.AttemptTimeout),
	)
}

// timeSpan reads what the schema lets through; nothing is 0.
func timeSpan(text string) (d time.Duration) {
	if days, rest, ok := strings.Cut(text, "."); ok && strings.Contains(rest, ":") {
		n, _ := strconv.Atoi(days)
		d, text = time.Duration(n)*24*time.Hour, rest
	}
	if text == "" {
		return d
	}
	parts := strings.Split(text, ":")
	clock, err := time.ParseDuration(parts[0] + "h" + parts[1] + "m" + parts[2] + "s")
	if err != nil {
		panic(err)
	}
	return d + clock
}

func parseResilience4j(t *testing.T, text string, does strategies.Policy) error {
	document, err := yaml.YAMLToJSONStrict([]byte(text))
	if err != nil {
		return err
	}
	if err := validator(t, "resilience4j.json")(document); err != nil {
		return err
	}
	var properties struct {
		Resilience4j struct {
			Retry struct {
				Instances map[string]struct {
					MaxAttempts                              int64
					WaitDuration, ExponentialMaxWaitDuration string
					ExponentialBackoffMultiplier             float64
					RandomizedWaitFactor                     float64
					RetryExceptions                          []string
				}
			}
			CircuitBreaker struct {
				Instances map[string]resilience4jBreaker
			}
		}
	}
	if err := json.Unmarshal(document, &properties); err != nil {
		return err
	}
	r := properties.Resilience4j.Retry.Instances["backend"]
	wait, err := time.ParseDuration(r.WaitDuration)
	longest := time.Duration(0)
	if r.ExponentialMaxWaitDuration != "" {
		longest, err = time.ParseDuration(r.ExponentialMaxWaitDuration)
	}
	return errors.Join(err,
		properties.Resilience4j.CircuitBreaker.Instances["backend"].is(does.Breaker, r.RetryExceptions),
		same("maxAttempts", r.MaxAttempts, does.MaxAttempts),
		same("waitDuration", wait, base(does)),
		same("exponentialMaxWaitDuration", longest, does.Cap),
		same("exponentialBackoffMultiplier", max(1, r.ExponentialBackoffMultiplier), factor(does)),
		same("randomizedWaitFactor", r.RandomizedWaitFactor, does.Jitter.Args.Number("fraction")),
	)
}

type resilience4jBreaker struct {
	SlidingWindowType                       string
	SlidingWindowSize, MinimumNumberOfCalls int64
	FailureRateThreshold                    float32
	WaitDurationInOpenState                 string
	RandomizedWaitFactor                    float64
	PermittedNumberOfCallsInHalfOpenState   int64
	RecordExceptions                        []string
}

// is holds a breaker that is written, with what is retried on, to what it is said to do.
func (b resilience4jBreaker) is(does spec.Choice, retried []string) error {
	a := does.Args
	if does.Kind == "" {
		return same("breaker", b.SlidingWindowType, "")
	}
	rules := strategies.Policy{Breaker: does}.NewBreaker()
	opens := 0 // with so many failures in a full window, at the least
	for failed := range b.SlidingWindowSize + 1 {
		if float32(failed)*100/float32(b.SlidingWindowSize) >= b.FailureRateThreshold {
			opens = int(failed)
			break
		}
	}
	wait, err := time.ParseDuration(b.WaitDurationInOpenState)
	if a.Text("onOpen") == "wait" {
		last := len(retried) - 1
		err = errors.Join(err, same("retryExceptions", retried[last], "io.github.resilience4j.circuitbreaker.CallNotPermittedException"))
		retried = retried[:last]
	}
	return errors.Join(err,
		same("slidingWindowType", b.SlidingWindowType, "COUNT_BASED"),
		same("minimumNumberOfCalls", b.MinimumNumberOfCalls, b.SlidingWindowSize),
		same("failureRateThreshold", opens, rules.Failures),
		same("waitDurationInOpenState", wait, a.Duration("openFor")),
		same("randomizedWaitFactor", b.RandomizedWaitFactor, a.Number("openJitter")),
		same("permittedNumberOfCallsInHalfOpenState", b.PermittedNumberOfCallsInHalfOpenState, int64(rules.Probes)),
		same("permittedNumberOfCallsInHalfOpenState", b.PermittedNumberOfCallsInHalfOpenState, int64(rules.Successes)),
		same("recordExceptions", strings.Join(b.RecordExceptions, ","), strings.Join(retried, ",")),
	)
}

// tenacityCalls are the parameters of what tenacity's wait.py and stop.py declare, by name; those given without a name first.
var tenacityCalls = map[string]string{
	"wait_fixed":              `\d+(\.\d+)?`,
	"wait_random":             `0, \d+(\.\d+)?`,
	"wait_incrementing":       `start=NUMBER, increment=NUMBER(, max=NUMBER)?`,
	"wait_exponential":        `multiplier=NUMBER, exp_base=NUMBER(, max=NUMBER)?`,
	"wait_random_exponential": `multiplier=NUMBER, exp_base=NUMBER(, max=NUMBER)?`,
	"stop_after_attempt":      `[1-9]\d*`,
	"stop_before_delay":       `NUMBER`,
}

var (
	tenacityFile = regexp.MustCompile(`^from tenacity import ([a-z_, ]+)\n\n\ndef is_transient\(error: BaseException\) -> bool:\n` +
		`    """To be retried: [a-zA-Z, ]+\."""\n    return True\n\n\nretrying = retry\(\n    retry=retry_if_exception\(is_transient\),\n` +
		`    wait=(.*),\n    stop=(.*),\n    reraise=True,\n\)\n$`)
	pythonCall = regexp.MustCompile(`^([a-z_]+)\(([^()]*)\)$`)
)

func parseTenacity(_ *testing.T, text string, does strategies.Policy) error {
	m := tenacityFile.FindStringSubmatch(text)
	if m == nil {
		return errors.New("not of the expected form")
	}
	used := []string{"retry", "retry_if_exception"}
	for _, call := range append(strings.Split(m[2], " + "), strings.Split(m[3], " | ")...) {
		if call == "stop_never" {
			used = append(used, call)
			continue
		}
		parts := pythonCall.FindStringSubmatch(call)
		if parts == nil {
			return fmt.Errorf("no call: %s", call)
		}
		parameters, known := tenacityCalls[parts[1]]
		parameters = strings.ReplaceAll(parameters, "NUMBER", `\d+(\.\d+)?`)
		if !known || !regexp.MustCompile("^"+parameters+"$").MatchString(parts[2]) {
			return fmt.Errorf("tenacity takes no such call: %s", call)
		}
		used = append(used, parts[1])
	}
	slices.Sort(used)
	attempts := "stop_after_attempt(" + strconv.FormatInt(does.MaxAttempts, 10) + ")"
	return errors.Join(
		same("imports", m[1], strings.Join(slices.Compact(used), ", ")),
		same("a limit on attempts", strings.Contains(m[3], attempts), does.MaxAttempts > 0),
		same("a limit in time", strings.Contains(m[3], "stop_before_delay"), does.Deadline > 0),
	)
}
