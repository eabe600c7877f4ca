package main

import (
	"encoding/json"
	"log"
	"reflect"
	"slices"
	"strings"
)

// A line of the table, at a struct of the tree. Lower orders come first.
type line struct {
	at        *node
	field     path // below the struct
	value     any
	isForZero bool // a zero value counts as absent
	other     string
	values    []any
	order     int
}

const (
	orderStructs = iota
	orderAbsent
	orderAlways
	orderDependent
)

func (l line) text(prefix path) string {
	text := prefix.plus(l.field...).String()
	if l.isForZero {
		text += "~"
	}
	text += " " + compact(l.value)
	if l.other != "" {
		var values []string
		for _, value := range l.values {
			values = append(values, compact(value))
		}
		text += " if " + prefix.plus(l.other).String() + "=" + strings.Join(values, "|")
	}
	return text
}

func compact(value any) string {
	if value == isZero {
		return "zero"
	}
	text, err := json.Marshal(value)
	must(err)
	return string(text)
}

// isZero stands for absent, null, and the zero value of a type.
var isZero any = struct{}{}

// lines turns what was found into lines.
func (p *prober) lines() []line {
	var all []line
	for _, c := range p.structs {
		if !isByHand(p.tree, c.at) {
			all = append(all, line{at: p.owner(c.at), field: c.at[len(c.at)-1:], value: c.value, order: orderStructs})
		}
	}
	for name, c := range p.rules {
		switch {
		case isByHand(p.tree, c.at):
		case len(p.dependences[name]) > 0:
			all = append(all, p.dependent(c)...)
		case p.contradicted[name]:
			p.fail(c.at, "is not always the same")
		case c.value == nil:
			p.fail(c.at, "is to remove it")
		default:
			all = append(all, p.constant(c, c.value, orderAlways))
		}
	}
	return all
}

func (p *prober) owner(at path) *node {
	var found *node
	p.tree.walk(func(n *node) {
		if slices.Equal(n.path, at[:len(at)-1]) {
			found = n
		}
	})
	if found == nil {
		log.Fatalf("%s: %s is in no struct", kindName(p.gvk), at)
	}
	return found
}

func (p *prober) constant(c change, value any, order int) line {
	owner := p.owner(c.at)
	return line{
		at: owner, field: c.at[len(c.at)-1:], value: value, order: order,
		isForZero: p.isForZero(c, chain(owner)),
	}
}

// isForZero reports whether a zero value of the field is replaced, in an object that has the default.
func (p *prober) isForZero(c change, sent map[string]any) bool {
	for _, field := range p.owner(c.at).leaves {
		if slices.Equal(field.path, c.at) && field.zero != nil {
			put(sent, c.at, field.zero)
			_, isReplaced := p.observe(sent)[c.at.String()]
			return isReplaced
		}
	}
	return false
}

// dependent returns the lines of a default that depends on one other field.
func (p *prober) dependent(c change) []line {
	found := p.dependences[c.at.String()]
	other := found[0].other
	for _, d := range found {
		if d.other != other {
			p.fail(c.at, "depends on several fields")
			return nil
		}
		if !reflect.DeepEqual(d.without, found[0].without) {
			p.fail(c.at, "is not always the same")
			return nil
		}
	}
	if !c.at.isBelow(other.above.path) {
		p.fail(c.at, "depends on a field elsewhere")
		return nil
	}
	with := func(probe any) any {
		for _, d := range found {
			if reflect.DeepEqual(d.probe, probe) {
				return d.with
			}
		}
		return found[0].without
	}
	without := found[0].without
	_, isBool := other.zero.(bool)
	if other.isEnum || isBool {
		return p.byValue(c, other, with, without)
	}
	present := with(other.probes[0])
	for _, probe := range other.probes {
		if !reflect.DeepEqual(with(probe), present) || reflect.DeepEqual(present, probe) {
			p.fail(c.at, "depends on the value of a field")
			return nil
		}
	}
	if without == nil {
		p.fail(c.at, "needs another field")
		return nil
	}
	lines := []line{p.conditional(c, without, other, []any{p.absent(c, other, without)}, orderAbsent)}
	if present != nil {
		lines = append(lines, p.constant(c, present, orderAlways))
	}
	return lines
}

// byValue returns a line for each default, with the values of the other field that have it.
func (p *prober) byValue(c change, other *leaf, with func(any) any, without any) []line {
	var lines []line
	for _, probe := range other.probes {
		value := with(probe)
		if value == nil {
			continue
		}
		if probe == "x" {
			p.fail(c.at, "depends on the value of a field")
			return nil
		}
		same := slices.IndexFunc(lines, func(l line) bool { return reflect.DeepEqual(l.value, value) })
		if same >= 0 {
			lines[same].values = append(lines[same].values, probe)
		} else {
			lines = append(lines, p.conditional(c, value, other, []any{probe}, orderDependent))
		}
	}
	own, hasDefault := p.rules[other.path.String()]
	if without != nil && !(hasDefault && reflect.DeepEqual(with(own.value), without)) {
		absent := []any{p.absent(c, other, without)}
		lines = append(lines, p.conditional(c, without, other, absent, orderAbsent))
	}
	return lines
}

// absent returns what counts as absent in the other field.
func (p *prober) absent(c change, other *leaf, without any) any {
	if other.zero == nil {
		return nil
	}
	sent := chain(other.above)
	put(sent, other.path, other.zero)
	if reflect.DeepEqual(p.observe(sent)[c.at.String()].value, without) {
		return isZero
	}
	return nil
}

func (p *prober) conditional(c change, value any, other *leaf, values []any, order int) line {
	sent := chain(p.owner(c.at))
	if values[0] != nil && values[0] != isZero {
		put(sent, other.path, values[0])
	}
	return line{
		at: other.above, field: c.at[len(other.above.path):], value: value, order: order,
		isForZero: p.isForZero(c, sent),
		other:     other.path[len(other.path)-1], values: values,
	}
}
