// Command suites runs the tests of other projects against `tidings serve` and compares the outcome of each test with
// the expected one.
//
//	go run . -tidings ../../target/debug/tidings [-suite controller-runtime] [-packages pkg/client,pkg/cache]
//
// The suites are those of controller-runtime and the real sample-controller. Their sources come from the Go module
// proxy, in an exact version, and stay in a cache outside the repository. The suite load is our own: a large cluster with
// many status updates. SUITE.txt has the expected number of passing
// tests, the tests that fail, each with its reason, and those that depend on the speed of the machine. The program
// prints the counts, and ends with 1 if an outcome differs from the expected one, in either direction.
package main

import (
	"flag"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// An outcome of one test. State is "passed", "skipped", "pending", or one of several words for a failure.
type outcome struct{ Name, State, Message string }

// run has what all suites need.
type run struct {
	program  string   // tidings
	work     string   // a directory that is removed at the end
	logs     string   // the directory of the output of tests and servers
	packages []string // of controller-runtime; all if empty
}

var suites = map[string]func(run) ([]outcome, error){
	"controller-runtime": controllerRuntime,
	"load":               load,
	"sample-controller":  sampleController,
}

func main() {
	tidings := flag.String("tidings", "../../target/debug/tidings", "the program that serves the API")
	chosen := flag.String("suite", "controller-runtime,sample-controller", "comma-separated suites; there is also load")
	packages := flag.String("packages", "", "comma-separated packages of controller-runtime; all with specs if empty")
	logs := flag.String("logs", "", "keeps the output of tests and servers in this directory")
	flag.Parse()
	failed := false
	for name := range strings.SplitSeq(*chosen, ",") {
		if err := runSuite(name, *tidings, *packages, *logs); err != nil {
			fmt.Fprintf(os.Stderr, "suites: %s: %v\n", name, err)
			failed = true
		}
	}
	if failed {
		os.Exit(1)
	}
}

func runSuite(name, tidings, packages, logs string) error {
	suite, isKnown := suites[name]
	if !isKnown {
		return fmt.Errorf("there is no such suite")
	}
	known, err := readExpected(name + ".txt")
	if err != nil {
		return err
	}
	r := run{}
	if packages != "" {
		r.packages = strings.Split(packages, ",")
	}
	if r.program, err = filepath.Abs(tidings); err != nil {
		return err
	}
	if r.work, err = os.MkdirTemp("", "suites"); err != nil {
		return err
	}
	defer os.RemoveAll(r.work)
	if r.logs = r.work; logs != "" {
		if r.logs, err = filepath.Abs(logs); err != nil {
			return err
		}
		if err := os.MkdirAll(r.logs, 0o755); err != nil {
			return err
		}
	}
	started := time.Now()
	outcomes, err := suite(r)
	if err != nil {
		return err
	}
	fmt.Printf("\n%s: ", name)
	return report(outcomes, known, packages == "", time.Since(started))
}

// report prints the counts and each outcome that is a failure or differs from the expected one.
func report(all []outcome, known expectation, isWhole bool, took time.Duration) error {
	passed, ran := count(all, "passed"), len(all)-count(all, "skipped", "pending")
	fmt.Printf("%d of %d passed, %d skipped or pending, in %.0f s\n", passed, ran, len(all)-ran, took.Seconds())
	differences, seen := 0, map[string]bool{}
	for _, o := range all {
		reason, isListed := known.failing[o.Name]
		seen[o.Name] = true
		why, isTimed := known.timed[o.Name]
		switch {
		case isTimed && o.State == "passed":
			passed--
		case isTimed:
			fmt.Printf("fails, which may happen (%s): %s\n", why, o.Name)
		case o.State == "passed" && isListed:
			differences++
			fmt.Printf("PASSES, although listed as failing: %s\n", o.Name)
		case o.State == "passed" || o.State == "skipped" || o.State == "pending":
		case isListed:
			fmt.Printf("fails as listed (%s): %s\n", reason, o.Name)
		default:
			differences++
			fmt.Printf("FAILS (%s): %s\n    %s\n", o.State, o.Name, o.Message)
		}
	}
	for name := range known.listed() {
		if isWhole && !seen[name] {
			differences++
			fmt.Printf("LISTED, but there is no such test: %s\n", name)
		}
	}
	if differences > 0 {
		return fmt.Errorf("%d outcomes differ from the expected ones", differences)
	}
	if isWhole && passed != known.passed {
		return fmt.Errorf("%d passed, expected are %d", passed, known.passed)
	}
	return nil
}

func count(outcomes []outcome, states ...string) int {
	n := 0
	for _, o := range outcomes {
		if slices.Contains(states, o.State) {
			n++
		}
	}
	return n
}

// expectation has the reasons by the name of the test.
type expectation struct {
	passed  int               // without the tests of timed
	failing map[string]string // fail always
	timed   map[string]string // pass or fail, depending on the speed of the machine
}

func (e expectation) listed() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, names := range []map[string]string{e.failing, e.timed} {
			for name := range names {
				if !yield(name) {
					return
				}
			}
		}
	}
}

// readExpected reads lines of `passed N`, `test # reason`, and `? test # reason` for a test that depends on time.
func readExpected(path string) (expectation, error) {
	known := expectation{failing: map[string]string{}, timed: map[string]string{}}
	text, err := os.ReadFile(path)
	if err != nil {
		return known, err
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if _, err := fmt.Sscanf(line, "passed %d", &known.passed); err == nil {
			continue
		}
		name, reason, found := strings.Cut(line, " # ")
		if !found {
			return known, fmt.Errorf("%s: a failing test needs a reason after ' # ': %s", path, line)
		}
		if timed, isTimed := strings.CutPrefix(name, "? "); isTimed {
			known.timed[timed] = reason
		} else {
			known.failing[name] = reason
		}
	}
	return known, nil
}
