// Package workqueue runs client-go's work queue like crates/tidings-workqueue/benches/queue.rs runs ours: the same
// items, the same number of workers, the same order of calls.
package workqueue

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/util/workqueue"
)

const items = 10_000

func strings() []string {
	all := make([]string, items)
	for n := range all {
		all[n] = fmt.Sprintf("namespace-%d/name-%d", n%100, n)
	}
	return all
}

func numbers() []uint64 {
	all := make([]uint64, items)
	for n := range all {
		all[n] = uint64(n)
	}
	return all
}

func workUntilShutDown[T comparable](queue workqueue.TypedInterface[T]) {
	for {
		item, shutdown := queue.Get()
		if shutdown {
			return
		}
		queue.Done(item)
	}
}

// oneByOne adds, takes and finishes each item before the next one.
func oneByOne[T comparable](b *testing.B, all []T) {
	queue := workqueue.NewTyped[T]()
	defer queue.ShutDown()
	for b.Loop() {
		for _, item := range all {
			queue.Add(item)
			taken, _ := queue.Get()
			queue.Done(taken)
		}
	}
	perItem(b, len(all))
}

// backlog adds all items, then starts the workers.
func backlog[T comparable](b *testing.B, all []T, workers int) {
	for b.Loop() {
		queue := workqueue.NewTyped[T]()
		for _, item := range all {
			queue.Add(item)
		}
		queue.ShutDown()
		var working sync.WaitGroup
		for range workers {
			working.Go(func() { workUntilShutDown(queue) })
		}
		working.Wait()
	}
	perItem(b, len(all))
}

// flow adds items while the workers run.
func flow[T comparable](b *testing.B, all []T, workers int) {
	for b.Loop() {
		queue := workqueue.NewTyped[T]()
		var working sync.WaitGroup
		for range workers {
			working.Go(func() { workUntilShutDown(queue) })
		}
		working.Go(func() {
			for _, item := range all {
				queue.Add(item)
			}
			queue.ShutDown()
		})
		working.Wait()
	}
	perItem(b, len(all))
}

func passes[T comparable](b *testing.B, all []T) {
	b.Run("one_by_one", func(b *testing.B) { oneByOne(b, all) })
	for _, workers := range []int{1, 4} {
		b.Run(fmt.Sprintf("backlog/%d", workers), func(b *testing.B) { backlog(b, all, workers) })
		b.Run(fmt.Sprintf("flow/%d", workers), func(b *testing.B) { flow(b, all, workers) })
	}
}

func BenchmarkQueue(b *testing.B) {
	b.Run("strings", func(b *testing.B) { passes(b, strings()) })
	b.Run("numbers", func(b *testing.B) { passes(b, numbers()) })
}

// BenchmarkDelayed adds items with delays of an hour. They pass through a channel of 1000 to the loop with the heap, so
// up to 1000 of them may not be in the heap when the time is taken.
func BenchmarkDelayed(b *testing.B) {
	for _, count := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("add/%d", count), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				queue := workqueue.NewTypedDelayingQueue[int]()
				b.StartTimer()
				for n := range count {
					queue.AddAfter(n, time.Hour+time.Duration(n*7919%count)*time.Microsecond)
				}
				b.StopTimer()
				queue.ShutDown()
				b.StartTimer()
			}
			perItem(b, count)
		})
	}
}

func perItem(b *testing.B, count int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(count), "ns/item")
}
