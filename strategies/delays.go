package strategies

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

// Cumulative describes the sum of the delays up to a retry, in seconds. Min, Mean and Max are exact; P95 is where
// it has a closed form, else it comes from draws with a fixed seed and P95Sampled says so.
type Cumulative struct {
	Min        float64 `json:"min"`
	Mean       float64 `json:"mean"`
	P95        float64 `json:"p95"`
	Max        float64 `json:"max"`
	P95Sampled bool    `json:"p95Sampled,omitempty"`
}

// DelayRow is one row of a policy's delay table.
type DelayRow struct {
	Retry      int64      `json:"retry"`
	Scheduled  float64    `json:"scheduled"` // seconds, after the cap, before jitter
	Exact      Quantiles  `json:"exact"`
	Cumulative Cumulative `json:"cumulative"`
}
