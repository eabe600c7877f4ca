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

// The number of filled objects of each kind, in addition to one with only zero values.
const filledPerKind = 3

// Pairs of the same object in both formats, by the path of the file for the kinds of one group. The parts of a line are
// separated by tabs: version, kind, protobuf in base64, JSON, and the protobuf that Go writes for this JSON if it differs.
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

// The JSON that Go writes for an object that it decoded from protobuf. It lacks everything that protobuf can't represent.
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
