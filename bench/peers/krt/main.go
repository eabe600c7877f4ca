// krt (istio.io/istio/pkg/kube/krt) as a subject of `tidings-bench derived`: builds collections over objects in memory
// and applies changes, controlled by one JSON command per line. CPU and memory are measured from outside.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"istio.io/istio/pkg/log"
)

// command is a line of standard input.
type command struct {
	Do     string `json:"do"`
	Folder string `json:"folder"`
	Case   string `json:"case"`
	Change string `json:"change"`
	Count  int    `json:"count"`
}

func main() {
	for _, scope := range log.Scopes() {
		scope.SetOutputLevel(log.ErrorLevel)
	}
	subject := &subject{}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var next command
		answer, err := any(nil), json.Unmarshal(lines.Bytes(), &next)
		if err == nil {
			answer, err = subject.execute(next)
		}
		if err != nil {
			answer = map[string]string{"error": err.Error()}
		}
		if err := json.NewEncoder(os.Stdout).Encode(answer); err != nil {
			os.Exit(1)
		}
	}
}

func (s *subject) execute(next command) (any, error) {
	switch next.Do {
	case "load":
		objects, err := s.load(next.Folder)
		return map[string]int{"loaded": objects}, err
	case "build":
		outputs := s.build(next.Case)
		return map[string]int64{"built": int64(outputs), "evaluations": s.evaluations.Swap(0)}, nil
	case "settle":
		// Twice: objects with finalizers are freed by the second collection.
		runtime.GC()
		debug.FreeOSMemory()
		time.Sleep(time.Second)
		return map[string]bool{"settled": true}, nil
	case "prepare":
		err := s.prepare(next.Change, next.Count)
		return map[string]int{"ready": len(s.steps)}, err
	case "change":
		latency := s.change()
		return map[string]int64{
			"changed": int64(len(s.steps)), "evaluations": s.evaluations.Swap(0), "latency_ns": latency.Nanoseconds(),
		}, nil
	}
	return nil, fmt.Errorf("there is no command %q", next.Do)
}
