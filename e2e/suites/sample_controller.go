package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

const sampleControllerVersion = "v0.36.3"

const (
	foos        = "/apis/samplecontroller.k8s.io/v1alpha1/namespaces/default/foos"
	deployments = "/apis/apps/v1/namespaces/default/deployments"
	events      = "/api/v1/namespaces/default/events"
)

// sampleController runs Kubernetes' sample-controller, with stand-ins that run its Deployments, and checks its work.
func sampleController(r run) ([]outcome, error) {
	source, err := goModule("k8s.io/sample-controller", sampleControllerVersion)
	if err != nil {
		return nil, err
	}
	output, err := os.Create(filepath.Join(r.logs, "sample-controller.log"))
	if err != nil {
		return nil, err
	}
	defer output.Close()
	binary := filepath.Join(r.work, "sample-controller")
	// The flags of the other Go programs of this repository, so that Go compiles nothing twice.
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", binary, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	build.Dir, build.Stdout, build.Stderr = source, output, output
	if err := build.Run(); err != nil {
		return nil, fmt.Errorf("building the controller (see -logs): %w", err)
	}
	server, err := r.serve(output, "--plain", "--anonymous", "--with", "deployments,replicasets,kubelet,gc")
	if err != nil {
		return nil, err
	}
	defer server.stop()
	definition, err := os.ReadFile(filepath.Join(source, "artifacts/examples/crd-status-subresource.yaml"))
	if err != nil {
		return nil, err
	}
	example, err := os.ReadFile(filepath.Join(source, "artifacts/examples/example-foo.yaml"))
	if err != nil {
		return nil, err
	}
	api := client{server.url}
	if err := api.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition); err != nil {
		return nil, err
	}
	controller := exec.Command(binary, "-kubeconfig", server.kubeconfig, "-v", "4")
	controller.Stdout, controller.Stderr = output, output
	if err := controller.Start(); err != nil {
		return nil, err
	}
	defer func() {
		controller.Process.Kill()
		controller.Wait()
	}()
	return sampleChecks(api, example), nil
}

// sampleChecks are named as the sentences that they prove. Each begins where the one before ended.
func sampleChecks(api client, example []byte) []outcome {
	foo, deployment := foos+"/example-foo", deployments+"/example-foo"
	var first string
	checks := []struct {
		name  string
		check func() error
	}{
		{"a Foo gets a Deployment with its number of replicas", func() error {
			if err := api.create(foos, example); err != nil {
				return err
			}
			return api.await(deployment, func(d object) bool {
				first = d.text("metadata", "uid")
				return d.number("spec", "replicas") == 1 && d.text("metadata", "ownerReferences", "0", "name") == "example-foo"
			})
		}},
		{"the status of a Foo follows the available replicas", func() error {
			return api.await(foo, func(f object) bool { return f.number("status", "availableReplicas") == 1 })
		}},
		{"a Foo that was synced has an event", func() error {
			return api.awaitEvent("Synced")
		}},
		{"a Foo that changes scales its Deployment", func() error {
			if err := api.patch(foo, `{"spec":{"replicas":3}}`); err != nil {
				return err
			}
			return api.await(foo, func(f object) bool { return f.number("status", "availableReplicas") == 3 })
		}},
		{"a Deployment that was changed gets its number of replicas again", func() error {
			if err := api.patch(deployment, `{"spec":{"replicas":2}}`); err != nil {
				return err
			}
			return api.await(deployment, func(d object) bool {
				return d.number("spec", "replicas") == 3 && d.number("status", "availableReplicas") == 3
			})
		}},
		{"a Deployment that was deleted is created again", func() error {
			if err := api.send("DELETE", deployment, "", nil); err != nil {
				return err
			}
			return api.await(deployment, func(d object) bool { return d.text("metadata", "uid") != first })
		}},
		{"a Foo above the maximum of its schema is refused", func() error {
			err := api.patch(foo, `{"spec":{"replicas":11}}`)
			if err == nil || !strings.Contains(err.Error(), "422") {
				return fmt.Errorf("the answer to 11 replicas was %v", err)
			}
			return nil
		}},
		{"a Deployment of another owner is reported in an event", func() error {
			other := bytes.ReplaceAll(example, []byte("name: example-foo"), []byte("name: other-foo"))
			taken := `{"metadata":{"name":"other"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":` +
				`{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}`
			other = bytes.ReplaceAll(other, []byte("deploymentName: example-foo"), []byte("deploymentName: other"))
			if err := api.send("POST", deployments, "application/json", []byte(taken)); err != nil {
				return err
			}
			if err := api.create(foos, other); err != nil {
				return err
			}
			return api.awaitEvent("ErrResourceExists")
		}},
		{"the Deployment of a deleted Foo is garbage", func() error {
			if err := api.send("DELETE", foo, "", nil); err != nil {
				return err
			}
			return api.awaitAbsence(deployment)
		}},
	}
	var outcomes []outcome
	for _, c := range checks {
		o := outcome{Name: c.name, State: "passed"}
		if err := c.check(); err != nil {
			o.State, o.Message = "failed", err.Error()
		}
		outcomes = append(outcomes, o)
	}
	return outcomes
}

// client sends JSON to a server that asks for no token.
type client struct{ url string }

type object map[string]any

func (c client) create(path string, yaml []byte) error {
	return c.send("POST", path, "application/yaml", yaml)
}

func (c client) patch(path, body string) error {
	return c.send("PATCH", path, "application/merge-patch+json", []byte(body))
}

func (c client) send(method, path, media string, body []byte) error {
	request, err := http.NewRequest(method, c.url+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	if media != "" {
		request.Header.Set("Content-Type", media)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode >= 300 {
		text, _ := io.ReadAll(response.Body)
		return fmt.Errorf("%s %s: %d: %s", method, path, response.StatusCode, text)
	}
	return nil
}

func (c client) get(path string) (object, int, error) {
	response, err := http.Get(c.url + path)
	if err != nil {
		return nil, 0, err
	}
	defer response.Body.Close()
	var found object
	return found, response.StatusCode, json.NewDecoder(response.Body).Decode(&found)
}

// await reads an object until it is as expected.
func (c client) await(path string, isExpected func(object) bool) error {
	var last object
	for range 600 {
		found, code, err := c.get(path)
		if err != nil {
			return err
		}
		if code == http.StatusOK && isExpected(found) {
			return nil
		}
		last = found
		time.Sleep(100 * time.Millisecond)
	}
	text, _ := json.Marshal(last)
	return fmt.Errorf("after a minute, %s is %s", path, text[:min(len(text), 600)])
}

func (c client) awaitAbsence(path string) error {
	for range 600 {
		if _, code, err := c.get(path); err != nil || code == http.StatusNotFound {
			return err
		}
		time.Sleep(100 * time.Millisecond)
	}
	return fmt.Errorf("after a minute, %s is still there", path)
}

func (c client) awaitEvent(reason string) error {
	return c.await(events, func(list object) bool {
		items, _ := list["items"].([]any)
		for _, item := range items {
			if event, _ := item.(map[string]any); event["reason"] == reason {
				return true
			}
		}
		return false
	})
}

// at returns the value at a path of fields and of indexes into lists.
func (o object) at(path ...string) any {
	var value any = map[string]any(o)
	for _, step := range path {
		switch v := value.(type) {
		case map[string]any:
			value = v[step]
		case []any:
			index := 0
			fmt.Sscan(step, &index)
			if index >= len(v) {
				return nil
			}
			value = v[index]
		default:
			return nil
		}
	}
	return value
}

func (o object) text(path ...string) string {
	text, _ := o.at(path...).(string)
	return text
}

func (o object) number(path ...string) int {
	number, _ := o.at(path...).(float64)
	return int(number)
}
