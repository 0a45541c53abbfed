package web

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"time"
)

// Runs that take long and tell what they have found as they go: sweeps and searches. One takes one simulation slot for
// all that it simulates, and what it gives is kept for a while.

// watch is who waits for such a run. Both functions are called on the waiting goroutine.
type watch[P any] struct {
	progress func(P)
	idle     func() // every progressEvery; nil: never
}

// runAtLength returns what a document gives: from the cache, or from a run that reports its progress, at most so many times.
func runAtLength[P, R any](ctx context.Context, s *simulator, document any, kept *cache[*R], w watch[P], reports int, run func(report func(P)) (*R, error)) (*R, error) {
	result, k, err := keptAtLength(s, document, kept)
	if err != nil || result != nil {
		return result, err
	}
	release, err := s.acquire(ctx)
	if err != nil {
		return nil, err
	}
	result, err = watched(w, reports, release, run)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return nil, cause
	}
	if err == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		kept.add(k, result)
	}
	return result, err
}

// keptAtLength returns what a document gave, and its key; nil if that is not at hand.
func keptAtLength[R any](s *simulator, document any, kept *cache[*R]) (*R, key, error) {
	canonical, err := json.Marshal(document)
	if err != nil {
		return nil, key{}, fmt.Errorf("canonical document: %w", err)
	}
	k := key(sha256.Sum256(canonical))
	s.mu.Lock()
	defer s.mu.Unlock()
	return kept.get(k), k, nil
}

// watched starts a run, tells how it goes, and calls ended as soon as it has ended. Those who watch may be slow, and the run
// does not wait for them: there is room for all that it can say.
func watched[P, R any](w watch[P], reports int, ended func(), run func(report func(P)) (*R, error)) (result *R, err error) {
	news := make(chan P, reports)
	go func() {
		defer close(news)
		defer ended()
		defer func() { // not on a handler's goroutine: a panic here would end the process
			if p := recover(); p != nil {
				err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
			}
		}()
		result, err = run(func(p P) { news <- p })
	}()
	ticker := time.NewTicker(progressEvery)
	defer ticker.Stop()
	for {
		select {
		case p, more := <-news:
			if !more {
				return result, err
			}
			if w.progress != nil {
				w.progress(p)
			}
		case <-ticker.C:
			if w.idle != nil {
				w.idle()
			}
		}
	}
}
