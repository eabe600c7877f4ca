// Command differential is client-go's side of the differential test: a shared informer on the config maps of one
// namespace, and a handler. It prints every notification as a JSON line, and its whole cache for each line that it
// reads and once more when it is told to end, by SIGTERM or by the end of its input.
package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// object is one version of one object, as far as it is compared.
type object struct {
	Key             string `json:"key"`
	UID             string `json:"uid"`
	ResourceVersion string `json:"resourceVersion"`
}

// notification is what a handler was told.
type notification struct {
	Event string `json:"event"`
	object
	IsInitial           bool `json:"isInitial,omitempty"`
	IsFinalStateUnknown bool `json:"isFinalStateUnknown,omitempty"`
}

// contents is the whole cache, by key.
type contents struct {
	Event           string   `json:"event"`
	ResourceVersion string   `json:"resourceVersion"`
	HasSynced       bool     `json:"hasSynced"`
	Objects         []object `json:"objects"`
}

func main() {
	server := flag.String("server", "", "where the API server is, such as http://127.0.0.1:8001")
	namespace := flag.String("namespace", "default", "whose config maps are watched")
	selector := flag.String("selector", "", "the labels that they must have")
	chunked := flag.Bool("chunked", false, "list page by page, rather than as the beginning of a watch")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	if err := run(ctx, stop, *server, *namespace, *selector, *chunked); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, stop func(), server, namespace, selector string, chunked bool) error {
	client, err := kubernetes.NewForConfig(&rest.Config{
		Host: server,
		// Asked for by name, so that both clients are sent the same bytes.
		ContentConfig: rest.ContentConfig{ContentType: runtime.ContentTypeJSON},
		// A limit of the client's own would hide how the reflector paces itself.
		QPS:       -1,
		UserAgent: "client-go-differential",
	})
	if err != nil {
		return err
	}
	source := configMaps(client, namespace, selector)
	if chunked {
		source = inPages{source}
	}
	informer := cache.NewSharedIndexInformer(source, &corev1.ConfigMap{}, 0, cache.Indexers{})
	printer := &printer{encoder: json.NewEncoder(os.Stdout)}
	registration, err := informer.AddEventHandler(printer.handler())
	if err != nil {
		return err
	}

	go func() {
		defer stop()
		for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
			printer.print(cached(informer, registration))
		}
	}()
	informer.RunWithContext(ctx)
	printer.print(cached(informer, registration))
	return nil
}

func configMaps(client kubernetes.Interface, namespace, selector string) cache.ListerWatcher {
	return &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			options.LabelSelector = selector
			return client.CoreV1().ConfigMaps(namespace).List(ctx, options)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			options.LabelSelector = selector
			return client.CoreV1().ConfigMaps(namespace).Watch(ctx, options)
		},
	}
}

// inPages keeps the reflector from streaming lists: client-go's own switch is one for the whole process.
type inPages struct{ cache.ListerWatcher }

func (inPages) IsWatchListSemanticsUnSupported() bool { return true }

// printer writes one line at a time.
type printer struct {
	mutex   sync.Mutex
	encoder *json.Encoder
}

func (p *printer) print(line any) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if err := p.encoder.Encode(line); err != nil {
		os.Exit(1)
	}
}

func (p *printer) handler() cache.ResourceEventHandler {
	return cache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(added any, isInitial bool) {
			p.print(notification{Event: "add", object: identity(added), IsInitial: isInitial})
		},
		UpdateFunc: func(_, updated any) {
			p.print(notification{Event: "update", object: identity(updated)})
		},
		DeleteFunc: func(deleted any) {
			unknown, isUnknown := deleted.(cache.DeletedFinalStateUnknown)
			if isUnknown {
				deleted = unknown.Obj
			}
			p.print(notification{Event: "delete", object: identity(deleted), IsFinalStateUnknown: isUnknown})
		},
	}
}

func identity(of any) object {
	configMap := of.(*corev1.ConfigMap)
	return object{
		Key:             configMap.Namespace + "/" + configMap.Name,
		UID:             string(configMap.UID),
		ResourceVersion: configMap.ResourceVersion,
	}
}

func cached(informer cache.SharedIndexInformer, registration cache.ResourceEventHandlerRegistration) contents {
	objects := []object{}
	for _, each := range informer.GetStore().List() {
		objects = append(objects, identity(each))
	}
	slices.SortFunc(objects, func(a, b object) int { return cmp.Compare(a.Key, b.Key) })
	return contents{
		Event:           "cache",
		ResourceVersion: informer.LastSyncResourceVersion(),
		HasSynced:       registration.HasSynced(),
		Objects:         objects,
	}
}
