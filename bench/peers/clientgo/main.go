// Command clientgo is client-go's subject of the comparison: it reads commands from stdin, one JSON object per line,
// and responds on stdout. Its CPU and memory are measured from outside, as for every subject.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

// command is one line of stdin. Each command uses some of the fields.
type command struct {
	Do        string `json:"do"`
	Resource  string `json:"resource"`
	Handlers  int    `json:"handlers"`
	Read      string `json:"read"`
	Updates   int64  `json:"updates"`
	Readers   int    `json:"readers"`
	Sentinel  string `json:"sentinel"`
	Informers int    `json:"informers"`
	Count     int    `json:"count"`
}

type answer map[string]any

func main() {
	options := connection{}
	flag.StringVar(&options.server, "server", "", "URL of the API server")
	flag.StringVar(&options.kubeconfig, "kubeconfig", "", "kubeconfig file, instead of -server")
	flag.StringVar(&options.wire, "wire", "json", "json or protobuf")
	flag.StringVar(&options.list, "list", "stream", "stream or pages")
	flag.Parse()

	answers := json.NewEncoder(os.Stdout)
	say := func(said answer) { _ = answers.Encode(said) }
	if err := serve(options, say); err != nil {
		say(answer{"error": err.Error()})
		os.Exit(1)
	}
}

// serve executes commands until stdin ends.
func serve(options connection, say func(answer)) error {
	clients, err := options.connect()
	if err != nil {
		return err
	}
	subject := &subject{clients: clients}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		var cmd command
		if err := json.Unmarshal(lines.Bytes(), &cmd); err != nil {
			return fmt.Errorf("reading a command: %w", err)
		}
		if err := subject.obey(cmd, say); err != nil {
			return fmt.Errorf("%s: %w", cmd.Do, err)
		}
	}
	return lines.Err()
}

func (s *subject) obey(cmd command, say func(answer)) error {
	switch cmd.Do {
	case "sync":
		return s.sync(cmd, say)
	case "restart":
		return s.restart(say)
	case "settle":
		runtime.GC()
		debug.FreeOSMemory()
		time.Sleep(time.Second)
		say(answer{"settled": true})
		return nil
	case "expect":
		return s.expect(cmd.Updates, say)
	case "latency":
		return s.latency(cmd.Updates, 0, say)
	case "latency_under_readers":
		return s.latency(cmd.Updates, cmd.Readers, say)
	case "reads":
		return s.reads(say)
	case "relist":
		return s.relist(cmd.Sentinel, say)
	case "many":
		return s.many(cmd.Informers, cmd.Handlers, say)
	case "connections":
		return s.connections(cmd.Count, say)
	case "info":
		say(s.info())
		return nil
	default:
		return fmt.Errorf("no such command")
	}
}

func (s *subject) info() answer {
	version := "unknown"
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, module := range build.Deps {
			if module.Path == "k8s.io/client-go" {
				version = strings.TrimPrefix(module.Version, "v")
			}
		}
	}
	return answer{
		"name":      "client-go",
		"version":   version,
		"allocator": "Go " + strings.TrimPrefix(runtime.Version(), "go"),
		"wire":      s.clients.got.wire(),
		"list":      s.clients.got.list(),
		"old":       true,
	}
}
