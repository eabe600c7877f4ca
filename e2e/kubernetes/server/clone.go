package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync/atomic"

	clientv3 "go.etcd.io/etcd/client/v3"
	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
)

// copies of one stored object. They are written directly to etcd in the form in
// which the API server stores objects, so that a test has 100,000 valid objects in
// seconds. Each is a write of its own: it has its own resourceVersion, and watchers
// see it.
type copies struct {
	key, namespace, prefix string
	count                  int
}

const (
	// writers is the number of parallel writers.
	writers = 64
	// attemptsMax is how often one write is tried. On a busy machine etcd gives up after a few seconds, and repeating the
	// write is harmless.
	attemptsMax = 10
)

func (c copies) write(ctx context.Context, client *clientv3.Client) error {
	found, err := client.Get(ctx, c.key)
	if err != nil {
		return err
	}
	if len(found.Kvs) != 1 {
		return fmt.Errorf("there is no %s", c.key)
	}
	object, encoder, err := decode(found.Kvs[0].Value)
	if err != nil {
		return err
	}
	about, err := meta.Accessor(object)
	if err != nil {
		return err
	}
	folder := strings.TrimSuffix(c.key, about.GetName())
	if c.namespace != "" {
		folder = strings.TrimSuffix(folder, about.GetNamespace()+"/") + c.namespace + "/"
	}
	var written atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	for range writers {
		group.Go(func() error {
			another := object.DeepCopyObject()
			about, err := meta.Accessor(another)
			if err != nil {
				return err
			}
			if c.namespace != "" {
				about.SetNamespace(c.namespace)
			}
			for number := written.Add(1); number <= int64(c.count); number = written.Add(1) {
				about.SetName(fmt.Sprintf("%s%06d", c.prefix, number))
				about.SetUID(uuid.NewUUID())
				var stored bytes.Buffer
				if err := encoder.Encode(another, &stored); err != nil {
					return err
				}
				if err := put(ctx, client, folder+about.GetName(), stored.String()); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}

func put(ctx context.Context, client *clientv3.Client, key, value string) error {
	for attempt := 1; ; attempt++ {
		_, err := client.Put(ctx, key, value)
		if err == nil || ctx.Err() != nil || attempt == attemptsMax {
			return err
		}
	}
}

// decode reads the stored form: protobuf for built-in kinds, JSON for others.
func decode(stored []byte) (runtime.Object, runtime.Encoder, error) {
	if bytes.HasPrefix(stored, []byte("k8s\x00")) {
		object, _, err := legacyscheme.Codecs.UniversalDeserializer().Decode(stored, nil, nil)
		return object, protobuf.NewSerializer(legacyscheme.Scheme, legacyscheme.Scheme), err
	}
	object, _, err := unstructured.UnstructuredJSONScheme.Decode(stored, nil, nil)
	return object, unstructured.UnstructuredJSONScheme, err
}
