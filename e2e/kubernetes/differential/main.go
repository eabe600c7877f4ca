// Command differential is client-go's side of the differential test: a shared informer on the config maps of one
// namespace, and four handlers: with and without a filter, quick and slow. It prints every notification as a JSON
// line. It prints its whole cache for each line that it reads, and once more when SIGTERM or the end of its input
// stops it.
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
	"strconv"
	"sync"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// object is one version of one object, with the compared fields.
type object struct {
	Key             string `json:"key"`
	UID             string `json:"uid"`
	ResourceVersion string `json:"resourceVersion"`
}

// notification is one call of a handler.
type notification struct {
	Handler string `json:"handler"`
	Event   string `json:"event"`
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
	protobuf := flag.Bool("protobuf", false, "ask for protobuf, rather than for JSON")
	slow := flag.Duration("slow", 0, "how long a slow handler takes for each call")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	if err := run(ctx, stop, config(*server, *protobuf), *namespace, *selector, *chunked, *slow); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func config(server string, protobuf bool) *rest.Config {
	// Requested explicitly, so that both clients receive the same bytes.
	content := rest.ContentConfig{ContentType: runtime.ContentTypeJSON}
	if protobuf {
		content.ContentType = runtime.ContentTypeProtobuf
		content.AcceptContentTypes = runtime.ContentTypeProtobuf + "," + runtime.ContentTypeJSON
	}
	return &rest.Config{
		Host:          server,
		ContentConfig: content,
		// A rate limit of the client would hide the backoff of the reflector.
		QPS:       -1,
		UserAgent: "client-go-differential",
	}
}

func run(
	ctx context.Context, stop func(), config *rest.Config, namespace, selector string, chunked bool, slow time.Duration,
) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	source := configMaps(client, namespace, selector)
	if chunked {
		source = inPages{source}
	}
	informer := cache.NewSharedIndexInformer(source, &corev1.ConfigMap{}, 0, cache.Indexers{})
	printer := &printer{encoder: json.NewEncoder(os.Stdout)}
	registration, err := informer.AddEventHandler(printer.handler("all", 0))
	if err != nil {
		return err
	}
	for _, other := range []cache.ResourceEventHandler{
		cache.FilteringResourceEventHandler{FilterFunc: isChosen, Handler: printer.handler("filtered", 0)},
		printer.handler("slow", slow),
		cache.FilteringResourceEventHandler{FilterFunc: isChosen, Handler: printer.handler("slowFiltered", slow)},
	} {
		if _, err := informer.AddEventHandler(other); err != nil {
			return err
		}
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

// inPages disables streaming lists for one reflector. client-go's own switch applies to the whole process.
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

func (p *printer) handler(name string, delay time.Duration) cache.ResourceEventHandler {
	report := func(n notification) {
		time.Sleep(delay)
		n.Handler = name
		p.print(n)
	}
	return cache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(added any, isInitial bool) {
			report(notification{Event: "add", object: identity(added), IsInitial: isInitial})
		},
		UpdateFunc: func(_, updated any) {
			report(notification{Event: "update", object: identity(updated)})
		},
		DeleteFunc: func(deleted any) {
			unknown, isUnknown := deleted.(cache.DeletedFinalStateUnknown)
			if isUnknown {
				deleted = unknown.Obj
			}
			report(notification{Event: "delete", object: identity(deleted), IsFinalStateUnknown: isUnknown})
		},
	}
}

// isChosen matches objects whose data was written an even number of times.
func isChosen(of any) bool {
	if unknown, isUnknown := of.(cache.DeletedFinalStateUnknown); isUnknown {
		of = unknown.Obj
	}
	write, err := strconv.Atoi(of.(*corev1.ConfigMap).Data["write"])
	return err == nil && write%2 == 0
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
