package main

import (
	"cmp"
	"log"
	"reflect"
	"slices"
	"strconv"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// The messages of all kinds, each once.
type table struct {
	kinds    []kind
	messages map[reflect.Type]*message
}

// A struct: the numbers of its fields in protobuf and their names in JSON.
type message struct {
	goType reflect.Type
	// In the order of the struct, which is the order of JSON. They include the fields of inlined structs.
	fields []field
	// The meaning of each field number, from 1 on.
	byNumber []fieldEntry
}

type field struct {
	number   int
	name     string
	shape    string
	kind     string
	presence string
}

type fieldEntry struct {
	number int
	// The index of its first field in the message.
	at int
	// The message whose fields are inlined; nil for a single field.
	inlined reflect.Type
}

// Types with their own encoding in JSON.
var special = map[reflect.Type]string{
	reflect.TypeFor[metav1.Time]():                                "Time",
	reflect.TypeFor[metav1.MicroTime]():                           "MicroTime",
	reflect.TypeFor[resource.Quantity]():                          "Quantity",
	reflect.TypeFor[intstr.IntOrString]():                         "IntOrString",
	reflect.TypeFor[runtime.RawExtension]():                       "Raw",
	reflect.TypeFor[metav1.FieldsV1]():                            "Raw",
	reflect.TypeFor[apiextensions.JSON]():                         "Raw",
	reflect.TypeFor[apiextensions.JSONSchemaPropsOrBool]():        "SchemaOrBool",
	reflect.TypeFor[apiextensions.JSONSchemaPropsOrArray]():       "SchemaOrArray",
	reflect.TypeFor[apiextensions.JSONSchemaPropsOrStringArray](): "SchemaOrStrings",
}

// The special types that contain JSONSchemaProps.
var holdsSchema = []string{"SchemaOrBool", "SchemaOrArray", "SchemaOrStrings"}

func newTable(kinds []kind) *table {
	t := &table{kinds: kinds, messages: map[reflect.Type]*message{}}
	for _, kind := range kinds {
		t.message(kind.goType)
	}
	return t
}

func (t *table) message(goType reflect.Type) *message {
	if known, ok := t.messages[goType]; ok {
		return known
	}
	m := &message{goType: goType}
	t.messages[goType] = m
	for i := range goType.NumField() {
		t.add(m, goType.Field(i))
	}
	slices.SortFunc(m.byNumber, func(a, b fieldEntry) int { return cmp.Compare(a.number, b.number) })
	names := map[string]bool{}
	for _, field := range m.fields {
		if names[field.name] {
			log.Fatalf("%v has two members %s", goType, field.name)
		}
		names[field.name] = true
	}
	return m
}

func (t *table) add(m *message, f reflect.StructField) {
	if f.Type == reflect.TypeFor[metav1.TypeMeta]() {
		return
	}
	at := m.goType.String() + "." + f.Name
	wire, ok := f.Tag.Lookup("protobuf")
	if !ok || wire == "-" {
		log.Fatalf("%s is not in protobuf", at)
	}
	number := numberOf(wire, at)
	name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "" && f.Anonymous {
		if f.Type.Kind() != reflect.Struct {
			log.Fatalf("%s is inlined and no struct", at)
		}
		m.byNumber = append(m.byNumber, fieldEntry{number, len(m.fields), f.Type})
		m.fields = append(m.fields, t.message(f.Type).fields...)
		return
	}
	if name == "" || name == "-" {
		log.Fatalf("%s has no name in JSON", at)
	}
	m.byNumber = append(m.byNumber, fieldEntry{number: number, at: len(m.fields)})
	m.fields = append(m.fields, t.field(number, name, f.Type, options, at))
}

func numberOf(wire, at string) int {
	parts := strings.Split(wire, ",")
	number, err := strconv.Atoi(parts[1])
	if err != nil || number > 250 {
		log.Fatalf("%s: %q is no number that the table can hold", at, parts[1])
	}
	return number
}

// Whether a named list is a message with `items`. The tags do not say it: some lists are tagged as optional, and some single
// strings as repeated.
func isMessage(goType reflect.Type) bool {
	return reflect.PointerTo(goType).Implements(reflect.TypeFor[protobufObject]())
}

func (t *table) field(number int, name string, goType reflect.Type, options, at string) field {
	shape := "One"
	switch {
	case goType.Kind() == reflect.Pointer:
		shape, goType = "Optional", goType.Elem()
	case goType.Kind() == reflect.Map:
		if goType.Key().Kind() != reflect.String {
			log.Fatalf("%s: a map whose keys are no strings", at)
		}
		shape, goType = "Map", goType.Elem()
	case goType.Kind() == reflect.Slice && goType.Elem().Kind() != reflect.Uint8 && !isMessage(goType):
		shape, goType = "Many", goType.Elem()
	}
	omitted := strings.Split(options, ",")
	omitsEmpty, omitsZero := slices.Contains(omitted, "omitempty"), slices.Contains(omitted, "omitzero")
	presence := "Always"
	switch {
	case shape == "One" && goType.Kind() == reflect.Struct:
		// Go's encoder never treats a struct as empty, but it may be zero.
		if omitsZero && special[goType] != "Time" {
			log.Fatalf("%s is left out when it is zero, which the crate supports for times only", at)
		}
		if omitsZero {
			presence = "NotEmpty"
		}
	case omitsEmpty || omitsZero:
		presence = "NotEmpty"
	}
	return field{number, name, shape, t.kind(goType, at), presence}
}

func (t *table) kind(goType reflect.Type, at string) string {
	if name, ok := special[goType]; ok {
		if slices.Contains(holdsSchema, name) {
			return name + "(&" + t.path(reflect.TypeFor[apiextensions.JSONSchemaProps]()) + ")"
		}
		return name
	}
	if reflect.PointerTo(goType).Implements(reflect.TypeFor[interface{ MarshalJSON() ([]byte, error) }]()) {
		log.Fatalf("%s: %v writes its JSON by itself", at, goType)
	}
	switch goType.Kind() {
	case reflect.Bool:
		return "Bool"
	case reflect.Int32:
		return "Int32"
	case reflect.Int64:
		return "Int64"
	case reflect.Float64:
		return "Double"
	case reflect.String:
		return "String"
	case reflect.Struct:
		return "Message(&" + t.path(goType) + ")"
	case reflect.Slice:
		if goType.Elem().Kind() == reflect.Uint8 {
			return "Bytes"
		}
		return "List(&" + t.kind(goType.Elem(), at) + ")"
	}
	log.Fatalf("%s: a %v", at, goType)
	return ""
}

// The path of a message's static in the table, from the module of the table on.
func (t *table) path(goType reflect.Type) string {
	t.message(goType)
	return "super::" + moduleOf(goType) + "::" + staticOf(goType)
}

func moduleOf(goType reflect.Type) string {
	parts := strings.Split(goType.PkgPath(), "/")
	return parts[len(parts)-2] + "_" + parts[len(parts)-1]
}

func staticOf(goType reflect.Type) string {
	name := goType.Name()
	var out strings.Builder
	for i := range len(name) {
		isUpper := func(i int) bool { return name[i] >= 'A' && name[i] <= 'Z' }
		if i > 0 && isUpper(i) && (!isUpper(i-1) || i+1 < len(name) && !isUpper(i+1)) {
			out.WriteByte('_')
		}
		out.WriteByte(name[i])
	}
	return strings.ToUpper(out.String())
}
