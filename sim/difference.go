package sim

// Difference returns a − b of one metric of two policies: the mean of the differences within each replication, and its
// 95 % Student-t interval. Both policies meet the same random numbers in a replication, so what these have in common
// cancels out, and the interval is narrower than those of a and b suggest. It needs Values, and takes the replications
// in which both exist.
func Difference(a, b Metric) Metric {
	var d Metric
	var exist []float64
	for i := range min(len(a.Values), len(b.Values)) {
		if a.Values[i] == nil || b.Values[i] == nil {
			d.Values = append(d.Values, nil)
			continue
		}
		x := *a.Values[i] - *b.Values[i]
		d.Values = append(d.Values, &x)
		exist = append(exist, x)
	}
	d.Mean, d.Low, d.High = interval(exist)
	return d
}
