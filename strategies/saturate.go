package strategies

// Arithmetic on delays: nanoseconds from 0 to Saturated that stop there instead of overflowing.

import (
	"math"
	"math/bits"
)

// add returns a + b, saturating.
func add(a, b int64) int64 {
	if a > Saturated-b {
		return Saturated
	}
	return a + b
}

// mul returns a·b, saturating.
func mul(a, b int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi != 0 || lo > Saturated {
		return Saturated
	}
	return int64(lo)
}

// scale returns a·x for x ≥ 0, to the nearest nanosecond, saturating. It is exact for a whole x.
func scale(a int64, x float64) int64 {
	if whole := int64(x); float64(whole) == x {
		return mul(a, whole)
	}
	return nanoseconds(float64(a) * x)
}

// nanoseconds rounds x ≥ 0 to the nearest nanosecond, saturating.
func nanoseconds(x float64) int64 {
	if !(x < Saturated) {
		return Saturated
	}
	return int64(math.Round(x))
}
