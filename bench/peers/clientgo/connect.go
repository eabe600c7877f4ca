package main

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync/atomic"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const protobuf = "application/vnd.kubernetes.protobuf"

// connection is the server and how to talk to it.
type connection struct {
	server, kubeconfig, wire, list string
}

// clients are all clients of one process, with one connection pool and without a rate limit.
type clients struct {
	typed   kubernetes.Interface
	dynamic dynamic.Interface
	got     *got
}

func (c connection) connect() (*clients, error) {
	switch c.list {
	case "stream", "pages":
		// The environment variable is read once, by the first client, so it must be set before.
		if err := os.Setenv("KUBE_FEATURE_WatchListClient", fmt.Sprint(c.list == "stream")); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("no such way to list: %q", c.list)
	}

	config := &rest.Config{Host: c.server}
	if c.kubeconfig != "" {
		read, err := clientcmd.BuildConfigFromFlags("", c.kubeconfig)
		if err != nil {
			return nil, err
		}
		config = read
	}
	config.QPS = -1
	// Over loopback, compression costs more than it saves. kube-rs does not request it by default either.
	config.DisableCompression = true
	got := &got{}
	config.Wrap(got.watchResponses)

	built := rest.CopyConfig(config)
	switch c.wire {
	case "json":
		built.ContentType = "application/json"
		built.AcceptContentTypes = "application/json"
	case "protobuf":
		built.ContentType = protobuf
		built.AcceptContentTypes = protobuf + ",application/json"
	default:
		return nil, fmt.Errorf("no such wire: %q", c.wire)
	}

	typed, err := kubernetes.NewForConfig(built)
	if err != nil {
		return nil, err
	}
	// Custom resources have no protobuf. The dynamic client always requests JSON.
	custom, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	return &clients{typed: typed, dynamic: custom, got: got}, nil
}

// got records how the server really responded, because client-go falls back from protobuf and from streaming lists
// silently.
type got struct {
	contentType atomic.Value
	streamed    atomic.Bool
	listed      atomic.Bool
}

func (g *got) watchResponses(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(request *http.Request) (*http.Response, error) {
		response, err := next.RoundTrip(request)
		if err != nil || response.StatusCode != http.StatusOK {
			return response, err
		}
		asked := request.URL.Query()
		switch {
		case asked.Get("sendInitialEvents") == "true":
			g.streamed.Store(true)
		case asked.Get("watch") == "":
			g.listed.Store(true)
		}
		g.contentType.Store(response.Header.Get("Content-Type"))
		return response, nil
	})
}

func (g *got) wire() string {
	contentType, _ := g.contentType.Load().(string)
	switch {
	case strings.HasPrefix(contentType, protobuf):
		return "protobuf"
	case strings.HasPrefix(contentType, "application/json"):
		return "json"
	default:
		return contentType
	}
}

func (g *got) list() string {
	switch {
	case g.listed.Load():
		return "pages"
	case g.streamed.Load():
		return "stream"
	default:
		return ""
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }
