package main

import (
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"reflect"
	"time"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Fills objects with random values. It fills each field of each message a few times in total, and rarely after that:
// otherwise the dozen kinds with a pod template would each repeat all fields of a pod.
type filler struct {
	chance *rand.Rand
	filled map[string]int
}

// How often each field of each message is certainly filled.
const filledForCertain = 5

// Schemas are recursive.
const depthMax = 12

func newFiller(chance *rand.Rand) *filler {
	return &filler{chance, map[string]int{}}
}

func (f *filler) fill(value reflect.Value, depth int) {
	if f.fillSpecial(value, depth) {
		return
	}
	switch value.Kind() {
	case reflect.Bool:
		value.SetBool(f.chance.IntN(4) > 0)
	case reflect.Int32:
		value.SetInt(pick(f, []int64{0, 1, -1, 80, 300, math.MaxInt32, math.MinInt32}))
	case reflect.Int64:
		value.SetInt(pick(f, []int64{0, 1, -1, 3600, 1 << 40, math.MaxInt64, math.MinInt64}))
	case reflect.Float64:
		value.SetFloat(pick(f, []float64{0, 1, -2.5, 0.1, 1e-9, 123456789}))
	case reflect.String:
		value.SetString(f.text())
	case reflect.Struct:
		for i := range value.NumField() {
			f.fillField(value, i, depth)
		}
	case reflect.Pointer:
		value.Set(reflect.New(value.Type().Elem()))
		f.fill(value.Elem(), depth)
	case reflect.Slice:
		if value.Type().Elem().Kind() == reflect.Uint8 {
			value.SetBytes([]byte(f.text()))
			return
		}
		length := 1 + f.chance.IntN(2)
		value.Set(reflect.MakeSlice(value.Type(), length, length))
		for i := range length {
			f.fill(value.Index(i), depth+1)
		}
	case reflect.Map:
		value.Set(reflect.MakeMap(value.Type()))
		for i := range 1 + f.chance.IntN(2) {
			item := reflect.New(value.Type().Elem()).Elem()
			f.fill(item, depth+1)
			key := fmt.Sprintf("example.com/%c%d", 'a'+f.chance.IntN(26), i)
			value.SetMapIndex(reflect.ValueOf(key).Convert(value.Type().Key()), item)
		}
	default:
		log.Fatalf("nothing is known to fill a %v with", value.Type())
	}
}

func (f *filler) fillField(value reflect.Value, i, depth int) {
	field := value.Type().Field(i)
	if field.Type == reflect.TypeFor[metav1.TypeMeta]() {
		return
	}
	if isDeep := depth >= depthMax; isDeep && field.Type.Kind() != reflect.String {
		return
	}
	key := value.Type().String() + "." + field.Name
	if f.filled[key] >= filledForCertain && f.chance.IntN(8) > 0 {
		return
	}
	f.filled[key]++
	f.fill(value.Field(i), depth+1)
}

// Fills a type with its own encoding. It avoids values that do not decode to themselves.
func (f *filler) fillSpecial(value reflect.Value, depth int) bool {
	switch special := value.Addr().Interface().(type) {
	case *metav1.Time:
		*special = metav1.NewTime(f.time().Truncate(time.Second))
	case *metav1.MicroTime:
		*special = metav1.NewMicroTime(f.time().Truncate(time.Microsecond))
	case *resource.Quantity:
		*special = resource.MustParse(pick(f, []string{"0", "100m", "1", "1.5", "-3", "64Mi", "2Gi", "1e3", "5T"}))
	case *intstr.IntOrString:
		*special = pick(f, []intstr.IntOrString{intstr.FromInt32(0), intstr.FromInt32(8080), intstr.FromInt32(-1), intstr.FromString("25%"), intstr.FromString("")})
	case *runtime.RawExtension:
		special.Raw = f.json()
	case *metav1.FieldsV1:
		special.Raw = []byte(`{"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:containers":{"k:{\"name\":\"web\"}":{"f:image":{}}}}}`)
	case *apiextensions.JSON:
		special.Raw = f.json()
	case *apiextensions.JSONSchemaPropsOrBool:
		*special = apiextensions.JSONSchemaPropsOrBool{Allows: true}
		if f.chance.IntN(2) == 0 {
			special.Schema = &apiextensions.JSONSchemaProps{}
			f.fill(reflect.ValueOf(special.Schema).Elem(), depth+1)
		}
	case *apiextensions.JSONSchemaPropsOrArray:
		f.fillOneOf(value, depth)
	case *apiextensions.JSONSchemaPropsOrStringArray:
		f.fillOneOf(value, depth)
	default:
		return false
	}
	return true
}

func (f *filler) fillOneOf(value reflect.Value, depth int) {
	f.fill(value.Field(f.chance.IntN(value.NumField())), depth+1)
}

func (f *filler) time() time.Time {
	if f.chance.IntN(20) == 0 {
		return time.Time{}
	}
	return pick(f, []time.Time{
		time.Unix(0, 0),
		time.Unix(1_700_000_000+f.chance.Int64N(1<<27), f.chance.Int64N(1e9)),
		time.Unix(1_700_000_000+f.chance.Int64N(1<<27), 120_000_000),
		time.Date(1969, 2, 28, 23, 59, 59, 999_999_000, time.UTC),
		time.Date(2000, 2, 29, 12, 0, 0, 0, time.UTC),
		time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC),
	})
}

func (f *filler) text() string {
	return pick(f, []string{"", "web", fmt.Sprintf("text-%d", f.chance.IntN(1000)), "a \"quoted\"\n\tline\\", "Grüße, 世界 🌍", "\x01 \x7f"})
}

func (f *filler) json() []byte {
	return []byte(pick(f, []string{`{}`, `{"b": 1, "a":[true,null, "x\u00e9 \" y"], "n":-1.5e3}`, `{"a":[{"b":true},null],"c":-1.5}`, `"text"`, `[1,{"deep":{"er":18446744073709551615}}]`, `false`}))
}

func pick[T any](f *filler, from []T) T {
	return from[f.chance.IntN(len(from))]
}
