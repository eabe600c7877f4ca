package main

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log"
	"math/rand/v2"
	"reflect"
	"strings"
)

// How many filled objects of each kind there are, beside one that has nothing but zeroes.
const filledPerKind = 3

// Pairs of the same object in both formats, by the path of the file that holds the kinds of one group:
// version, kind, protobuf in base64, JSON, and the protobuf that Go writes for this JSON if that is another, with tabs
// between them.
func corpus(kinds []kind) map[string][]byte {
	filler := newFiller(rand.New(rand.NewPCG(1, 2)))
	files := map[string][]byte{}
	for _, kind := range kinds {
		name := "tests/corpus/" + cmp.Or(kind.Group, "core") + ".txt"
		for i := range filledPerKind + 1 {
			object := reflect.New(kind.goType)
			if i > 0 {
				filler.fill(object.Elem(), 0)
			}
			wire, text := bothFormats(kind, object.Interface().(protobufObject))
			fromText := fromJSON(kind, text)
			if bytes.Equal(fromText, wire) {
				fromText = nil
			}
			inBase64 := base64.StdEncoding.EncodeToString
			line := fmt.Sprintf("%s\t%s\t%s\t%s\t%s\n", kind.Version, kind.Kind, inBase64(wire), text, inBase64(fromText))
			files[name] = append(files[name], line...)
			if strings.HasSuffix(kind.Kind, "List") && i == 1 {
				break
			}
		}
	}
	return files
}

// What Go writes for an object that came as protobuf: it has lost whatever protobuf can't hold.
func bothFormats(kind kind, object protobufObject) ([]byte, []byte) {
	wire, err := object.Marshal()
	must(err)
	read := reflect.New(kind.goType).Interface().(protobufObject)
	must(read.Unmarshal(wire))
	again, err := read.Marshal()
	must(err)
	if !bytes.Equal(wire, again) {
		log.Fatalf("%v changes when it is read and written again", kind)
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	must(encoder.Encode(read))
	return wire, bytes.TrimSuffix(text.Bytes(), []byte("\n"))
}

func fromJSON(kind kind, text []byte) []byte {
	read := reflect.New(kind.goType).Interface().(protobufObject)
	must(json.Unmarshal(text, read))
	wire, err := read.Marshal()
	must(err)
	return wire
}
