package main

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// findings has the lines of all kinds.
type findings struct {
	kinds    []*kindFindings
	sections map[string]*section
}

type kindFindings struct {
	name  string
	tree  *node
	lines map[*node][]line
}

// A section has the lines of a struct that are the same wherever it occurs.
type section struct {
	common map[string]int // lines and their order
	below  []include
}

type include struct{ field, section string }

func (f *findings) addKind(gvk schema.GroupVersionKind, constants map[string][]string) {
	p := newProber(gvk, constants)
	kind := &kindFindings{name: kindName(gvk), tree: p.tree, lines: map[*node][]line{}}
	for _, l := range p.lines() {
		kind.lines[l.at] = append(kind.lines[l.at], l)
	}
	p.tree.walk(func(n *node) {
		if n == p.tree {
			return
		}
		own := map[string]int{}
		for _, l := range kind.lines[n] {
			own[l.text(nil)] = l.order
		}
		known, isKnown := f.sections[typeName(n.goType)]
		if !isKnown {
			f.sections[typeName(n.goType)] = &section{common: own, below: includes(n)}
			return
		}
		maps.DeleteFunc(known.common, func(text string, _ int) bool { _, isThere := own[text]; return !isThere })
	})
	if len(kind.lines) > 0 {
		f.kinds = append(f.kinds, kind)
	}
}

func includes(n *node) []include {
	var all []include
	for _, child := range n.below {
		all = append(all, include{child.path[len(n.path):].String(), typeName(child.goType)})
	}
	return all
}

// hasLines reports whether a section or one below it has lines.
func (f *findings) hasLines(name string) bool {
	s := f.sections[name]
	return len(s.common) > 0 || slices.ContainsFunc(s.below, func(i include) bool { return f.hasLines(i.section) })
}

func (f *findings) table(version string) []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "# Defaults of built-in kinds, from the code of Kubernetes %s. Written by generator/; do not edit.\n", version)
	fmt.Fprintln(&out, "# One section for each kind (group/version/Kind) and for each struct inside of kinds, one line for each field:")
	fmt.Fprintln(&out, "#   PATH VALUE                  sets an absent field whose struct exists; [] is each item of a list")
	fmt.Fprintln(&out, "#   PATH~ VALUE                 sets also a field with a zero value")
	fmt.Fprintln(&out, "#   PATH VALUE if FIELD=A|B     only if the other field has one of these values; zero is absent or a zero value")
	fmt.Fprintln(&out, "#   @SECTION PATH               the lines of that section, below the path")
	used := map[string]bool{}
	for _, kind := range f.kinds {
		fmt.Fprintf(&out, "\n[%s]\n", kind.name)
		own := map[string]int{}
		kind.tree.walk(func(n *node) {
			for _, l := range kind.lines[n] {
				isCommon := false
				if n != kind.tree {
					_, isCommon = f.sections[typeName(n.goType)].common[l.text(nil)]
				}
				if !isCommon {
					own[l.text(n.path)] = l.order
				}
			}
		})
		f.write(&out, own, includes(kind.tree), used)
	}
	for done := map[string]bool{}; len(done) < len(used); {
		for _, name := range slices.Sorted(maps.Keys(used)) {
			if !done[name] {
				done[name] = true
				fmt.Fprintf(&out, "\n[%s]\n", name)
				f.write(&out, f.sections[name].common, f.sections[name].below, used)
			}
		}
	}
	return out.Bytes()
}

func (f *findings) write(out *bytes.Buffer, lines map[string]int, below []include, used map[string]bool) {
	sorted := slices.SortedFunc(maps.Keys(lines), func(a, b string) int {
		return cmp.Or(cmp.Compare(lines[a], lines[b]), cmp.Compare(a, b))
	})
	for _, text := range sorted {
		fmt.Fprintln(out, text)
	}
	for _, i := range below {
		if f.hasLines(i.section) {
			used[i.section] = true
			fmt.Fprintf(out, "@%s %s\n", i.section, i.field)
		}
	}
}
