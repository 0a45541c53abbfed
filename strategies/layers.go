package strategies

import "math"

// Layers are services that call one another, the first called by the user, each of which makes so many attempts at the
// next; the last of them calls what does the work. Each attempt there fails with one probability, whatever the others do.
type Layers []int64

// MaxLayered is the most attempts that layers may multiply to.
const MaxLayered = 1_000_000_000_000

// Reached returns, layer by layer, how many attempts of a layer a request of the user's makes if all of them fail: the
// product of the attempts so far. ok is false if that exceeds MaxLayered.
func (l Layers) Reached() (attempts []int64, ok bool) {
	product := int64(1)
	for _, n := range l {
		if n < 1 || product > MaxLayered/n {
			return nil, false
		}
		product *= n
		attempts = append(attempts, product)
	}
	return attempts, true
}

// Expected returns, layer by layer, how many attempts of a layer a request makes on average where one at the bottom fails
// with probability p.
//
// What layer i calls fails with probability q(i) = p^(product of the attempts below it), so that a call of layer i makes
// (1 − q^n)/(1 − q) attempts, q = q(i) and n those of the layer. By Wald's identity these multiply from layer to layer,
// and the product telescopes: layers are no other than one layer whose attempts are the product of theirs,
// (1 − q^N)/(1 − q) with N the product down to layer i.
func (l Layers) Expected(p float64) []float64 {
	expected := make([]float64, len(l))
	product := 1.0
	below := 1.0
	for _, n := range l {
		below *= float64(n)
	}
	for i, n := range l {
		product *= float64(n)
		below /= float64(n)
		expected[i] = powerSum(math.Pow(p, below), product)
	}
	return expected
}

// Fails returns the probability that the user's request fails: that all attempts at the bottom do. It is 0
// only if p is.
func (l Layers) Fails(p float64) float64 {
	n := 1.0
	for _, a := range l {
		n *= float64(a)
	}
	if p == 0 {
		return 0
	}
	return max(math.Pow(p, n), math.SmallestNonzeroFloat64)
}

// powerSum is 1 + q + … + q^(n−1), also where q is next to 1.
func powerSum(q, n float64) float64 {
	switch q {
	case 0:
		return 1
	case 1:
		return n
	}
	log := math.Log(q)
	return math.Expm1(n*log) / math.Expm1(log)
}
