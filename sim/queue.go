package sim

import (
	"math"
	"math/bits"
	"slices"
)

// What is in service and what waits.

// job is what a worker is at: an attempt, or the refusal of one. Its key is the attempt's arrival moved to the job's end.
type job struct {
	key     event
	arrived int64
}

func newJob(end int64, ev event) job {
	const below = 1<<timeShift - 1
	return job{event{uint64(end)<<timeShift | ev.hi&below, ev.lo}, ev.time()}
}

// refusalMark stands in the place of the request and the attempt of a job that is a refusal.
const refusalMark = math.MaxUint64

func refusalJob(end int64) job {
	return job{key: event{uint64(end)<<timeShift | (1<<timeShift - 1), refusalMark}}
}

func (j job) end() int64      { return j.key.time() }
func (j job) isRefusal() bool { return j.key.lo == refusalMark }

// idle stands where no job is.
var idle = job{key: event{math.MaxUint64, math.MaxUint64}}

// jobTree holds the jobs in progress as a tournament: of two places next to each other the job that ends first goes on to
// play against the winner of the two places beside them, and so on. A new job in a place then costs one comparison a
// round, and none that the processor would have to guess. Jobs that end together go in the order of requests and attempts.
//
// Taking the first leaves a hole, which the next job put in fills: at a busy server one job follows the other.
type jobTree struct {
	jobs   []job    // by place; their number is a power of two, or 0
	wins   []uint32 // who wins at node k, whose children are 2k and 2k+1: the place of a job; node len(jobs)+p is place p
	vacant []uint32 // places where no job is
	hole   int64    // the place of the job that has been taken and not replaced; -1: none
}

func (t *jobTree) len() int {
	n := len(t.jobs) - len(t.vacant)
	if t.hole >= 0 {
		n--
	}
	return n
}

// clear takes all jobs away.
func (t *jobTree) clear() {
	t.jobs, t.wins, t.vacant, t.hole = t.jobs[:0], t.wins[:0], t.vacant[:0], -1
}

// attempts returns the jobs that are no refusals, in no particular order.
func (t *jobTree) attempts() []job {
	return slices.DeleteFunc(slices.Clone(t.jobs), func(j job) bool { return j == idle || j.isRefusal() })
}

// first returns the job that ends first. There must be one, and no hole.
func (t *jobTree) first() *job { return &t.jobs[t.wins[1]] }

// take takes the first job out.
func (t *jobTree) take() job {
	t.hole = int64(t.wins[1])
	return t.jobs[t.hole]
}

// close closes the hole, if nothing has been put into it.
func (t *jobTree) close() {
	if t.hole >= 0 {
		t.vacant = append(t.vacant, uint32(t.hole))
		t.set(uint64(t.hole), idle)
		t.hole = -1
	}
}

func (t *jobTree) put(j job) {
	place := uint64(t.hole)
	if t.hole >= 0 {
		t.hole = -1
	} else {
		if len(t.vacant) == 0 {
			t.grow()
		}
		last := len(t.vacant) - 1
		place = uint64(t.vacant[last])
		t.vacant = t.vacant[:last]
	}
	t.set(place, j)
}

// delayFirst lets the job that would end first end so much later.
func (t *jobTree) delayFirst(by int64) {
	j := *t.first()
	j.key.hi = uint64(min(j.end()+by, maxTime))<<timeShift | j.key.hi&(1<<timeShift-1)
	t.set(uint64(t.wins[1]), j)
}

// set puts a job into a place and plays its matches anew.
func (t *jobTree) set(place uint64, j job) {
	jobs, wins := t.jobs, t.wins
	jobs[place] = j
	winner, key := uint32(place), j.key
	for node := place + uint64(len(jobs)); node > 1; {
		rival := wins[node^1]
		r := jobs[rival].key
		_, first := bits.Sub64(r.lo, key.lo, 0)
		_, first = bits.Sub64(r.hi, key.hi, first)
		mask := -first // all ones if the rival ends first: no branch, since it would be guessed wrong half of the time
		winner ^= (winner ^ rival) & uint32(mask)
		key.hi ^= (key.hi ^ r.hi) & mask
		key.lo ^= (key.lo ^ r.lo) & mask
		node >>= 1
		wins[node] = winner
	}
}

// grow doubles the number of places.
func (t *jobTree) grow() {
	old := len(t.jobs)
	n := max(4, 2*old)
	t.jobs = slices.Grow(t.jobs, n-old)[:n]
	t.wins = slices.Grow(t.wins[:0], 2*n)[:2*n]
	for place := n - 1; place >= old; place-- {
		t.jobs[place] = idle
		t.vacant = append(t.vacant, uint32(place))
	}
	for node := 2*n - 1; node > 0; node-- {
		if node >= n {
			t.wins[node] = uint32(node - n)
			continue
		}
		t.wins[node] = t.wins[2*node]
		if rival := t.wins[2*node+1]; t.jobs[rival].key.before(t.jobs[t.wins[node]].key) {
			t.wins[node] = rival
		}
	}
}

// queue is a ring of waiting attempts, in the order of their arrival. Its length is a power of two.
type queue struct {
	ring  []event
	first int
	count int
}

func (q *queue) len() int { return q.count }

func (q *queue) push(ev event) {
	if q.count == len(q.ring) {
		ring := make([]event, max(64, 2*len(q.ring)))
		for i := range q.count {
			ring[i] = q.ring[(q.first+i)&(len(q.ring)-1)]
		}
		q.ring, q.first = ring, 0
	}
	q.ring[(q.first+q.count)&(len(q.ring)-1)] = ev
	q.count++
}

// pop takes the oldest, or the newest.
func (q *queue) pop(newest bool) event {
	q.count--
	if newest {
		return q.ring[(q.first+q.count)&(len(q.ring)-1)]
	}
	ev := q.ring[q.first]
	q.first = (q.first + 1) & (len(q.ring) - 1)
	return ev
}

// usage integrates how many workers are busy, whether the server is down, or how many nodes are.
type usage struct {
	busy       int
	since      int64
	total      float64 // worker-nanoseconds up to since; as whole as they are, since 168 h are less than 2^53 ns
	watched    int64   // the last moment of interest
	atWatched  float64 // total there
	atRecovery float64
}

// set changes the number of busy workers at t.
func (u *usage) set(t int64, busy int) {
	if busy == u.busy {
		return
	}
	u.passTo(t)
	u.total += float64(u.busy) * float64(t-u.since)
	u.since, u.busy = t, busy
}

// passTo notes the total at the moment of interest when time passes it.
func (u *usage) passTo(t int64) {
	if u.since <= u.watched && u.watched <= t {
		u.atWatched = u.until(u.watched)
	}
}

// until returns the total up to t, which has not been passed.
func (u *usage) until(t int64) float64 { return u.total + float64(u.busy)*float64(t-u.since) }

// markRecovery notes the totals at recovery when the first outage begins, which lasts until then.
func (s *server) markRecovery(recovery int64) {
	s.usage.atRecovery = s.usage.total // nobody is busy any more
	s.nodesDown.atRecovery = s.nodesDown.until(recovery)
}

// watchUntil makes t, which has not passed yet at the server, the moment of interest.
func (s *server) watchUntil(t int64) { s.usage.watched, s.nodesDown.watched = t, t }
