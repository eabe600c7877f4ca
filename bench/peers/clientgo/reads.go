package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
)

const (
	seed   = 42
	rounds = 7
	// roundLength is the duration of a round. Each round does at least one read.
	roundLength = 100 * time.Millisecond
	// gets is the number of reads between two readings of the clock, because one read is faster than reading the clock.
	gets = 1_000
)

// sink keeps the compiler from removing reads.
var sink atomic.Int64

// reads measures the ways in which controllers read pods: keys for one object, the indexer for an index, the lister for
// the rest.
func (s *subject) reads(say func(answer)) error {
	if s.current == nil {
		if err := s.sync(command{Resource: "pods"}, func(answer) {}); err != nil {
			return err
		}
	}
	if s.synced.Resource != "pods" {
		return fmt.Errorf("only pods are read")
	}
	indexer := s.current.informer.GetIndexer()
	pods := corelisters.NewPodLister(indexer)
	keys := shuffled(copied(indexer.ListKeys()))
	nodes := shuffled(indexer.ListIndexFuncValues(byNode))
	namespaces := shuffled(indexer.ListIndexFuncValues(cache.NamespaceIndex))
	if len(keys) == 0 || len(nodes) == 0 {
		return fmt.Errorf("nothing to read")
	}
	one := labels.SelectorFromSet(labels.Set{"app": "app-17"})

	kept := func(ns float64) answer { return answer{"kept_ns": ns, "cold_ns": nil} }
	say(answer{"reads": answer{
		"get": kept(perOperation(func(n int) int {
			touched := 0
			for i := range gets {
				object, _, _ := indexer.GetByKey(keys[(n*gets+i)%len(keys)])
				touched += len(object.(*corev1.Pod).Name)
			}
			return touched
		}) / gets),
		"by_index": kept(perOperation(func(n int) int {
			found, _ := indexer.ByIndex(byNode, nodes[n%len(nodes)])
			touched := 0
			for _, object := range found {
				touched += len(object.(*corev1.Pod).Name)
			}
			return touched
		})),
		"by_namespace": kept(perOperation(func(n int) int {
			found, _ := pods.Pods(namespaces[n%len(namespaces)]).List(labels.Everything())
			return names(found)
		})),
		"by_label": kept(perOperation(func(n int) int {
			found, _ := pods.Pods(namespaces[n%len(namespaces)]).List(one)
			return names(found)
		})),
		"list_all": kept(perOperation(func(int) int {
			found, _ := pods.List(labels.Everything())
			return names(found)
		})),
		"namespace_1000_one_field": answer{
			"kept_ns": perOperation(func(n int) int {
				found, _ := pods.Pods(namespaces[n%len(namespaces)]).List(labels.Everything())
				touched := 0
				for _, pod := range found {
					touched += len(pod.Spec.NodeName)
				}
				return touched
			}),
			"cold_field_ns": nil, "cold_slim_ns": nil, "cold_whole_ns": nil,
		},
	}})
	return nil
}

// perOperation is the time of one operation in nanoseconds: the median of rounds.
func perOperation(operation func(n int) int) float64 {
	var each []float64
	done := 0
	for range rounds {
		begin, taken, before, touched := time.Now(), time.Duration(0), done, 0
		for taken < roundLength {
			touched += operation(done)
			done++
			taken = time.Since(begin)
		}
		each = append(each, float64(taken.Nanoseconds())/float64(done-before))
		sink.Add(int64(touched))
	}
	slices.Sort(each)
	return each[len(each)/2]
}

func names(pods []*corev1.Pod) int {
	touched := 0
	for _, pod := range pods {
		touched += len(pod.Name)
	}
	return touched
}

// copied has keys of its own, as the other subjects do. A key that shares its bytes with the store is found without
// reading the store's key, but a controller's key comes from its work queue.
func copied(keys []string) []string {
	copies := make([]string, len(keys))
	for i, key := range keys {
		copies[i] = strings.Clone(key)
	}
	return copies
}

// shuffled is the same order in every run, unrelated to the order of the store.
func shuffled(all []string) []string {
	slices.Sort(all)
	random := rand.New(rand.NewPCG(seed, seed))
	random.Shuffle(len(all), func(a, b int) { all[a], all[b] = all[b], all[a] })
	return all
}
