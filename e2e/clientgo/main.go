// Command clientgo is a typical client-go program: a shared informer on pods, an index, a work queue and workers. It
// prints what it sees as JSON lines and ends by itself, so that a test can check the API server with it.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/workqueue"
)

type line struct {
	Event string `json:"event"`
	Key   string `json:"key,omitempty"`
	Phase string `json:"phase,omitempty"`
	Count int    `json:"count,omitempty"`
}

var printing sync.Mutex

// report prints one line.
func report(l line) {
	printing.Lock()
	defer printing.Unlock()
	if err := json.NewEncoder(os.Stdout).Encode(l); err != nil {
		panic(err)
	}
}

func main() {
	kubeconfig := flag.String("kubeconfig", "", "where the server is")
	namespace := flag.String("namespace", "default", "whose pods are watched")
	until := flag.String("until", "", "end once this key has been deleted")
	timeout := flag.Duration("timeout", time.Minute, "end with an error after this time")
	flag.Parse()
	if err := run(*kubeconfig, *namespace, *until, *timeout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(kubeconfig, namespace, until string, timeout time.Duration) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()

	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace))
	pods := factory.Core().V1().Pods()
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
	if err := pods.Informer().AddIndexers(cache.Indexers{"node": byNode}); err != nil {
		return err
	}
	if _, err := pods.Informer().AddEventHandler(handler(queue)); err != nil {
		return err
	}
	factory.Start(ctx.Done())
	for kind, synced := range factory.WaitForCacheSync(ctx.Done()) {
		if !synced {
			return fmt.Errorf("%v did not sync", kind)
		}
	}
	indexed, err := pods.Informer().GetIndexer().ByIndex("node", "node-1")
	if err != nil {
		return err
	}
	report(line{Event: "synced", Count: len(pods.Informer().GetStore().List())})
	report(line{Event: "indexed", Count: len(indexed)})
	return work(ctx, queue, pods.Informer().GetStore(), until)
}

func byNode(object interface{}) ([]string, error) {
	return []string{object.(*corev1.Pod).Spec.NodeName}, nil
}

func handler(queue workqueue.TypedRateLimitingInterface[string]) cache.ResourceEventHandlerFuncs {
	add := func(object interface{}) {
		if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(object); err == nil {
			queue.Add(key)
		}
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    add,
		UpdateFunc: func(_, object interface{}) { add(object) },
		DeleteFunc: add,
	}
}

// work prints the state of each key from the queue. The first failure of a key is retried.
func work(ctx context.Context, queue workqueue.TypedRateLimitingInterface[string], store cache.Store, until string) error {
	go func() {
		<-ctx.Done()
		queue.ShutDown()
	}()
	for {
		key, isShutDown := queue.Get()
		if isShutDown {
			return fmt.Errorf("%s was not deleted in time", until)
		}
		if queue.NumRequeues(key) == 0 {
			queue.AddRateLimited(key)
			queue.Done(key)
			continue
		}
		object, exists, err := store.GetByKey(key)
		if err != nil {
			return err
		}
		queue.Forget(key)
		queue.Done(key)
		if !exists {
			report(line{Event: "gone", Key: key})
			if key == until {
				return nil
			}
			continue
		}
		pod := object.(*corev1.Pod)
		if pod.CreationTimestamp == (metav1.Time{}) || pod.UID == "" {
			return fmt.Errorf("%s has no identity", key)
		}
		report(line{Event: "seen", Key: key, Phase: string(pod.Status.Phase)})
	}
}
