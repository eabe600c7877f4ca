package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

const controllerRuntimeVersion = "v0.25.2"

// controllerRuntime runs the Ginkgo suites of controller-runtime. Each package gets a new server.
func controllerRuntime(r run) ([]outcome, error) {
	source, err := goModule("sigs.k8s.io/controller-runtime", controllerRuntimeVersion)
	if err != nil {
		return nil, err
	}
	if len(r.packages) == 0 {
		if r.packages, err = withSpecs(source); err != nil {
			return nil, err
		}
	}
	var all []outcome
	for _, name := range r.packages {
		specs, took, err := r.runPackage(source, name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		ran := len(specs) - count(specs, "skipped", "pending")
		fmt.Printf("%-42s %4d of %4d  %6.1f s\n", name, count(specs, "passed"), ran, took.Seconds())
		all = append(all, specs...)
	}
	return all, nil
}

// withSpecs returns the packages that have Ginkgo suites.
func withSpecs(source string) ([]string, error) {
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

func (r run) runPackage(source, name string) ([]outcome, time.Duration, error) {
	report := filepath.Join(r.work, "report.json")
	os.Remove(report)
	output, err := os.Create(filepath.Join(r.logs, strings.ReplaceAll(name, "/", "-")+".log"))
	if err != nil {
		return nil, 0, err
	}
	defer output.Close()
	binary, err := testProgram(source, name, output)
	if err != nil {
		return nil, 0, err
	}
	server, err := r.serve(output, "--envtest")
	if err != nil {
		return nil, 0, err
	}
	defer server.stop()
	started := time.Now()
	suite := exec.Command(binary, "-ginkgo.json-report="+report, "-ginkgo.timeout=10m", "-test.timeout=11m")
	suite.Dir, suite.Stdout, suite.Stderr = filepath.Join(source, name), output, output
	suite.Env = append(os.Environ(), "USE_EXISTING_CLUSTER=true", "KUBECONFIG="+server.kubeconfig)
	failed := suite.Run()
	took := time.Since(started)
	specs, err := readReport(report, name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, took, fmt.Errorf("the suite wrote no report (see -logs): %w", failed)
	}
	return specs, took, err
}

// testProgram builds the tests of a package, once for each version of Go: the sources do not change.
func testProgram(source, name string, output io.Writer) (string, error) {
	folder := filepath.Join(filepath.Dir(source), "programs-"+controllerRuntimeVersion+"-"+runtime.Version())
	binary := filepath.Join(folder, strings.ReplaceAll(name, "/", "-")+".test")
	if _, err := os.Stat(binary); err == nil {
		return binary, nil
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	build := exec.Command("go", "test", "-vet=off", "-ldflags=-s -w", "-c", "-o", binary+".unfinished", "./"+name)
	build.Dir, build.Stdout, build.Stderr = source, output, output
	if err := build.Run(); err != nil {
		return "", fmt.Errorf("building the suite (see -logs): %w", err)
	}
	return binary, os.Rename(binary+".unfinished", binary)
}

func readReport(path, name string) ([]outcome, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var reports []struct {
		SpecReports []struct {
			ContainerHierarchyTexts    []string
			LeafNodeType, LeafNodeText string
			State                      string
			Failure                    struct{ Message string }
		}
	}
	if err := json.Unmarshal(text, &reports); err != nil {
		return nil, err
	}
	var specs []outcome
	for _, report := range reports {
		for _, r := range report.SpecReports {
			if r.LeafNodeType != "It" && r.State == "passed" {
				continue
			}
			full := strings.Join(append(r.ContainerHierarchyTexts, r.LeafNodeText), " ")
			if r.LeafNodeType != "It" {
				full = r.LeafNodeType
			}
			message := strings.ReplaceAll(strings.TrimSpace(r.Failure.Message), "\n", " ")
			specs = append(specs, outcome{name + ": " + full, r.State, message[:min(len(message), 300)]})
		}
	}
	return specs, nil
}
