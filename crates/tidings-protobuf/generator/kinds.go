package main

import (
	"cmp"
	"log"
	"reflect"
	"runtime/debug"
	"slices"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

// A kind that a server sends as protobuf, and its Go type.
type kind struct {
	schema.GroupVersionKind
	goType reflect.Type
}

// The methods of each generated type.
type protobufObject interface {
	Marshal() ([]byte, error)
	Unmarshal([]byte) error
}

// Every kind with metadata in every version with Go types, their lists, the answers of the API machinery itself, and the
// only options that clients send as a body.
func registeredKinds() []kind {
	all := runtime.NewScheme()
	must(scheme.AddToScheme(all))
	must(apiextensions.AddToScheme(all))
	must(apiregistration.AddToScheme(all))

	var kinds []kind
	for gvk, goType := range all.AllKnownTypes() {
		if gvk.Version != runtime.APIVersionInternal && hasMetadata(goType) {
			kinds = append(kinds, kind{gvk, goType})
		}
	}
	meta := schema.GroupVersion{Group: metav1.GroupName, Version: "v1"}
	kinds = append(kinds,
		kind{meta.WithKind("PartialObjectMetadata"), reflect.TypeFor[metav1.PartialObjectMetadata]()},
		kind{meta.WithKind("PartialObjectMetadataList"), reflect.TypeFor[metav1.PartialObjectMetadataList]()},
		kind{schema.GroupVersionKind{Version: "v1", Kind: "DeleteOptions"}, reflect.TypeFor[metav1.DeleteOptions]()},
	)
	slices.SortFunc(kinds, func(a, b kind) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Version, b.Version), cmp.Compare(a.Kind, b.Kind))
	})
	for _, kind := range kinds {
		if !reflect.PointerTo(kind.goType).Implements(reflect.TypeFor[protobufObject]()) {
			log.Fatalf("%v has no protobuf", kind)
		}
	}
	return kinds
}

func hasMetadata(goType reflect.Type) bool {
	for _, name := range []string{"ObjectMeta", "ListMeta"} {
		if field, ok := goType.FieldByName(name); ok && field.Anonymous {
			return field.Type == reflect.TypeFor[metav1.ObjectMeta]() || field.Type == reflect.TypeFor[metav1.ListMeta]()
		}
	}
	return false
}

func moduleVersion(module string) string {
	build, ok := debug.ReadBuildInfo()
	if ok {
		for _, dependency := range build.Deps {
			if dependency.Path == module {
				return dependency.Version
			}
		}
	}
	log.Fatalf("the build does not say which version of %s it has", module)
	return ""
}
