package onnxpb

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"
)

// field is a field of a message.
type field struct {
	name    string
	number  protowire.Number
	index   int          // in the struct
	present bool         // written though it be empty
	message reflect.Type // of what is, or whose elements are, pointers to messages; else nil
}

// schemas are the fields of messages, by the type of the struct, in the order of their numbers.
var schemas sync.Map

func fieldsOf(t reflect.Type) []field {
	if known, ok := schemas.Load(t); ok {
		return known.([]field)
	}
	var all []field
	for i := range t.NumField() {
		tag, ok := t.Field(i).Tag.Lookup("onnx")
		if !ok {
			continue
		}
		parts := strings.Split(tag, ",")
		number, err := strconv.Atoi(parts[1])
		if err != nil {
			panic(fmt.Sprintf("onnxpb: the tag of %s.%s: %v", t.Name(), t.Field(i).Name, err)) // fixed at build time
		}
		f := field{name: parts[0], number: protowire.Number(number), index: i, present: len(parts) > 2}
		kind := t.Field(i).Type
		if kind.Kind() == reflect.Slice {
			kind = kind.Elem()
		}
		if kind.Kind() == reflect.Pointer && kind.Elem().Kind() == reflect.Struct {
			f.message = kind.Elem()
		}
		all = append(all, f)
	}
	schemas.Store(t, all)
	return all
}
