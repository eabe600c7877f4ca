package main

import (
	"encoding/json"
	"log"
	"reflect"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kubernetes/pkg/api/legacyscheme"

	// The groups whose kinds have defaults here.
	_ "k8s.io/kubernetes/pkg/apis/admissionregistration/install"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/certificates/install"
	_ "k8s.io/kubernetes/pkg/apis/coordination/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/discovery/install"
	_ "k8s.io/kubernetes/pkg/apis/events/install"
	_ "k8s.io/kubernetes/pkg/apis/flowcontrol/install"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	_ "k8s.io/kubernetes/pkg/apis/node/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/rbac/install"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
)

func isRegistered(gvk schema.GroupVersionKind) bool {
	return legacyscheme.Scheme.Recognizes(gvk)
}

func goType(gvk schema.GroupVersionKind) reflect.Type {
	return legacyscheme.Scheme.AllKnownTypes()[gvk]
}

// encode returns the JSON of an object as Go encodes it, without and with defaults.
func encode(gvk schema.GroupVersionKind, sent map[string]any) (plain, defaulted map[string]any) {
	text, err := json.Marshal(sent)
	must(err)
	object, err := legacyscheme.Scheme.New(gvk)
	must(err)
	if err := json.Unmarshal(text, object); err != nil {
		log.Fatalf("%s: %v in %s", kindName(gvk), err, text)
	}
	plain = decoded(object)
	legacyscheme.Scheme.Default(object)
	return plain, decoded(object)
}

func decoded(object any) map[string]any {
	text, err := json.Marshal(object)
	must(err)
	var value map[string]any
	must(json.Unmarshal(text, &value))
	return value
}
