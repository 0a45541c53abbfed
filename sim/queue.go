package sim

import "math"

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

// jobHeap is a heap of jobs, the first to end on top: in the order of requests and attempts at one instant. Taking the
// first leaves a hole, which the next job put in fills: at a busy server one job follows the other.
type jobHeap struct {
	jobs []job
	hole bool // jobs[0] has been taken
}

func (h *jobHeap) len() int {
	if h.hole {
		return len(h.jobs) - 1
	}
	return len(h.jobs)
}

// first returns the job that ends first. There must be one, and no hole.
func (h *jobHeap) first() *job { return &h.jobs[0] }

// take takes the first job out.
func (h *jobHeap) take() job {
	h.hole = true
	return h.jobs[0]
}

// close closes the hole, if nothing has been put into it.
func (h *jobHeap) close() {
	if h.hole {
		h.hole = false
		last := h.jobs[len(h.jobs)-1]
		h.jobs = h.jobs[:len(h.jobs)-1]
		if len(h.jobs) > 0 {
			h.sink(last)
		}
	}
}

func (h *jobHeap) put(j job) {
	if h.hole {
		h.hole = false
		h.sink(j)
		return
	}
	s := append(h.jobs, j)
	i := len(s) - 1
	for i > 0 {
		parent := (i - 1) / 4
		if !j.key.before(s[parent].key) {
			break
		}
		s[i] = s[parent]
		i = parent
	}
	s[i] = j
	h.jobs = s
}

// delayFirst lets the job that would end first end so much later.
func (h *jobHeap) delayFirst(by int64) {
	j := h.jobs[0]
	j.key.hi = uint64(min(j.end()+by, maxTime))<<timeShift | j.key.hi&(1<<timeShift-1)
	h.sink(j)
}

// sink puts a job in the place of the first and lets it sink to where it belongs.
func (h *jobHeap) sink(j job) {
	s := h.jobs
	i := 0
	for {
		child := 4*i + 1
		if child >= len(s) {
			break
		}
		for k := child + 1; k < min(child+4, len(s)); k++ {
			if s[k].key.before(s[child].key) {
				child = k
			}
		}
		if !s[child].key.before(j.key) {
			break
		}
		s[i] = s[child]
		i = child
	}
	s[i] = j
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

func (q *queue) takeAll() []event {
	all := make([]event, 0, q.count)
	for q.count > 0 {
		all = append(all, q.pop(false))
	}
	return all
}

// usage integrates how many workers are busy, or whether the server is down.
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
	s.downtime.atRecovery = s.downtime.until(recovery)
}

// watchUntil makes t, which has not passed yet at the server, the moment of interest.
func (s *server) watchUntil(t int64) { s.usage.watched, s.downtime.watched = t, t }
