package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"istio.io/istio/pkg/kube/krt"
)

// subject holds the inputs, the outputs, and the steps of the next change.
type subject struct {
	pods         []*corev1.Pod
	nodes        []*corev1.Node
	services     []*corev1.Service
	policies     []*corev1.Service
	podInput     krt.StaticCollection[*corev1.Pod]
	nodeInput    krt.StaticCollection[*corev1.Node]
	serviceInput krt.StaticCollection[*corev1.Service]
	evaluations  atomic.Int64
	steps        []step
	mutex        sync.Mutex
	changed      *sync.Cond
	latest       map[string]endpoints
	addresses    int
	versions     int
}

// step is one change, and what its output must show. A step without an output is followed by one that has one.
type step struct {
	apply func()
	key   string
	shows func(endpoints) bool
}

// load reads the objects of a folder, one JSON object per line.
func (s *subject) load(folder string) (int, error) {
	err := errors.Join(
		read(folder, "pods", &s.pods), read(folder, "nodes", &s.nodes),
		read(folder, "services", &s.services), read(folder, "policies", &s.policies),
	)
	return len(s.pods) + len(s.nodes) + len(s.services) + len(s.policies), err
}

func read[T any](folder, name string, into *[]*T) error {
	file, err := os.Open(filepath.Join(folder, name+".jsonl"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(make([]byte, 1<<20), 1<<20)
	for lines.Scan() {
		object := new(T)
		if err := json.Unmarshal(lines.Bytes(), object); err != nil {
			return fmt.Errorf("reading %s: %w", name, err)
		}
		*into = append(*into, object)
	}
	return lines.Err()
}

// build makes the collections and waits until they have synced. It returns the number of outputs.
func (s *subject) build(which string) int {
	s.changed = sync.NewCond(&s.mutex)
	s.latest = map[string]endpoints{}
	s.podInput = krt.NewStaticCollection(nil, s.pods, krt.WithName("pods"))
	var outputs krt.Collection[endpoints]
	if which == "policies" {
		s.serviceInput = krt.NewStaticCollection(nil, s.policies, krt.WithName("policies"))
		outputs = s.policyPods(s.serviceInput, s.podInput)
	} else {
		s.serviceInput = krt.NewStaticCollection(nil, s.services, krt.WithName("services"))
		s.nodeInput = krt.NewStaticCollection(nil, s.nodes, krt.WithName("nodes"))
		outputs = s.serviceEndpoints(s.serviceInput, s.podInput, s.nodeInput)
	}
	registration := outputs.Register(func(event krt.Event[endpoints]) {
		s.mutex.Lock()
		s.latest[event.Latest().key] = event.Latest()
		s.mutex.Unlock()
		s.changed.Broadcast()
	})
	outputs.WaitUntilSynced(nil)
	registration.WaitUntilSynced(nil)
	return len(outputs.List())
}

// prepare makes the objects of a change, so that only their processing is measured.
func (s *subject) prepare(change string, count int) error {
	s.steps = nil
	for at := range count {
		next, err := s.step(change, at)
		if err != nil {
			return err
		}
		s.steps = append(s.steps, next)
	}
	if change == "node-heartbeat" || change == "pod-heartbeat" {
		s.steps = append(s.steps, s.podAddress(count))
	}
	return nil
}

func (s *subject) step(change string, at int) (step, error) {
	switch change {
	case "pod-ip":
		return s.podAddress(at), nil
	case "node-zone":
		return s.nodeZone(at), nil
	case "selector":
		return s.selector(at), nil
	case "node-heartbeat":
		node := s.nodes[at%len(s.nodes)].DeepCopy()
		node.ResourceVersion = s.nextVersion()
		node.Status.Conditions[0].LastHeartbeatTime = metav1.NewTime(time.Unix(int64(at), 0))
		s.nodes[at%len(s.nodes)] = node
		return step{apply: func() { s.nodeInput.UpdateObject(node) }}, nil
	case "pod-heartbeat":
		pod := s.pods[at%len(s.pods)].DeepCopy()
		pod.ResourceVersion = s.nextVersion()
		pod.Status.Conditions[0].LastProbeTime = metav1.NewTime(time.Unix(int64(at), 0))
		s.pods[at%len(s.pods)] = pod
		return step{apply: func() { s.podInput.UpdateObject(pod) }}, nil
	}
	return step{}, fmt.Errorf("there is no change %q", change)
}

// nextVersion is the version of the next changed object.
func (s *subject) nextVersion() string {
	s.versions++
	return strconv.Itoa(1_000_000_000 + s.versions)
}

func (s *subject) podAddress(at int) step {
	pod := s.pods[at%len(s.pods)].DeepCopy()
	pod.ResourceVersion = s.nextVersion()
	// An address that no pod had before.
	s.addresses++
	pod.Status.PodIP = fmt.Sprintf("10.%d.%d.%d", 200+s.addresses>>16, s.addresses>>8&255, s.addresses&255)
	s.pods[at%len(s.pods)] = pod
	key := fmt.Sprintf("shop/service-%s", pod.Labels["app"][len("app-"):])
	shows := func(found endpoints) bool {
		for _, one := range found.addresses {
			if one.ip == pod.Status.PodIP {
				return true
			}
		}
		return false
	}
	return step{apply: func() { s.podInput.UpdateObject(pod) }, key: key, shows: shows}
}

func (s *subject) nodeZone(at int) step {
	node := s.nodes[at%len(s.nodes)].DeepCopy()
	node.ResourceVersion = s.nextVersion()
	zone := fmt.Sprintf("zone-%d", 1000+at)
	node.Labels[zoneLabel] = zone
	s.nodes[at%len(s.nodes)] = node
	key := fmt.Sprintf("shop/service-%d", at%len(s.nodes)%len(s.services))
	expected := len(s.pods) / len(s.nodes)
	shows := func(found endpoints) bool {
		count := 0
		for _, one := range found.addresses {
			if one.zone == zone {
				count++
			}
		}
		return count == expected
	}
	return step{apply: func() { s.nodeInput.UpdateObject(node) }, key: key, shows: shows}
}

func (s *subject) selector(at int) step {
	service := s.services[at%len(s.services)].DeepCopy()
	service.ResourceVersion = s.nextVersion()
	app := (at + 1 + at/len(s.services)) % len(s.services)
	service.Spec.Selector["app"] = fmt.Sprintf("app-%d", app)
	s.services[at%len(s.services)] = service
	// The first pod of an application has this address from the start, and no other change touches it.
	pod := s.pods[len(s.pods)-len(s.services)+app]
	shows := func(found endpoints) bool {
		for _, one := range found.addresses {
			if one.ip == pod.Status.PodIP {
				return true
			}
		}
		return false
	}
	return step{apply: func() { s.serviceInput.UpdateObject(service) }, key: krt.GetKey(service), shows: shows}
}

// change applies the steps one after another. After each step that has an output it waits until a handler has received
// it. It returns the median time of a step.
func (s *subject) change() time.Duration {
	latencies := make([]time.Duration, 0, len(s.steps))
	for _, next := range s.steps {
		started := time.Now()
		next.apply()
		if next.shows != nil {
			s.mutex.Lock()
			for !next.shows(s.latest[next.key]) {
				s.changed.Wait()
			}
			s.mutex.Unlock()
		}
		latencies = append(latencies, time.Since(started))
	}
	slices.Sort(latencies)
	return latencies[len(latencies)/2]
}
