package strategies_test

import (
	"context"
	"fmt"
	"time"

	"github.com/stampede-sim/stampede/strategies"
)

// A compiled policy gives the delay of any retry from a uniform random number, here always the middle one.
func ExamplePolicy_Compile() {
	policy, err := strategies.ParseText("exponential,base=100ms,cap=1s,jitter=equal")
	if err != nil {
		fmt.Println(err)
		return
	}
	c := policy.Compile()
	prev := c.First()
	for n := int64(1); n <= 6; n++ {
		lo, hi := c.Bounds(n)
		d := c.Draw(n, prev, 1<<63)
		prev = c.Keep(d, 1<<63)
		fmt.Println(n, time.Duration(c.Scheduled(n)), time.Duration(lo), time.Duration(hi), time.Duration(d))
	}
	// Output:
	// 1 100ms 50ms 100ms 75ms
	// 2 200ms 100ms 200ms 150ms
	// 3 400ms 200ms 400ms 300ms
	// 4 800ms 400ms 800ms 600ms
	// 5 1s 500ms 1s 750ms
	// 6 1s 500ms 1s 750ms
}

// Capped after jitter, half of the delays of retries that have reached the cap are exactly the cap.
func ExampleCompiled_Delays() {
	policy, err := strategies.ParseText("exponential,base=1s,cap=4s,capAfterJitter=true,jitter=percentage")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, row := range policy.Compile().Delays(4) {
		d, sum := row.Exact, row.Cumulative
		fmt.Printf("%d: %.2f to %.2f s, mean %.2f s, at the cap %.0f %%; in all mean %.2f s, 95 %% within %.2f s\n",
			row.Retry, d.Min, d.Max, d.Mean, 100*d.AtCap, sum.Mean, *sum.P95)
	}
	// Output:
	// 1: 0.90 to 1.10 s, mean 1.00 s, at the cap 0 %; in all mean 1.00 s, 95 % within 1.09 s
	// 2: 1.80 to 2.20 s, mean 2.00 s, at the cap 0 %; in all mean 3.00 s, 95 % within 3.21 s
	// 3: 3.60 to 4.00 s, mean 3.90 s, at the cap 50 %; in all mean 6.90 s, 95 % within 7.18 s
	// 4: 3.60 to 4.00 s, mean 3.90 s, at the cap 50 %; in all mean 10.80 s, 95 % within 11.14 s
}

// The delays of decorrelated jitter depend on each other, so the 95th percentile of their sum has to be drawn.
func ExampleCompiled_SampleP95() {
	policy, err := strategies.ParseText("constant,base=100ms,cap=10s,jitter=decorrelated")
	if err != nil {
		fmt.Println(err)
		return
	}
	c := policy.Compile()
	rows := c.Delays(3)
	fmt.Println(rows[2].Cumulative.P95 == nil)
	if err := c.SampleP95(context.Background(), rows); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("95 %% within %.2f s, drawn: %v\n", *rows[2].Cumulative.P95, rows[2].Cumulative.P95Sampled)
	// Output:
	// true
	// 95 % within 2.27 s, drawn: true
}
