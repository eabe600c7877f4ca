// Command suites runs the test suites of controller-runtime against `tidings serve` and compares the outcome of each
// spec with the expected one.
//
//	go run . -tidings ../../target/debug/tidings [-packages pkg/client,pkg/cache] [-release v0.25.2]
//
// The sources come from the Go module proxy and stay in a cache outside the repository. Each package gets a new server.
// controller-runtime.txt has the expected number of passing specs and the specs that fail, each with its reason. The
// program prints one line per package and the sum, and ends with 1 if a spec fails that is not listed.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

type spec struct{ Package, Name, State, Message string }

func main() {
	tidings := flag.String("tidings", "../../target/debug/tidings", "the program that serves the API")
	release := flag.String("release", "v0.25.2", "the release of controller-runtime")
	packages := flag.String("packages", "", "comma-separated packages; all with specs if empty")
	expected := flag.String("expected", "controller-runtime.txt", "the expected outcomes")
	logs := flag.String("logs", "", "keeps the output of each package in this directory")
	flag.Parse()
	if err := run(*tidings, *release, *packages, *expected, *logs); err != nil {
		fmt.Fprintln(os.Stderr, "suites:", err)
		os.Exit(1)
	}
}

func run(tidings, release, packages, expected, logs string) error {
	program, err := filepath.Abs(tidings)
	if err != nil {
		return err
	}
	known, err := readExpected(expected)
	if err != nil {
		return err
	}
	source, err := sources("sigs.k8s.io/controller-runtime", release)
	if err != nil {
		return err
	}
	chosen, err := withSpecs(source, packages)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "suites")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if logs == "" {
		logs = work
	} else if logs, err = filepath.Abs(logs); err != nil {
		return err
	}
	started := time.Now()
	var all []spec
	for _, name := range chosen {
		specs, took, err := runPackage(program, source, name, work, logs)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		passed := count(specs, "passed")
		fmt.Printf("%-42s %4d of %4d  %6.1f s\n", name, passed, len(specs)-count(specs, "skipped", "pending"), took.Seconds())
		all = append(all, specs...)
	}
	return report(all, known, packages == "", time.Since(started))
}

func report(all []spec, known expectation, isWhole bool, took time.Duration) error {
	passed, ran := count(all, "passed"), len(all)-count(all, "skipped", "pending")
	fmt.Printf("\n%d of %d specs passed, %d skipped or pending, in %.0f s\n", passed, ran, len(all)-ran, took.Seconds())
	unexpected := 0
	for _, s := range all {
		reason, isListed := known.failing[s.Package+": "+s.Name]
		switch {
		case s.State == "passed" && isListed:
			fmt.Printf("passes now, although listed: %s: %s\n", s.Package, s.Name)
		case s.State == "passed" || s.State == "skipped" || s.State == "pending":
		case isListed:
			fmt.Printf("fails as listed (%s): %s: %s\n", reason, s.Package, s.Name)
		default:
			unexpected++
			fmt.Printf("FAILS (%s): %s: %s\n    %s\n", s.State, s.Package, s.Name, s.Message)
		}
	}
	if unexpected > 0 {
		return fmt.Errorf("%d specs fail that are not listed", unexpected)
	}
	if isWhole && passed < known.passed {
		return fmt.Errorf("%d specs passed, expected are %d", passed, known.passed)
	}
	return nil
}

func count(specs []spec, states ...string) int {
	n := 0
	for _, s := range specs {
		if slices.Contains(states, s.State) {
			n++
		}
	}
	return n
}

// sources returns a writable copy of a module, outside the module cache.
func sources(module, release string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	target := filepath.Join(cache, "tidings", "suites", filepath.Base(module)+"-"+release)
	if _, err := os.Stat(filepath.Join(target, "go.mod")); err == nil {
		return target, nil
	}
	out, err := exec.Command("go", "mod", "download", "-json", module+"@"+release).Output()
	if err != nil {
		return "", fmt.Errorf("downloading %s@%s: %w", module, release, err)
	}
	var found struct{ Dir string }
	if err := json.Unmarshal(out, &found); err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return "", err
	}
	if err := os.CopyFS(target, os.DirFS(found.Dir)); err != nil {
		return "", err
	}
	return target, nil
}

// withSpecs returns the packages that have Ginkgo suites, or the chosen ones.
func withSpecs(source, packages string) ([]string, error) {
	if packages != "" {
		return strings.Split(packages, ","), nil
	}
	var found []string
	err := filepath.WalkDir(filepath.Join(source, "pkg"), func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err == nil && strings.Contains(string(text), "RunSpecs(") {
			name, _ := filepath.Rel(source, filepath.Dir(path))
			if !slices.Contains(found, name) {
				found = append(found, name)
			}
		}
		return err
	})
	slices.Sort(found)
	return found, err
}

func runPackage(program, source, name, work, logs string) ([]spec, time.Duration, error) {
	kubeconfig := filepath.Join(work, "kubeconfig")
	report := filepath.Join(work, "report.json")
	os.Remove(kubeconfig)
	os.Remove(report)
	binary := filepath.Join(work, "suite.test")
	output, err := os.Create(filepath.Join(logs, strings.ReplaceAll(name, "/", "-")+".log"))
	if err != nil {
		return nil, 0, err
	}
	defer output.Close()
	build := exec.Command("go", "test", "-vet=off", "-c", "-o", binary, "./"+name)
	build.Dir, build.Stdout, build.Stderr = source, output, output
	if err := build.Run(); err != nil {
		return nil, 0, fmt.Errorf("building the suite (see -logs): %w", err)
	}
	server := exec.Command(program, "serve", "--kubeconfig", kubeconfig, "--exit-with-parent")
	server.Stdout, server.Stderr = output, output
	if err := server.Start(); err != nil {
		return nil, 0, fmt.Errorf("starting %s: %w", program, err)
	}
	defer func() {
		server.Process.Kill()
		server.Wait()
	}()
	for range 1000 {
		if _, err := os.Stat(kubeconfig); err == nil {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	started := time.Now()
	suite := exec.Command(binary, "-ginkgo.json-report="+report, "-ginkgo.timeout=5m", "-test.timeout=6m")
	suite.Dir, suite.Stdout, suite.Stderr = filepath.Join(source, name), output, output
	suite.Env = append(os.Environ(), "USE_EXISTING_CLUSTER=true", "KUBECONFIG="+kubeconfig)
	failed := suite.Run()
	took := time.Since(started)
	specs, err := readReport(report, name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, took, fmt.Errorf("the suite wrote no report (see -logs): %w", failed)
	}
	return specs, took, err
}

func readReport(path, name string) ([]spec, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var suites []struct {
		SpecReports []struct {
			ContainerHierarchyTexts    []string
			LeafNodeType, LeafNodeText string
			State                      string
			Failure                    struct{ Message string }
		}
	}
	if err := json.Unmarshal(text, &suites); err != nil {
		return nil, err
	}
	var specs []spec
	for _, suite := range suites {
		for _, r := range suite.SpecReports {
			if r.LeafNodeType != "It" && r.State == "passed" {
				continue
			}
			full := strings.Join(append(r.ContainerHierarchyTexts, r.LeafNodeText), " ")
			if r.LeafNodeType != "It" {
				full = r.LeafNodeType
			}
			message, _, _ := strings.Cut(r.Failure.Message, "\n\n")
			message = strings.ReplaceAll(message, "\n", " ")
			specs = append(specs, spec{name, full, r.State, message[:min(len(message), 300)]})
		}
	}
	return specs, nil
}

type expectation struct {
	passed  int
	failing map[string]string
}

// readExpected reads lines of `passed N` and `package: spec # reason`.
func readExpected(path string) (expectation, error) {
	known := expectation{failing: map[string]string{}}
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
			return known, fmt.Errorf("%s: a failing spec needs a reason after ' # ': %s", path, line)
		}
		known.failing[name] = reason
	}
	return known, nil
}
