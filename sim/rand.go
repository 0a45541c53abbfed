package sim

import "math/bits"

// Draws are counter-based: each is a hash of what it is for. There is no generator state, so results hang neither on
// the order in which events are handled nor on the number of cores, and all policies meet the same chance.

// purpose says what a draw is for.
type purpose uint64

const (
	drawCreation purpose = iota + 1
	drawClient
	drawThink
	drawHop1 // one draw for each hop an attempt takes; the second is the answer's way back, but for contention
	drawHop2
	drawHop3
	drawHop4
	drawService
	drawBackoff
	drawHintJitter
	drawError
	drawOutageEnd
	drawOpen
	drawThrottle
	drawNode // the last that at has room for
)

// stream is the source of all draws of one replication.
type stream uint64

// newStream derives a replication's stream from the scenario's seed.
func newStream(seed uint64, replication int) stream {
	return stream(mix(mix(seed+golden) + uint64(replication)*golden))
}

const (
	golden = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio
	weyl   = 0xd1342543de82ef95 // an odd multiplier from Steele and Vigna's table of good ones
)

// of returns the base of a request's draws; at gives the draws.
func (s stream) of(request uint64) uint64 { return uint64(s) + request*golden }

// at returns the 64 uniform bits of an attempt's draw for a purpose.
func at(base, attempt uint64, p purpose) uint64 { return mix(base + (attempt<<4|uint64(p))*weyl) }

// mix is the finalizer of SplitMix64 in Stafford's variant 13.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// below scales a uniform u to an integer in [0, n].
func below(u uint64, n int64) int64 {
	hi, _ := bits.Mul64(u, uint64(n)+1)
	return int64(hi)
}
