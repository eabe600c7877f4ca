package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

// byNode is the index of pods by node.
const byNode = "spec.nodeName"

var widgets = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}

// subject is what the commands act on: one shared informer at a time, and those that `many` started.
type subject struct {
	clients *clients
	synced  command
	current *running
	others  []*running
	watches []watch.Interface
}

// running is a started informer with its handlers.
type running struct {
	informer cache.SharedIndexInformer
	handlers []*handler
	stop     func()
}

// factory is the common part of both kinds of informer factories.
type factory interface {
	Start(stop <-chan struct{})
	Shutdown()
}

func (s *subject) sync(cmd command, say func(answer)) error {
	if s.current != nil {
		return fmt.Errorf("an informer runs already")
	}
	factory, informer, err := s.clients.informer(cmd.Resource, metav1.NamespaceAll)
	if err != nil {
		return err
	}
	started, err := start(factory, informer, cmd.Handlers, cmd.Read)
	if err != nil {
		return err
	}
	s.synced, s.current = cmd, started
	say(answer{"synced": started.objects()})
	return nil
}

func (s *subject) restart(say func(answer)) error {
	if s.current == nil {
		return fmt.Errorf("no informer runs")
	}
	s.current.stop()
	s.current = nil
	return s.sync(s.synced, say)
}

// many starts one informer for each namespace, in parallel, and waits for all of them.
func (s *subject) many(informers, handlers int, say func(answer)) error {
	type outcome struct {
		started *running
		err     error
	}
	outcomes := make(chan outcome)
	for n := range informers {
		go func() {
			factory, informer, err := s.clients.informer("configmaps", manyNamespace(n))
			if err != nil {
				outcomes <- outcome{err: err}
				return
			}
			started, err := start(factory, informer, handlers, "identity")
			outcomes <- outcome{started, err}
		}()
	}
	objects := 0
	for range informers {
		outcome := <-outcomes
		if outcome.err != nil {
			return outcome.err
		}
		s.others = append(s.others, outcome.started)
		objects += outcome.started.objects()
	}
	say(answer{"synced": objects})
	return nil
}

// connections opens watches without informers, to measure the memory of connections alone.
func (s *subject) connections(count int, say func(answer)) error {
	maps := s.clients.typed.CoreV1()
	newest, err := maps.ConfigMaps(manyNamespace(0)).List(context.Background(), metav1.ListOptions{Limit: 1})
	if err != nil {
		return err
	}
	for n := range count {
		opened, err := maps.ConfigMaps(manyNamespace(n)).Watch(context.Background(), metav1.ListOptions{
			ResourceVersion:     newest.ResourceVersion,
			AllowWatchBookmarks: true,
		})
		if err != nil {
			return err
		}
		s.watches = append(s.watches, opened)
	}
	say(answer{"open": len(s.watches)})
	return nil
}

func manyNamespace(n int) string { return fmt.Sprintf("many-%d", n) }

// informer creates the shared informer of a resource without starting it. All have an index by namespace, and pods one
// by node.
func (c *clients) informer(resource, namespace string) (factory, cache.SharedIndexInformer, error) {
	if resource == "widgets" {
		factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(c.dynamic, 0, namespace, nil)
		return factory, factory.ForResource(widgets).Informer(), nil
	}
	factory := informers.NewSharedInformerFactoryWithOptions(c.typed, 0, informers.WithNamespace(namespace))
	switch resource {
	case "pods":
		pods := factory.Core().V1().Pods().Informer()
		err := pods.AddIndexers(cache.Indexers{byNode: func(obj any) ([]string, error) {
			pod, ok := obj.(*corev1.Pod)
			if !ok || pod.Spec.NodeName == "" {
				return nil, nil
			}
			return []string{pod.Spec.NodeName}, nil
		}})
		return factory, pods, err
	case "configmaps":
		return factory, factory.Core().V1().ConfigMaps().Informer(), nil
	case "secrets":
		return factory, factory.Core().V1().Secrets().Informer(), nil
	case "leases":
		return factory, factory.Coordination().V1().Leases().Informer(), nil
	default:
		return nil, nil, fmt.Errorf("no such resource: %q", resource)
	}
}

// start runs the informer and returns when its store and all of its handlers have the initial objects.
func start(factory factory, informer cache.SharedIndexInformer, handlers int, read string) (*running, error) {
	ctx, cancel := context.WithCancel(context.Background())
	started := &running{informer: informer, stop: func() {
		cancel()
		factory.Shutdown()
	}}
	synced := []cache.DoneChecker{informer.HasSyncedChecker()}
	for range handlers {
		handler, err := newHandler(read)
		if err != nil {
			cancel()
			return nil, err
		}
		registered, err := informer.AddEventHandler(handler)
		if err != nil {
			cancel()
			return nil, err
		}
		started.handlers = append(started.handlers, handler)
		synced = append(synced, registered.HasSyncedChecker())
	}
	factory.Start(ctx.Done())
	if !cache.WaitFor(ctx, "", synced...) {
		cancel()
		return nil, fmt.Errorf("stopped before it was synced")
	}
	return started, nil
}

func (r *running) objects() int { return len(r.informer.GetIndexer().ListKeys()) }
