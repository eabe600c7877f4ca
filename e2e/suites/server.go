package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// server is a running `tidings serve`.
type server struct {
	url, kubeconfig string
	process         *exec.Cmd
}

// serve starts a server and waits until it is ready.
func (r run) serve(output io.Writer, options ...string) (*server, error) {
	s := &server{kubeconfig: filepath.Join(r.work, "kubeconfig")}
	ready := filepath.Join(r.work, "ready")
	os.Remove(ready)
	common := []string{"serve", "--kubeconfig", s.kubeconfig, "--ready-file", ready, "--exit-with-parent"}
	s.process = exec.Command(r.program, append(common, options...)...)
	s.process.Stdout, s.process.Stderr = output, output
	if err := s.process.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", r.program, err)
	}
	for range 12_000 {
		if url, err := os.ReadFile(ready); err == nil {
			s.url = strings.TrimSpace(string(url))
			return s, nil
		}
		time.Sleep(5 * time.Millisecond)
	}
	s.stop()
	return nil, fmt.Errorf("%s serve was not ready after a minute", r.program)
}

func (s *server) stop() {
	s.process.Process.Kill()
	s.process.Wait()
}
