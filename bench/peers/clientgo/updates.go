package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

const (
	// readerPause is the pause of a reader between two reads.
	readerPause = time.Millisecond
	// quiet is the time after the sentinel's update at which a relist counts as complete.
	quiet = 200 * time.Millisecond
)

// await sets the goal of each handler, reports that updates may start, and returns when all have arrived.
func (s *subject) await(make func(handler int, begin int64) *awaited, say func(answer)) ([]*awaited, error) {
	if s.current == nil || len(s.current.handlers) == 0 {
		return nil, fmt.Errorf("no handler runs")
	}
	var all []*awaited
	for n, handler := range s.current.handlers {
		awaited := make(n, handler.updates.Load())
		all = append(all, awaited)
		handler.awaited.Store(awaited)
		defer handler.awaited.Store(nil)
	}
	say(answer{"ready": true})
	for _, awaited := range all {
		<-awaited.done
	}
	return all, nil
}

func (s *subject) expect(updates int64, say func(answer)) error {
	seen, err := s.await(func(_ int, begin int64) *awaited {
		return &awaited{begin: begin, end: begin + updates, done: make(chan struct{})}
	}, say)
	if err != nil {
		return err
	}
	say(answer{"updates": updates, "first_to_last_seconds": firstToLast(seen).Seconds()})
	return nil
}

func firstToLast(seen []*awaited) time.Duration {
	first, last := seen[0].first, seen[0].last
	for _, one := range seen {
		if one.first.Before(first) {
			first = one.first
		}
		if one.last.After(last) {
			last = one.last
		}
	}
	return last.Sub(first)
}

// latency is measured by the first handler. The others only count.
func (s *subject) latency(updates int64, readers int, say func(answer)) error {
	stop, err := s.read(readers)
	if err != nil {
		return err
	}
	defer stop()
	seen, err := s.await(func(handler int, begin int64) *awaited {
		awaited := &awaited{begin: begin, end: begin + updates, done: make(chan struct{})}
		if handler == 0 {
			awaited.delays = make([]int64, 0, updates)
		}
		return awaited
	}, say)
	if err != nil {
		return err
	}
	delays := seen[0].delays
	slices.Sort(delays)
	microseconds := func(rank float64) float64 {
		return float64(delays[int(rank*float64(len(delays)-1))]) / 1e3
	}
	say(answer{
		"updates":               updates,
		"first_to_last_seconds": firstToLast(seen).Seconds(),
		"p50_us":                microseconds(0.50),
		"p99_us":                microseconds(0.99),
		"max_us":                microseconds(1),
	})
	return nil
}

// read starts goroutines that get random objects until the returned function is called.
func (s *subject) read(readers int) (stop func(), err error) {
	if s.current == nil {
		return nil, fmt.Errorf("no informer runs")
	}
	indexer := s.current.informer.GetIndexer()
	var keys []string
	if readers > 0 {
		keys = indexer.ListKeys()
	}
	if readers > 0 && len(keys) == 0 {
		return nil, fmt.Errorf("nothing to read")
	}
	stopped := make(chan struct{})
	for reader := range readers {
		go func() {
			random := rand.New(rand.NewPCG(seed, uint64(reader)))
			rest := time.NewTicker(readerPause)
			defer rest.Stop()
			touched := 0
			for {
				object, _, _ := indexer.GetByKey(keys[random.IntN(len(keys))])
				touched += identity(object)
				select {
				case <-stopped:
					sink.Add(int64(touched))
					return
				case <-rest.C:
				}
			}
		}()
	}
	return func() { close(stopped) }, nil
}

// relist counts the first handler's notifications of other objects. The sentinel's update can arrive during the relist,
// hence the pause.
func (s *subject) relist(sentinel string, say func(answer)) error {
	namespace, name, found := strings.Cut(sentinel, "/")
	if !found {
		return fmt.Errorf("a sentinel has a namespace and a name: %q", sentinel)
	}
	if s.current == nil || len(s.current.handlers) == 0 {
		return fmt.Errorf("no handler runs")
	}
	handler := s.current.handlers[0]
	sentinelSeen := &awaited{namespace: namespace, name: name, done: make(chan struct{})}
	handler.awaited.Store(sentinelSeen)
	defer handler.awaited.Store(nil)
	say(answer{"ready": true})
	<-sentinelSeen.done
	time.Sleep(quiet)
	say(answer{"notifications": sentinelSeen.others.Load()})
	return nil
}
