package main

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
)

// A node is a struct in the tree of a kind's type.
type node struct {
	path     path
	goType   reflect.Type
	above    *node
	below    []*node
	leaves   []*leaf
	isAbsent bool // may be absent: it is a pointer, or an item of a list
}

// A leaf is any other field, or the presence of a struct that may be absent. Probes are values to try.
type leaf struct {
	path   path
	above  *node
	probes []any
	zero   any // the value that Go can't tell from an absent one, or nil
	isEnum bool
}

// A path consists of names; "[]" is the only item of a list.
type path []string

func (p path) String() string {
	return strings.ReplaceAll(strings.Join(p, "."), ".[]", "[]")
}

func (p path) plus(steps ...string) path { return append(slices.Clone(p), steps...) }

func (p path) isBelow(above path) bool {
	return len(p) > len(above) && slices.Equal(p[:len(above)], above)
}

// The types that encode themselves, with values to try.
var selfEncoded = map[string][]any{
	"resource.Quantity":    {"1"},
	"intstr.IntOrString":   {1.0, "x"},
	"v1.Time":              nil,
	"v1.MicroTime":         nil,
	"v1.Duration":          nil,
	"v1.FieldsV1":          nil,
	"runtime.RawExtension": nil,
}

// newTree returns the tree of a kind without its status, which a client does not send.
func newTree(root reflect.Type, constants map[string][]string) *node {
	tree := &node{goType: root}
	tree.addFields(root, constants)
	remove := func(p path) bool { return len(p) == 1 && p[0] == "status" }
	tree.below = slices.DeleteFunc(tree.below, func(n *node) bool { return remove(n.path) })
	tree.leaves = slices.DeleteFunc(tree.leaves, func(l *leaf) bool { return remove(l.path) })
	return tree
}

func (n *node) addFields(t reflect.Type, constants map[string][]string) {
	for i := range t.NumField() {
		field := t.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "-" || name == "" && !field.Anonymous:
		case name == "":
			n.addFields(field.Type, constants)
		case n.above == nil && (name == "kind" || name == "apiVersion"):
		default:
			n.addField(field, n.path.plus(name), constants)
		}
	}
}

func (n *node) addField(field reflect.StructField, at path, constants map[string][]string) {
	t := field.Type
	isPointer := t.Kind() == reflect.Pointer
	if isPointer {
		t = t.Elem()
	}
	isList := t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct && !isSelfEncoded(t.Elem())
	switch {
	case t.Name() == "ObjectMeta":
		n.addMetadata(at)
	case isList && !n.contains(t.Elem()):
		n.addLeaf(at, []any{[]any{map[string]any{}}}, []any{})
		n.addNode(at.plus("[]"), t.Elem(), true, constants)
	case t.Kind() == reflect.Struct && !isSelfEncoded(t) && !n.contains(t):
		if isPointer {
			n.addLeaf(at, []any{map[string]any{}}, nil)
		}
		n.addNode(at, t, isPointer, constants)
	case t.Kind() == reflect.Struct && !isSelfEncoded(t) || isList:
		// A type inside itself has no defaults.
	default:
		owner := typeName(n.goType) + "." + at[len(at)-1]
		values, isEnum := probes(t, owner, constants)
		l := n.addLeaf(at, values, zeroOf(t))
		l.isEnum = isEnum
		if isPointer {
			l.zero = nil
		}
	}
}

// addMetadata adds the only fields of metadata that defaults read, and the struct, which Go always encodes.
func (n *node) addMetadata(at path) {
	metadata := &node{path: at, goType: reflect.TypeFor[struct{ metadata bool }](), above: n}
	metadata.addLeaf(at.plus("name"), []any{"x"}, nil)
	metadata.addLeaf(at.plus("labels"), []any{map[string]any{"x": "x"}}, nil)
	n.below = append(n.below, metadata)
}

func (n *node) addNode(at path, t reflect.Type, isAbsent bool, constants map[string][]string) {
	child := &node{path: at, goType: t, above: n, isAbsent: isAbsent}
	n.below = append(n.below, child)
	child.addFields(t, constants)
}

func (n *node) addLeaf(at path, probes []any, zero any) *leaf {
	l := &leaf{path: at, above: n, probes: probes, zero: zero}
	n.leaves = append(n.leaves, l)
	return l
}

func (n *node) contains(t reflect.Type) bool {
	for ; n != nil; n = n.above {
		if n.goType == t {
			return true
		}
	}
	return false
}

func (n *node) walk(visit func(*node)) {
	visit(n)
	for _, child := range n.below {
		child.walk(visit)
	}
}

// probes returns values to try, and whether they are all values of an enumeration.
func probes(t reflect.Type, owner string, constants map[string][]string) ([]any, bool) {
	if extra, isKnown := extraProbes[owner]; isKnown {
		return extra.values, extra.isEnum
	}
	if isSelfEncoded(t) {
		return selfEncoded[shortName(t)], false
	}
	switch t.Kind() {
	case reflect.String:
		var values []any
		for _, value := range constants[t.PkgPath()+"."+t.Name()] {
			values = append(values, value)
		}
		return append(values, "x"), len(values) > 0
	case reflect.Bool:
		return []any{true}, false
	case reflect.Int32, reflect.Int64, reflect.Float64:
		return []any{1.0}, false
	case reflect.Map:
		switch {
		case t.Elem().Kind() == reflect.String:
			return []any{map[string]any{"x": "x"}}, false
		case isSelfEncoded(t.Elem()) && t.Elem().Name() == "Quantity":
			return []any{map[string]any{"cpu": "1"}}, false
		}
	case reflect.Slice:
		if t.Elem().Kind() == reflect.String {
			return []any{[]any{"x"}}, false
		}
	}
	return nil, false
}

func zeroOf(t reflect.Type) any {
	if isSelfEncoded(t) {
		return nil
	}
	switch t.Kind() {
	case reflect.String:
		return ""
	case reflect.Bool:
		return false
	case reflect.Int32, reflect.Int64, reflect.Float64:
		return 0.0
	case reflect.Slice:
		return []any{}
	case reflect.Map:
		return map[string]any{}
	}
	return nil
}

func isSelfEncoded(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]())
}

func shortName(t reflect.Type) string { return t.String() }

// typeName is the name of a type with the last two parts of its package, such as core/v1.Container.
func typeName(t reflect.Type) string {
	parts := strings.Split(t.PkgPath(), "/")
	return strings.Join(parts[max(0, len(parts)-2):], "/") + "." + t.Name()
}

// put sets a value in an object, and makes what is above it.
func put(object map[string]any, at path, value any) {
	for i, step := range at {
		isLast := i == len(at)-1
		if isLast {
			if _, isThere := object[step]; !isThere || !isEmptyStruct(value) {
				object[step] = value
			}
			return
		}
		if at[i+1] == "[]" {
			list, isList := object[step].([]any)
			if !isList || len(list) == 0 {
				list = []any{map[string]any{}}
				object[step] = list
			}
			if i+1 == len(at)-1 {
				return
			}
			put(list[0].(map[string]any), at[i+2:], value)
			return
		}
		below, isMap := object[step].(map[string]any)
		if !isMap {
			below = map[string]any{}
			object[step] = below
		}
		object = below
	}
}

func isEmptyStruct(value any) bool {
	fields, isMap := value.(map[string]any)
	return isMap && len(fields) == 0
}
