package main

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A change is a field that defaulting has set, or removed if the value is nil.
type change struct {
	at    path
	value any
}

type changes map[string]change

// A dependence: with this value of the other field, the default of a field is `with` instead of `without`.
type dependence struct {
	other         *leaf
	probe         any
	with, without any
}

// A prober finds the defaults of one kind.
type prober struct {
	gvk          schema.GroupVersionKind
	tree         *node
	rules        map[string]change // of the smallest objects
	structs      map[string]change // that Go always encodes
	dependences  map[string][]dependence
	contradicted map[string]bool
}

func newProber(gvk schema.GroupVersionKind, constants map[string][]string) *prober {
	p := &prober{
		gvk: gvk, tree: newTree(goType(gvk), constants),
		rules: map[string]change{}, structs: map[string]change{},
		dependences: map[string][]dependence{}, contradicted: map[string]bool{},
	}
	p.tree.walk(p.probeAlone)
	tried := map[reflect.Type]bool{}
	p.tree.walk(func(n *node) {
		for _, l := range n.leaves {
			p.probeLeaf(l, chain(n))
			if !triedAmongOthers[n.goType] {
				p.probeLeaf(l, surroundings(n, l.path))
			}
		}
		tried[n.goType] = true
	})
	maps.Copy(triedAmongOthers, tried)
	return p
}

// The structs that were tried with other structs around them, in kinds before this one. Once is enough: the table has what
// all kinds have in common, and this takes most of the time.
var triedAmongOthers = map[reflect.Type]bool{}

// chain returns the smallest object with this struct.
func chain(n *node) map[string]any {
	object := map[string]any{}
	if len(n.path) > 0 {
		put(object, n.path, map[string]any{})
	}
	return object
}

// surroundings returns an object with this struct and the structs around it, two levels deep, without one field.
func surroundings(n *node, without path) map[string]any {
	object := chain(n)
	for above := n; above != nil; above = above.above {
		addBelow(object, above, without, 2)
	}
	return object
}

func addBelow(object map[string]any, n *node, without path, depth int) {
	for _, child := range n.below {
		if depth == 0 || slices.Equal(child.path, without) || child.path.isBelow(without) {
			continue
		}
		put(object, child.path, map[string]any{})
		addBelow(object, child, without, depth-1)
	}
}

func (p *prober) observe(sent map[string]any) changes {
	plain, defaulted := encode(p.gvk, sent)
	found := changes{}
	compare(found, plain, defaulted, nil)
	return found
}

// compare adds the differences of two values.
func compare(found changes, before, after any, at path) {
	old, wasMap := before.(map[string]any)
	now, isMap := after.(map[string]any)
	if wasMap && isMap {
		for name, value := range now {
			if earlier, isThere := old[name]; isThere {
				compare(found, earlier, value, at.plus(name))
			} else {
				found.add(at.plus(name), value)
			}
		}
		for name := range old {
			if _, isThere := now[name]; !isThere {
				found.add(at.plus(name), nil)
			}
		}
		return
	}
	oldList, wasList := before.([]any)
	newList, isList := after.([]any)
	if wasList && isList && len(oldList) == 1 && len(newList) == 1 {
		compare(found, oldList[0], newList[0], at.plus("[]"))
	} else if !reflect.DeepEqual(before, after) {
		found.add(at, after)
	}
}

func (c changes) add(at path, value any) {
	if at[0] != "status" {
		c[at.String()] = change{at, value}
	}
}

// probeAlone notes the defaults of the smallest object with this struct.
func (p *prober) probeAlone(n *node) {
	sent := chain(n)
	plain, _ := encode(p.gvk, sent)
	addEmptyStructs(p.structs, sent, plain, nil)
	for name, found := range p.observe(sent) {
		known, isKnown := p.rules[name]
		if isKnown && !reflect.DeepEqual(known.value, found.value) {
			p.contradicted[name] = true
		}
		p.rules[name] = found
	}
}

// addEmptyStructs adds the empty structs below the first level that were not sent. An object without a spec gets none.
func addEmptyStructs(found map[string]change, sent, plain any, at path) {
	fields, isMap := plain.(map[string]any)
	if list, isList := plain.([]any); isList && len(list) == 1 {
		if given, isGiven := sent.([]any); isGiven && len(given) == 1 {
			addEmptyStructs(found, given[0], list[0], at.plus("[]"))
		}
	}
	if !isMap {
		return
	}
	given, _ := sent.(map[string]any)
	for name, value := range fields {
		inside := at.plus(name)
		if len(at) == 0 && name == "status" {
			continue
		}
		there, isGiven := given[name]
		if isEmptyStruct(value) && !isGiven && len(at) > 0 {
			found[inside.String()] = change{inside, map[string]any{}}
		}
		if isGiven || len(at) > 0 {
			addEmptyStructs(found, there, value, inside)
		}
	}
}

// probeLeaf notes which defaults change with a value of this field.
func (p *prober) probeLeaf(l *leaf, base map[string]any) {
	without := p.observe(base)
	for _, probe := range l.probes {
		sent := cloned(base).(map[string]any)
		put(sent, l.path, cloned(probe))
		with := p.observe(sent)
		for _, both := range []changes{without, with} {
			for name, c := range both {
				if slices.Equal(c.at, l.path) || c.at.isBelow(l.path) || l.path.isBelow(c.at) {
					continue
				}
				if !reflect.DeepEqual(with[name].value, without[name].value) {
					p.depend(c, dependence{l, probe, with[name].value, without[name].value})
				}
			}
		}
	}
}

func (p *prober) depend(c change, d dependence) {
	name := c.at.String()
	if _, isKnown := p.rules[name]; !isKnown {
		p.rules[name] = c
	}
	for _, known := range p.dependences[name] {
		if known.other == d.other && reflect.DeepEqual(known.probe, d.probe) {
			if !reflect.DeepEqual(known.with, d.with) {
				p.fail(c.at, "is not always the same")
			}
			return
		}
	}
	p.dependences[name] = append(p.dependences[name], d)
}

func cloned(value any) any {
	switch value := value.(type) {
	case map[string]any:
		copied := make(map[string]any, len(value))
		for name, inner := range value {
			copied[name] = cloned(inner)
		}
		return copied
	case []any:
		copied := make([]any, len(value))
		for i, inner := range value {
			copied[i] = cloned(inner)
		}
		return copied
	}
	return value
}

// A default that the table can't express and that is not listed. All of them are reported together.
var unlisted []string

func (p *prober) fail(at path, reason string) {
	var others []string
	for _, d := range p.dependences[at.String()] {
		if name := d.other.path.String(); !slices.Contains(others, name) {
			others = append(others, name)
		}
	}
	unlisted = append(unlisted, fmt.Sprintf("%s: %s %s (%s)", kindName(p.gvk), at, reason, strings.Join(others, ", ")))
}
