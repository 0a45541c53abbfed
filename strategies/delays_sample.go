package strategies

// The wait up to a retry where delays depend on each other: its quantiles have no closed form, so they are drawn.

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

// sampledPaths is how many clients are drawn; the standard error of a probability of 95 % is then 0.02 %.
const sampledPaths = 1_000_000

// SampleP95 fills in the 95th percentiles of the cumulative waits that are missing from rows, which must be what
// Delays returned. They come from 10^6 draws with a fixed seed, which take about 10 ms a row. It returns ctx's error
// if it ends.
func (c *Compiled) SampleP95(ctx context.Context, rows []DelayRow) error {
	if !slices.ContainsFunc(rows, func(r DelayRow) bool { return r.Cumulative.P95 == nil }) {
		return nil
	}
	source := rand.NewPCG(1, 1)
	kept, sums := make([]int64, sampledPaths), make([]float64, sampledPaths)
	for i := range kept {
		kept[i] = c.First()
	}
	for r := range rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		for i, prev := range kept {
			u := source.Uint64()
			d := c.Draw(rows[r].Retry, prev, u)
			kept[i] = c.Keep(d, u)
			sums[i] += float64(d)
		}
		if rows[r].Cumulative.P95 != nil {
			continue
		}
		p95 := seconds(nthSmallest(sums, sampledPaths*95/100))
		rows[r].Cumulative.P95, rows[r].Cumulative.P95Sampled = &p95, true
	}
	return nil
}

// nthSmallest returns the n-th smallest, from 1, of values of at least 0. It counts them in cells about 1/400 as wide
// as the values in them, and sorts the one cell that holds it.
func nthSmallest(values []float64, n int) float64 {
	cell := func(x float64) uint64 { return math.Float64bits(x) >> 44 }
	counts := make([]int, cell(math.MaxFloat64)+1)
	for _, x := range values {
		counts[cell(x)]++
	}
	wanted := uint64(0)
	for n > counts[wanted] {
		n -= counts[wanted]
		wanted++
	}
	var candidates []float64
	for _, x := range values {
		if cell(x) == wanted {
			candidates = append(candidates, x)
		}
	}
	slices.Sort(candidates)
	return candidates[n-1]
}
