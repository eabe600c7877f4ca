package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apiserver/pkg/storage"
	etcdfeature "k8s.io/apiserver/pkg/storage/feature"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/rest"
	cliflag "k8s.io/component-base/cli/flag"
	logsapi "k8s.io/component-base/logs/api/v1"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"
)

// prepare parses kube-apiserver's flags, and returns the function that runs it.
func prepare(ctx context.Context, listener net.Listener, credentials *credentials, etcd string, given []string) (func(context.Context) error, error) {
	if *noProgress {
		etcdfeature.DefaultFeatureSupportChecker = withoutProgress{etcdfeature.DefaultFeatureSupportChecker}
	}
	run := options.NewServerRunOptions()
	flags := pflag.NewFlagSet("kube-apiserver", pflag.ContinueOnError)
	flags.SetNormalizeFunc(cliflag.WordSepNormalizeFunc)
	sets := run.Flags()
	for _, set := range sets.FlagSets {
		flags.AddFlagSet(set)
	}
	if err := flags.Parse(replaced(defaults(credentials, etcd), given)); err != nil {
		return nil, err
	}
	run.SecureServing.Listener = listener
	run.SecureServing.BindPort = listener.Addr().(*net.TCPAddr).Port
	if err := run.GenericServerRunOptions.ComponentGlobalsRegistry.Set(); err != nil {
		return nil, err
	}
	if err := logsapi.ValidateAndApply(run.Logs, utilfeature.DefaultFeatureGate); err != nil {
		return nil, err
	}
	rest.SetDefaultWarningHandler(rest.NoWarnings{})
	completed, err := run.Complete(ctx)
	if err != nil {
		return nil, err
	}
	if errs := completed.Validate(); len(errs) != 0 {
		return nil, utilerrors.NewAggregate(errs)
	}
	return func(ctx context.Context) error { return app.Run(ctx, completed) }, nil
}

func defaults(credentials *credentials, etcd string) []string {
	return []string{
		"--etcd-servers=" + etcd,
		"--bind-address=127.0.0.1",
		"--advertise-address=127.0.0.1",
		"--tls-cert-file=" + credentials.path("server.crt"),
		"--tls-private-key-file=" + credentials.path("server.key"),
		"--client-ca-file=" + credentials.path("ca.crt"),
		"--token-auth-file=" + credentials.path("tokens.csv"),
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + credentials.path("accounts.key"),
		"--service-account-signing-key-file=" + credentials.path("accounts.key"),
		"--service-cluster-ip-range=10.0.0.0/24",
		"--authorization-mode=RBAC",
		// There is no controller that creates service accounts, which pods would need otherwise.
		"--disable-admission-plugins=ServiceAccount",
		"--endpoint-reconciler-type=none",
		// Not 0: that also stops the server from following compact_rev_key, and its cached snapshots of lists then outlive a
		// compaction.
		"--etcd-compaction-interval=1000h",
		"--profiling=false",
		"--shutdown-delay-duration=0",
	}
}

// replaced returns the default flags, overridden by those given. Repeating a flag would append to its list, as with
// --disable-admission-plugins.
func replaced(ours, given []string) []string {
	name := func(flag string) string {
		name, _, _ := strings.Cut(flag, "=")
		return name
	}
	kept := slices.DeleteFunc(ours, func(our string) bool {
		return slices.ContainsFunc(given, func(other string) bool { return name(other) == name(our) })
	})
	return append(kept, given...)
}

// withoutProgress makes kube-apiserver treat etcd as older than 3.4.31.
type withoutProgress struct {
	etcdfeature.FeatureSupportChecker
}

func (withoutProgress) Supports(storage.Feature) bool { return false }

// waitReady returns the version of the server when it reports that it is ready.
func waitReady(ctx context.Context, server string, credentials *credentials) (string, error) {
	authority, err := credentials.read("ca.crt")
	if err != nil {
		return "", err
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(authority)
	client := &http.Client{
		Timeout:   2 * time.Second,
		Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}},
	}
	defer client.CloseIdleConnections()
	get := func(path string) ([]byte, error) {
		request, err := http.NewRequestWithContext(ctx, "GET", server+path, nil)
		if err != nil {
			return nil, err
		}
		request.Header.Set("Authorization", "Bearer "+credentials.adminToken)
		response, err := client.Do(request)
		if err != nil {
			return nil, err
		}
		defer response.Body.Close()
		if response.StatusCode != http.StatusOK {
			return nil, fmt.Errorf("%s: %s", path, response.Status)
		}
		return io.ReadAll(response.Body)
	}
	for {
		if _, err := get("/readyz"); err == nil {
			text, err := get("/version")
			var version struct{ GitVersion string }
			if err == nil && json.Unmarshal(text, &version) == nil {
				return version.GitVersion, nil
			}
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(retryPause):
		}
	}
}
