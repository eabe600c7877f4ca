package main

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
	"go.etcd.io/etcd/server/v3/storage/wal"
)

const (
	// unixPathBytesMax is the limit for the path of a unix socket on all systems.
	unixPathBytesMax = 100
	quotaBytes       = 8 << 30
	// walSegmentBytes is small, because two segments are allocated at once.
	walSegmentBytes = 4 << 20
	etcdReadyMax    = time.Minute
)

// startEtcd returns an etcd with the data in dir, and its address.
func startEtcd(dir string) (*embed.Etcd, string, error) {
	socket := filepath.Join(dir, "etcd.sock")
	if len(socket) > unixPathBytesMax {
		return nil, "", fmt.Errorf("-dir is too long for a unix socket in it: %s", dir)
	}
	// Removes what a killed server left behind.
	if err := os.Remove(socket); err != nil && !os.IsNotExist(err) {
		return nil, "", err
	}
	// There is no other member, but an address must have a port.
	nobody := []url.URL{{Scheme: "http", Host: "127.0.0.1:0"}}
	config := embed.NewConfig()
	config.Name = "alone"
	config.Dir = filepath.Join(dir, "etcd")
	config.ListenClientUrls = []url.URL{{Scheme: "unix", Path: socket}}
	config.AdvertiseClientUrls = nobody
	config.ListenPeerUrls = nobody
	config.AdvertisePeerUrls = nobody
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	config.LogLevel = "error"
	config.LogOutputs = []string{"stderr"}
	config.UnsafeNoFsync = true
	config.QuotaBackendBytes = quotaBytes
	wal.SegmentSizeBytes = walSegmentBytes
	// There is only one member, so the election can be short.
	config.TickMs = 10
	config.ElectionMs = 100
	etcd, err := embed.StartEtcd(config)
	if err != nil {
		return nil, "", err
	}
	select {
	case <-etcd.Server.ReadyNotify():
		return etcd, "unix://" + socket, nil
	case err := <-etcd.Err():
		return nil, "", err
	case <-time.After(etcdReadyMax):
		etcd.Close()
		return nil, "", fmt.Errorf("etcd was not ready in %s", etcdReadyMax)
	}
}
