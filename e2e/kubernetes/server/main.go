// A real kube-apiserver and a real etcd in one process, for tests of clients on
// loopback. Not for production: etcd does not fsync, and the keys lie in -dir.
//
//	server [own flags] [-- kube-apiserver flags]
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

var (
	stateDir      = flag.String("dir", "", "state directory; the same one again restarts with the same data and certificates")
	port          = flag.Int("port", 0, "port of the API server on 127.0.0.1; 0 takes a free one")
	controlListen = flag.String("control", "", "serve the control API here, such as 127.0.0.1:0; not at all by default")
	readyFile     = flag.String("ready-file", "", "write a JSON description here once the server is ready")
	untilStdin    = flag.Bool("until-stdin-ends", false, "end when standard input does, so that nobody who dies leaves a server behind")
	noProgress    = flag.Bool("no-etcd-progress", false, "behave as with an etcd older than 3.4.31, which can't be asked for its progress")
)

// description is the content of the ready file.
type description struct {
	Server     string `json:"server"`
	Control    string `json:"control,omitempty"`
	Kubeconfig string `json:"kubeconfig"`
	Token      string `json:"token"`
	CA         string `json:"ca"`
	Version    string `json:"version"`
}

func main() {
	flag.Parse()
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "server:", err)
		os.Exit(1)
	}
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	if *untilStdin {
		go func() {
			io.Copy(io.Discard, os.Stdin)
			os.Exit(0)
		}()
	}
	if *stateDir == "" {
		return fmt.Errorf("-dir is needed")
	}
	dir, err := filepath.Abs(*stateDir)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	credentials, err := loadOrMakeCredentials(filepath.Join(dir, "credentials"))
	if err != nil {
		return err
	}
	// The listener is created here, so that port 0 works and no other process can take the port between choosing and
	// binding (kube-apiserver's --secure-port refuses 0).
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", *port))
	if err != nil {
		return err
	}
	about := description{
		Server:     fmt.Sprintf("https://127.0.0.1:%d", listener.Addr().(*net.TCPAddr).Port),
		Kubeconfig: filepath.Join(dir, "kubeconfig"),
		Token:      credentials.adminToken,
		CA:         credentials.path("ca.crt"),
	}
	kubeconfig, err := credentials.kubeconfig(about.Server)
	if err != nil {
		return err
	}
	if err := os.WriteFile(about.Kubeconfig, kubeconfig, 0o600); err != nil {
		return err
	}
	etcd, endpoint, err := startEtcd(dir)
	if err != nil {
		return err
	}
	defer etcd.Close()
	apiserver, err := prepare(ctx, listener, credentials, endpoint, flag.Args())
	if err != nil {
		return err
	}
	if *controlListen != "" {
		if about.Control, err = serveControl(*controlListen, etcd); err != nil {
			return err
		}
	}
	go writeReadyFile(ctx, about, credentials)
	return apiserver(ctx)
}

// writeReadyFile waits until the server is ready, and then writes the ready file atomically.
func writeReadyFile(ctx context.Context, about description, credentials *credentials) {
	version, err := waitReady(ctx, about.Server, credentials)
	if err != nil || *readyFile == "" {
		return
	}
	about.Version = version
	text, err := json.Marshal(about)
	if err == nil {
		err = os.WriteFile(*readyFile+".new", append(text, '\n'), 0o600)
	}
	if err == nil {
		err = os.Rename(*readyFile+".new", *readyFile)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "server: writing the ready file:", err)
		os.Exit(1)
	}
}

// retryPause is the interval of polls for readiness.
const retryPause = 20 * time.Millisecond
