// The real kube-controller-manager, for tests on loopback. It ends when standard input does, so that nobody who dies
// leaves one behind.
//
//	controllers [kube-controller-manager flags]
package main

import (
	"io"
	"os"

	"k8s.io/component-base/cli"
	"k8s.io/kubernetes/cmd/kube-controller-manager/app"
)

func main() {
	go func() {
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	os.Exit(cli.Run(app.NewControllerManagerCommand()))
}
