// The generator of tidings-apiserver's defaults. It lets Kubernetes' own code set the defaults of small objects of each
// kind, compares them with what was sent, and writes what it found as a table (src/defaults/table.txt).
//
//	go run .           writes the table
//	go run . -check    writes nothing, and fails if the checked-in table differs
//
// A default that is a constant, or that depends on one other field, is a line of the table. What depends on more must be
// listed in byhand.go, where each entry says who sets it; the generator fails for a default that is neither.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

func main() {
	log.SetFlags(0)
	check := flag.Bool("check", false, "compare with what is checked in, and write nothing")
	crate := flag.String("crate", "..", "the folder of the crate tidings-apiserver")
	flag.Parse()

	constants := readConstants(moduleFolder("k8s.io/api"))
	all := &findings{sections: map[string]*section{}}
	for _, gvk := range knownKinds(filepath.Join(*crate, "src/schema/builtin.txt")) {
		all.addKind(gvk, constants)
	}
	all.checkByHand()
	text := all.table(moduleVersion("k8s.io/kubernetes"))
	file := filepath.Join(*crate, "src/defaults/table.txt")
	if *check {
		there, err := os.ReadFile(file)
		must(err)
		if !bytes.Equal(there, text) {
			log.Fatalf("%s is not what the generator writes: run `just defaults-table`", file)
		}
		return
	}
	must(os.WriteFile(file, text, 0o644))
	fmt.Printf("%d kinds with defaults, %d lines\n", len(all.kinds), bytes.Count(text, []byte("\n")))
}

// knownKinds reads the stable kinds from the server's table of shapes, and returns those whose defaults are known here.
func knownKinds(path string) []schema.GroupVersionKind {
	text, err := os.ReadFile(path)
	must(err)
	var kinds []schema.GroupVersionKind
	for line := range strings.Lines(string(text)) {
		for word := range strings.FieldsSeq(line) {
			name, isKind := strings.CutPrefix(word, "kind=")
			parts := strings.Split(name, "/")
			if !isKind || len(parts) != 3 {
				continue
			}
			gvk := schema.GroupVersionKind{Group: parts[0], Version: parts[1], Kind: parts[2]}
			if isRegistered(gvk) && !strings.Contains(gvk.Version, "beta") {
				kinds = append(kinds, gvk)
			}
		}
	}
	slices.SortFunc(kinds, func(a, b schema.GroupVersionKind) int { return strings.Compare(kindName(a), kindName(b)) })
	return kinds
}

func kindName(gvk schema.GroupVersionKind) string {
	return gvk.Group + "/" + gvk.Version + "/" + gvk.Kind
}

func moduleVersion(module string) string {
	info, _ := debug.ReadBuildInfo()
	for _, dependency := range info.Deps {
		if dependency.Path == module {
			return dependency.Version
		}
	}
	log.Fatalf("%s is no dependency", module)
	return ""
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
