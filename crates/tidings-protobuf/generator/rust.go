package main

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// The Rust files of the table, by their paths in the crate.
func (t *table) rust(version string) map[string][]byte {
	modules := map[string][]*message{}
	for goType, message := range t.messages {
		modules[moduleOf(goType)] = append(modules[moduleOf(goType)], message)
	}
	files := map[string][]byte{"src/table.rs": t.index(version, slices.Sorted(maps.Keys(modules)))}
	for module, messages := range modules {
		slices.SortFunc(messages, func(a, b *message) int { return cmp.Compare(a.goType.Name(), b.goType.Name()) })
		files["src/table/"+module+".rs"] = t.module(version, messages)
	}
	return files
}

func header(out *bytes.Buffer, about, version string) {
	fmt.Fprintf(out, "//! %s\n//! @generated from %s %s by generator/: change that, and run `just protobuf-table`.\n\n", about, apiModule, version)
}

func (t *table) index(version string, modules []string) []byte {
	var out bytes.Buffer
	header(&out, "Every kind that a server sends as protobuf, in the order of group, version and kind.", version)
	for _, module := range modules {
		fmt.Fprintf(&out, "#[rustfmt::skip]\nmod %s;\n", module)
	}
	fmt.Fprintf(&out, "\nuse crate::message::Message;\n\n")
	fmt.Fprintf(&out, "/// The version of `%s` whose types the table was made from.\npub const KUBERNETES_VERSION: &str = %q;\n\n", apiModule, version)
	fmt.Fprintf(&out, "#[rustfmt::skip]\npub(crate) static KINDS: &[((&str, &str, &str), &Message)] = &[\n")
	for _, kind := range t.kinds {
		fmt.Fprintf(&out, "    ((%q, %q, %q), &%s::%s),\n", kind.Group, kind.Version, kind.Kind, moduleOf(kind.goType), staticOf(kind.goType))
	}
	fmt.Fprintf(&out, "];\n")
	return out.Bytes()
}

func (t *table) module(version string, messages []*message) []byte {
	var out bytes.Buffer
	header(&out, "The messages of "+messages[0].goType.PkgPath()+".", version)
	var body bytes.Buffer
	for _, message := range messages {
		t.static(&body, message)
	}
	uses := map[string][]string{}
	for _, name := range []string{"Kind", "Presence", "Shape"} {
		pattern := name + "::"
		if bytes.Contains(body.Bytes(), []byte(pattern)) {
			uses["crate::message"] = append(uses["crate::message"], name)
		}
	}
	imports := append([]string{"Field"}, uses["crate::message"]...)
	if !bytes.Contains(body.Bytes(), []byte("Field {")) {
		imports = imports[1:]
	}
	imports = append(imports, "Message")
	if bytes.Contains(body.Bytes(), []byte("FieldEntry::")) {
		imports = append(imports, "FieldEntry")
	}
	slices.Sort(imports)
	fmt.Fprintf(&out, "use crate::message::{%s};\n", strings.Join(imports, ", "))
	out.Write(body.Bytes())
	return out.Bytes()
}

func (t *table) static(out *bytes.Buffer, m *message) {
	fmt.Fprintf(out, "\npub(super) static %s: Message = Message {\n", staticOf(m.goType))
	fmt.Fprintf(out, "    name: %q,\n    fields: &[\n", m.goType.Name())
	own := "super::" + moduleOf(m.goType) + "::"
	for _, f := range m.fields {
		kind := "Kind::" + strings.ReplaceAll(strings.ReplaceAll(f.kind, "(&", "(&Kind::"), "Kind::super::", "super::")
		kind = strings.ReplaceAll(kind, own, "")
		fmt.Fprintf(out, "        Field { number: %d, name: %q, shape: Shape::%s, kind: %s, presence: Presence::%s },\n",
			f.number, f.name, f.shape, kind, f.presence)
	}
	var entries []string
	for _, e := range m.byNumber {
		for len(entries) < e.number {
			entries = append(entries, "FieldEntry::Unknown")
		}
		entries = append(entries, strings.ReplaceAll(e.rust(), own, ""))
	}
	fmt.Fprintf(out, "    ],\n    by_number: &[%s],\n};\n", strings.Join(entries, ", "))
}

func (e fieldEntry) rust() string {
	if e.inlined == nil {
		return fmt.Sprintf("FieldEntry::Field(%d)", e.at)
	}
	return fmt.Sprintf("FieldEntry::Inlined(%d, &%s)", e.at, pathOf(e.inlined))
}

func pathOf(goType reflect.Type) string {
	return "super::" + moduleOf(goType) + "::" + staticOf(goType)
}
