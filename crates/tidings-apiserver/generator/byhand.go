package main

import (
	"log"
	"slices"
	"strings"
)

// byHand has the defaults that the table can't express, and who sets them: by the Go type and the field.
var byHand = map[string]string{
	// src/defaults/dependent.rs
	"core/v1.Container.imagePullPolicy":          "from the tag of the image",
	"core/v1.EphemeralContainer.imagePullPolicy": "from the tag of the image",
	"core/v1.ImageVolumeSource.pullPolicy":       "from the tag of the image",
	"core/v1.ResourceRequirements.requests":      "from the limits, in pods only",
	"core/v1.Volume.emptyDir":                    "if there is no other source",
	"core/v1.ServicePort.targetPort":             "from port",
	"core/v1.ServiceSpec.externalTrafficPolicy":  "from type and externalIPs",
	"core/v1.ServiceSpec.sessionAffinityConfig":  "from sessionAffinity, which also removes it",
	"core/v1.ReplicationControllerSpec.selector": "from the labels of the template",
	"core/v1.ReplicationController.metadata":     "labels from the template",
	"core/v1.Namespace.metadata":                 "a label with the name",
	"batch/v1.Job.metadata":                      "labels from the template",
	"core/v1.PodSpec.serviceAccount":             "from serviceAccountName",
	"core/v1.PodSpec.serviceAccountName":         "from serviceAccount",
	// Not imitated.
	"resource/v1.DeviceTaint.timeAdded": "the time",
}

// A default that only two fields together show, which this program does not try. In src/defaults/dependent.rs:
//   - core/v1.LimitRangeItem: default and defaultRequest of a container, from max, default and min
//   - core/v1.ContainerPort.hostPort: from containerPort, if the pod has the network of its node
//
// Not imitated:
//   - requests of a whole pod (core/v1.PodSpec.resources), from its limits and those of containers
//   - resources in steps of a thousandth (SetDefaults_ResourceList)

// extraProbes has values for fields whose values are no constants of a named type.
var extraProbes = map[string]struct {
	values []any
	isEnum bool
}{
	"rbac/v1.Subject.kind":                {[]any{"Group", "ServiceAccount", "User", "x"}, true},
	"core/v1.Container.image":             {[]any{"x", "x:1"}, false},
	"core/v1.EphemeralContainer.image":    {[]any{"x", "x:1"}, false},
	"core/v1.ImageVolumeSource.reference": {[]any{"x", "x:1"}, false},
}

var seenByHand []string

// isByHand reports whether a default is listed above, itself or what is above it.
func isByHand(tree *node, at path) bool {
	isListed := false
	tree.walk(func(n *node) {
		if at.isBelow(n.path) {
			name := typeName(n.goType) + "." + at[len(n.path)]
			if _, isKnown := byHand[name]; isKnown {
				isListed = true
				if !slices.Contains(seenByHand, name) {
					seenByHand = append(seenByHand, name)
				}
			}
		}
	})
	return isListed
}

// checkByHand fails if a default is missing here, or if an entry is no default any more.
func (f *findings) checkByHand() {
	if len(unlisted) > 0 {
		log.Fatalf("write these defaults in src/defaults/dependent.rs, and list them in byhand.go:\n%s", strings.Join(unlisted, "\n"))
	}
	var stale []string
	for name := range byHand {
		if !slices.Contains(seenByHand, name) {
			stale = append(stale, name)
		}
	}
	slices.Sort(stale)
	if len(stale) > 0 {
		log.Fatalf("listed in byhand.go, but no default depends on other fields there:\n%s", strings.Join(stale, "\n"))
	}
}
