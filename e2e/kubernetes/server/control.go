package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strconv"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3client"
)

// serveControl offers what a test needs and the Kubernetes API does not have,
// and returns its address:
//
//	POST /compact   compacts etcd at its current revision, and answers with it
//	POST /clone     writes copies of a stored object straight into etcd:
//	                  key        the object, as /registry/configmaps/NAMESPACE/NAME
//	                  count      how many copies
//	                  namespace  where to, if not to the object's own namespace
//	                  prefix     their names, before a number
func serveControl(listen string, etcd *embed.Etcd) (string, error) {
	client := v3client.New(etcd.Server)
	answer := func(work func(*http.Request) (string, error)) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			text, err := work(r)
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			fmt.Fprintln(w, text)
		}
	}
	mux := http.NewServeMux()
	mux.Handle("POST /compact", answer(func(r *http.Request) (string, error) {
		return compact(r.Context(), client)
	}))
	mux.Handle("POST /clone", answer(func(r *http.Request) (string, error) {
		query := r.URL.Query()
		count, err := strconv.Atoi(query.Get("count"))
		if err != nil {
			return "", err
		}
		copies := copies{key: query.Get("key"), namespace: query.Get("namespace"), prefix: query.Get("prefix"), count: count}
		return strconv.Itoa(count), copies.write(r.Context(), client)
	}))
	listener, err := net.Listen("tcp", listen)
	if err != nil {
		return "", err
	}
	go http.Serve(listener, mux)
	return "http://" + listener.Addr().String(), nil
}

func compact(ctx context.Context, client *clientv3.Client) (string, error) {
	now, err := client.Get(ctx, "/registry/nothing")
	if err != nil {
		return "", err
	}
	revision := now.Header.Revision
	text := strconv.FormatInt(revision, 10)
	// The API server's compactor leaves the revision in this key. Its watch cache then drops older snapshots.
	if _, err := client.Put(ctx, "compact_rev_key", text); err != nil {
		return "", err
	}
	_, err = client.Compact(ctx, revision, clientv3.WithCompactPhysical())
	return text, err
}
