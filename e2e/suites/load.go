package main

import (
	"bufio"
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A cluster as large as Kubernetes supports at most has half of these.
const (
	loadNodes     = 10_000
	loadPods      = 100_000
	loadRate      = 1_000 // status updates per second
	loadDuration  = 30 * time.Second
	loadClients   = 32
	loadNamespace = "default"
)

// load creates nodes and pods, and then updates the status of pods at a fixed rate while two clients watch all of them, as
// the kubelets of a large cluster do. The server keeps up if every update is answered within the time, and its events
// arrive within a second.
func load(r run) ([]outcome, error) {
	output, err := os.Create(filepath.Join(r.logs, "load.log"))
	if err != nil {
		return nil, err
	}
	defer output.Close()
	server, err := r.serve(output, "--plain", "--anonymous")
	if err != nil {
		return nil, err
	}
	defer server.stop()
	http.DefaultTransport.(*http.Transport).MaxIdleConnsPerHost = loadClients
	api := client{server.url}
	started := time.Now()
	err = inParallel(loadNodes, func(i int) error {
		return api.send("POST", "/api/v1/nodes", "application/json", fmt.Appendf(nil, `{"metadata":{"name":"node-%d"}}`, i))
	})
	if err == nil {
		err = inParallel(loadPods, func(i int) error {
			return api.send("POST", "/api/v1/namespaces/"+loadNamespace+"/pods", "application/json", loadPod(i))
		})
	}
	if err != nil {
		return nil, err
	}
	created := time.Since(started)
	fmt.Printf("%d nodes and %d pods created in %.1f s (%.0f a second), %s resident\n", loadNodes, loadPods,
		created.Seconds(), (loadNodes+loadPods)/created.Seconds(), resident(server))
	return api.update(server)
}

func loadPod(i int) []byte {
	return fmt.Appendf(nil, `{"metadata":{"name":"pod-%d","labels":{"app":"app-%d"}},"spec":{"nodeName":"node-%d",`+
		`"containers":[{"name":"main","image":"registry.example.com/app:1","resources":{"requests":{"cpu":"100m","memory":"64Mi"}}}]}}`,
		i, i%100, i%loadNodes)
}

// inParallel calls work for each number, from several goroutines, and returns the first error.
func inParallel(n int, work func(int) error) error {
	var next atomic.Int64
	var group sync.WaitGroup
	failed := make(chan error, loadClients)
	for range loadClients {
		group.Go(func() {
			for i := next.Add(1) - 1; i < int64(n) && len(failed) == 0; i = next.Add(1) - 1 {
				if err := work(int(i)); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	group.Wait()
	close(failed)
	return <-failed
}

// update sends status updates at the rate, and measures answers and events.
func (c client) update(s *server) ([]outcome, error) {
	watches := make([]*loadWatch, 2)
	for i := range watches {
		var err error
		if watches[i], err = c.watchPods(); err != nil {
			return nil, err
		}
	}
	total := loadRate * int(loadDuration/time.Second)
	answers := make([]time.Duration, total)
	started := time.Now()
	err := inParallel(total, func(i int) error {
		due := started.Add(time.Duration(i) * time.Second / loadRate)
		time.Sleep(time.Until(due))
		// The time at which the update is due is in the status, so that a watch knows how old its event is. Updates that
		// wait for an earlier one count as late.
		body := fmt.Sprintf(`{"status":{"phase":"Running","message":"%d"}}`, due.UnixMicro())
		path := "/api/v1/namespaces/" + loadNamespace + "/pods/pod-" + strconv.Itoa(i*7919%loadPods) + "/status"
		err := c.patch(path, body)
		answers[i] = time.Since(due)
		return err
	})
	if err != nil {
		return nil, err
	}
	took := time.Since(started)
	fmt.Printf("%d status updates in %.1f s (%.0f a second), %s resident\n", total, took.Seconds(),
		float64(total)/took.Seconds(), resident(s))
	fmt.Printf("from the time an update is due to its answer: %s\n", quantiles(answers))
	var events []time.Duration
	for i, watch := range watches {
		ages, err := watch.await(total)
		if err != nil {
			return nil, fmt.Errorf("watch %d: %w", i, err)
		}
		events = append(events, ages...)
	}
	fmt.Printf("from the time an update is due to its event, two watches: %s\n", quantiles(events))
	return []outcome{
		kept("the answer to an update comes within a second", answers),
		kept("the event of an update comes within a second", events),
	}, nil
}

func kept(name string, measured []time.Duration) outcome {
	if worst := slices.Max(measured); worst > time.Second {
		return outcome{name, "failed", fmt.Sprintf("the slowest took %v", worst)}
	}
	return outcome{name, "passed", ""}
}

func quantiles(measured []time.Duration) string {
	sorted := slices.Sorted(slices.Values(measured))
	at := func(share float64) float64 {
		return float64(sorted[int(share*float64(len(sorted)-1))].Microseconds()) / 1000
	}
	return fmt.Sprintf("median %.1f ms, 99 %% %.1f ms, slowest %.1f ms", at(0.5), at(0.99), at(1))
}

// loadWatch collects the ages of events.
type loadWatch struct {
	lock sync.Mutex
	ages []time.Duration
	done error
}

func (c client) watchPods() (*loadWatch, error) {
	list, _, err := c.get("/api/v1/pods?limit=1")
	if err != nil {
		return nil, err
	}
	response, err := http.Get(c.url + "/api/v1/pods?watch=true&resourceVersion=" + list.text("metadata", "resourceVersion"))
	if err != nil {
		return nil, err
	}
	watch := &loadWatch{}
	go func() {
		defer response.Body.Close()
		lines := bufio.NewReaderSize(response.Body, 1<<20)
		for {
			line, err := lines.ReadBytes('\n')
			now := time.Now()
			watch.lock.Lock()
			if err != nil {
				watch.done = err
				watch.lock.Unlock()
				return
			}
			if _, rest, found := bytes.Cut(line, []byte(`"message":"`)); found {
				digits, _, _ := bytes.Cut(rest, []byte(`"`))
				due, _ := strconv.ParseInt(string(digits), 10, 64)
				watch.ages = append(watch.ages, now.Sub(time.UnixMicro(due)))
			}
			watch.lock.Unlock()
		}
	}()
	return watch, nil
}

// await waits for all events.
func (w *loadWatch) await(total int) ([]time.Duration, error) {
	for range 600 {
		w.lock.Lock()
		ages, done := slices.Clone(w.ages), w.done
		w.lock.Unlock()
		if len(ages) >= total || done != nil {
			return ages, done
		}
		time.Sleep(100 * time.Millisecond)
	}
	return nil, fmt.Errorf("after a minute, events are missing")
}

// resident returns the memory of the server, where the system tells it.
func resident(s *server) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.process.Process.Pid))
	if err != nil {
		return "unknown memory"
	}
	for line := range strings.Lines(string(text)) {
		var kilobytes int
		if n, _ := fmt.Sscanf(line, "VmRSS: %d kB", &kilobytes); n == 1 {
			return fmt.Sprintf("%d MB", kilobytes/1024)
		}
	}
	return "unknown memory"
}
