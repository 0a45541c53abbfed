package strategies

// A policy's delay table: for every retry the exact law of its delay, and of the wait up to it.

// Quantiles describe a distribution of delays, in seconds.
type Quantiles struct {
	Count int64   `json:"count,omitempty"` // of draws; 0 where exact
	Min   float64 `json:"min"`
	P5    float64 `json:"p5"`
	P25   float64 `json:"p25"`
	P50   float64 `json:"p50"`
	Mean  float64 `json:"mean"`
	P75   float64 `json:"p75"`
	P95   float64 `json:"p95"`
	Max   float64 `json:"max"`
	SD    float64 `json:"sd"`
	AtCap float64 `json:"atCap"` // probability of a delay of exactly the cap
}

// Cumulative describes the sum of the delays up to a retry, in seconds. Min, Mean and Max are exact. So is P95, by
// closed form or convolution, unless delays depend on each other: then it is nil until SampleP95 draws it.
type Cumulative struct {
	Min        float64  `json:"min"`
	Mean       float64  `json:"mean"`
	P95        *float64 `json:"p95"`
	Max        float64  `json:"max"`
	P95Sampled bool     `json:"p95Sampled,omitempty"`
}

// DelayRow is one row of a policy's delay table.
type DelayRow struct {
	Retry      int64      `json:"retry"`
	Scheduled  float64    `json:"scheduled"` // seconds, before jitter, after the cap unless the policy grows past it
	Exact      Quantiles  `json:"exact"`
	Cumulative Cumulative `json:"cumulative"`
}

// Delays returns the laws of the delays before retries 1, 2, …, retries. They are closed forms where the jitter draws
// from a window that depends on the retry alone, else integrated numerically, to within 0.1 % of the longest delay.
func (c *Compiled) Delays(retries int) []DelayRow {
	rows := make([]DelayRow, retries)
	switch {
	case c.moment != nil:
		c.telescoped(rows)
	case c.feedback:
		c.dependent(rows)
	default:
		c.independent(rows)
	}
	return rows
}

// independent fills in the rows of a policy whose delays do not depend on each other.
func (c *Compiled) independent(rows []DelayRow) {
	sum := newTotal()
	for i := range rows {
		n := int64(i) + 1
		w := c.window(n, 0)
		delay := clamped{float64(w.Lo), float64(w.Lo + w.Span), float64(c.clamp)}
		sum.add(delay)
		rows[i] = DelayRow{Retry: n, Scheduled: seconds(float64(c.Scheduled(n))), Exact: c.describe(n, delay), Cumulative: sum.describe()}
	}
}

// dependent fills in the rows of a policy with feedback.
func (c *Compiled) dependent(rows []DelayRow) {
	delay, steady := certain(float64(c.First())), false
	var exact Quantiles
	var sum Cumulative
	for i := range rows {
		n := int64(i) + 1
		s := c.Scheduled(n)
		if !steady {
			before := delay
			lo, hi := c.Bounds(n)
			delay = before.next(func(prev int64) (int64, int64) { return c.jitter(n, s, prev) }, float64(lo), float64(hi))
			exact = c.describe(n, delay)
			steady = c.settled && i >= len(c.windows) && delay.near(before)
		}
		sum.Min, sum.Mean, sum.Max = sum.Min+exact.Min, sum.Mean+exact.Mean, sum.Max+exact.Max
		rows[i] = DelayRow{Retry: n, Scheduled: seconds(float64(s)), Exact: exact, Cumulative: sum}
	}
}

// describe gives the law of retry n in seconds.
func (c *Compiled) describe(n int64, l law) Quantiles {
	lo, hi := c.Bounds(n)
	mean, sd := l.moments()
	q := Quantiles{
		Min:  seconds(float64(lo)),
		P5:   seconds(l.quantile(0.05)),
		P25:  seconds(l.quantile(0.25)),
		P50:  seconds(l.quantile(0.50)),
		Mean: seconds(mean),
		P75:  seconds(l.quantile(0.75)),
		P95:  seconds(l.quantile(0.95)),
		Max:  seconds(float64(hi)),
		SD:   seconds(sd),
	}
	if c.cap < Saturated {
		q.AtCap = l.exactly(float64(c.cap))
	}
	return q
}

// describe gives the law of a sum in seconds.
func (t *total) describe() Cumulative {
	p95 := seconds(t.quantile(0.95))
	return Cumulative{Min: seconds(t.min), Mean: seconds(t.mean), P95: &p95, Max: seconds(t.max)}
}

func seconds(ns float64) float64 { return ns / 1e9 }
