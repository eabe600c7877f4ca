package main

import (
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// sentLabel contains the time of the write: nanoseconds since 1970, in decimal.
const sentLabel = "bench.example.com/sent"

// handler reads a part of each notification and counts updates. It also serves the current command, if any.
type handler struct {
	read    func(old, new any) int
	updates atomic.Int64
	awaited atomic.Pointer[awaited]
	// touched keeps the compiler from removing the reads. Only the goroutine of this handler writes it.
	touched int
}

func newHandler(read string) (*handler, error) {
	switch read {
	case "identity":
		return &handler{read: func(_, new any) int { return identity(new) }}, nil
	case "new":
		return &handler{read: func(_, new any) int { return whole(new) }}, nil
	case "both":
		return &handler{read: func(old, new any) int { return whole(old) + whole(new) }}, nil
	default:
		return nil, fmt.Errorf("no such reading: %q", read)
	}
}

// OnAdd implements cache.ResourceEventHandler.
func (h *handler) OnAdd(obj any, _ bool) {
	h.touched += h.read(nil, obj)
	if awaited := h.awaited.Load(); awaited != nil {
		awaited.other()
	}
}

// OnUpdate implements cache.ResourceEventHandler.
func (h *handler) OnUpdate(old, new any) {
	h.touched += h.read(old, new)
	count := h.updates.Add(1)
	if awaited := h.awaited.Load(); awaited != nil {
		awaited.update(count, new)
	}
}

// OnDelete implements cache.ResourceEventHandler.
func (h *handler) OnDelete(obj any) {
	if awaited := h.awaited.Load(); awaited != nil {
		awaited.other()
	}
}

// identity reads namespace, name, resourceVersion and one label.
func identity(obj any) int {
	object, ok := obj.(metav1.Object)
	if !ok {
		return 0
	}
	return len(object.GetNamespace()) + len(object.GetName()) + len(object.GetResourceVersion()) + len(object.GetLabels()["app"])
}

// whole reads fields that only a decoded object has. An add has no old object.
func whole(obj any) int {
	switch object := obj.(type) {
	case *corev1.Pod:
		return len(object.Spec.NodeName) + len(object.Status.Phase)
	case *corev1.ConfigMap:
		return len(object.Data)
	case *corev1.Secret:
		return len(object.Data)
	case *coordinationv1.Lease:
		if object.Spec.HolderIdentity == nil {
			return 0
		}
		return len(*object.Spec.HolderIdentity)
	case *unstructured.Unstructured:
		spec, _ := object.Object["spec"].(map[string]any)
		return len(spec)
	default:
		return 0
	}
}

// awaited is what a command waits for in one handler: a number of updates, or the update of one object.
type awaited struct {
	begin, end  int64
	first, last time.Time
	// delays are the times from write to handler, if they are recorded.
	delays []int64

	// The object whose update is awaited, and the number of other notifications.
	namespace, name string
	others          atomic.Int64

	done chan struct{}
}

// update handles the handler's update with this count. Only one goroutine calls it, and the times are read after done
// is closed.
func (a *awaited) update(count int64, new any) {
	if a.name != "" {
		a.updateOrSentinel(new)
		return
	}
	if count > a.end {
		return
	}
	if count == a.begin+1 {
		a.first = time.Now()
	}
	if a.delays != nil {
		a.delays = append(a.delays, delay(new))
	}
	if count == a.end {
		a.last = time.Now()
		close(a.done)
	}
}

func (a *awaited) updateOrSentinel(new any) {
	object, ok := new.(metav1.Object)
	if !ok || object.GetName() != a.name || object.GetNamespace() != a.namespace {
		a.others.Add(1)
		return
	}
	select {
	case <-a.done:
	default:
		close(a.done)
	}
}

func (a *awaited) other() { a.others.Add(1) }

// delay is the time since the object was written, by the wall clock that both processes share.
func delay(obj any) int64 {
	object, ok := obj.(metav1.Object)
	if !ok {
		return 0
	}
	sent, err := strconv.ParseInt(object.GetLabels()[sentLabel], 10, 64)
	if err != nil {
		return 0
	}
	return time.Now().UnixNano() - sent
}
