package web

import (
	"context"
	"sync/atomic"

	"github.com/stampede-sim/stampede/sim"
)

// answerRoom is about how many bytes of results may be on their way to clients at once. A result can have tens of
// megabytes, and stays in memory until its client has read it or a minute has passed.
const answerRoom = 256 << 20

// room is how much memory is left for answers.
type room struct{ left atomic.Int64 }

// enter takes so many bytes, if anything is left at all: the largest answer fits an empty room. leave gives them back.
func (r *room) enter(bytes int64) (leave func(), err error) {
	leave = func() { r.left.Add(bytes) }
	if r.left.Add(-bytes)+bytes <= 0 {
		leave()
		return nil, errCrowded
	}
	return leave, nil
}

// simulateToSend is simulate for a result that is sent whole. Its caller calls leave when it has been.
func (s *Server) simulateToSend(ctx context.Context, sc *sim.Scenario, o options) (_ *sim.Result, leave func(), err error) {
	result, err := s.simulate(ctx, sc, o)
	if err != nil {
		return nil, nil, err
	}
	leave, err = s.room.enter(sizeOf(result))
	return result, leave, err
}
