// The generator of tidings-protobuf. It reads the struct tags of Kubernetes' Go types, and writes the table that the crate
// needs to read their protobuf as JSON (src/table), and objects in both formats (tests/corpus).
//
//	go run .           writes both
//	go run . -check    writes nothing, and fails if the checked-in files differ
package main

import (
	"bytes"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The version of the module k8s.io/api in go.mod. CheckVersion compares the two.
const apiModule = "k8s.io/api"

func main() {
	log.SetFlags(0)
	check := flag.Bool("check", false, "compare with what is checked in, and write nothing")
	crate := flag.String("crate", "..", "the folder of the crate tidings-protobuf")
	flag.Parse()

	kinds := registeredKinds()
	table := newTable(kinds)
	files := table.rust(moduleVersion(apiModule))
	for name, content := range corpus(kinds) {
		files[name] = content
	}
	if *check {
		differing := differences(*crate, files)
		if len(differing) > 0 {
			log.Fatalf("not what the generator writes (run `just protobuf-table`):\n%s", strings.Join(differing, "\n"))
		}
		return
	}
	write(*crate, files)
	fmt.Printf("%d kinds, %d messages\n", len(kinds), len(table.messages))
}

// The folders with only generated files.
var owned = []string{"src/table", "tests/corpus"}

func write(crate string, files map[string][]byte) {
	for _, folder := range owned {
		must(os.RemoveAll(filepath.Join(crate, folder)))
		must(os.MkdirAll(filepath.Join(crate, folder), 0o755))
	}
	for name, content := range files {
		must(os.WriteFile(filepath.Join(crate, name), content, 0o644))
	}
}

func differences(crate string, files map[string][]byte) []string {
	var found []string
	for name, content := range files {
		there, err := os.ReadFile(filepath.Join(crate, name))
		if err != nil || !bytes.Equal(there, content) {
			found = append(found, name)
		}
	}
	for _, folder := range owned {
		entries, err := os.ReadDir(filepath.Join(crate, folder))
		must(err)
		for _, entry := range entries {
			name := folder + "/" + entry.Name()
			if _, ours := files[name]; !ours {
				found = append(found, name)
			}
		}
	}
	slices.Sort(found)
	return found
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
