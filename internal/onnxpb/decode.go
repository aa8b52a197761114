package onnxpb

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

const (
	// maxMessages bounds the nodes, attributes, tensors and axes of a file together.
	// An empty message takes two bytes in a file and a hundred times that in memory,
	// so the size of the file alone bounds too little.
	maxMessages = 1 << 19
	// maxDepth bounds messages within messages: a graph within a graph takes three.
	maxDepth = 32
)

// Unmarshal reads a message from bytes of any origin, within bounded memory: every field of every message of the
// schema must lie within its bounds, and there may be neither too many messages nor too many within one another. What
// the schema lacks is kept for Marshal, or else dropped.
func Unmarshal(data []byte, message any, keep bool) error {
	into := reflect.ValueOf(message).Elem()
	if err := scan(data, into.Type()); err != nil {
		return err
	}
	d := decoder{size: len(data), keep: keep}
	return d.message(data, 0, into.Type(), into, "model", 1)
}

// Scan looks at the form of a file alone, as Unmarshal does before it takes memory.
func Scan(data []byte) error { return scan(data, reflect.TypeFor[ModelProto]()) }

func scan(data []byte, t reflect.Type) error {
	d := decoder{size: len(data)}
	return d.message(data, 0, t, reflect.Value{}, "model", 1)
}

type decoder struct {
	size, messages int
	keep           bool
}

// message reads the message of type t that b is, from byte at of the file on; without into it looks at the form alone.
func (d *decoder) message(b []byte, at int, t reflect.Type, into reflect.Value, path string, depth int) error {
	if d.messages++; d.messages > maxMessages {
		return fmt.Errorf("more than %d nodes, attributes, tensors and axes in the file", maxMessages)
	}
	if depth > maxDepth {
		return fmt.Errorf("graphs within graphs more than %d deep", maxDepth/3)
	}
	fields := fieldsOf(t)
	for len(b) > 0 {
		number, wire, n := protowire.ConsumeTag(b)
		if n < 0 || number > protowire.MaxValidNumber {
			return fmt.Errorf("not an ONNX file, or damaged: no field at byte %d of %d, in %s", at, d.size, path)
		}
		size := protowire.ConsumeFieldValue(number, wire, b[n:])
		if size < 0 {
			return fmt.Errorf("not an ONNX file, or truncated: field %d at byte %d of %d, in %s, is incomplete",
				number, at, d.size, path)
		}
		value := b[n : n+size]
		known := false
		if i := slices.IndexFunc(fields, func(f field) bool { return f.number == number }); i >= 0 {
			f := fields[i]
			var err error
			if f.message != nil && wire == protowire.BytesType {
				known = true
				inner, k := protowire.ConsumeBytes(value)
				err = d.message(inner, at+n+k-len(inner), f.message, element(into, f), path+"."+f.name, depth+1)
			} else if into.IsValid() && f.message == nil {
				if known, err = read(into.Field(f.index).Addr().Interface(), wire, value); err != nil {
					err = fmt.Errorf("not an ONNX file: field %d at byte %d of %d, in %s: %w", number, at, d.size, path, err)
				}
				if known && t == reflect.TypeFor[Dimension]() { // has one field: the last in the file
					into.Field(fields[1-i].index).SetZero()
				}
			}
			if err != nil {
				return err
			}
		}
		if !known && d.keep {
			rest := into.FieldByName("Unknown")
			rest.SetBytes(append(rest.Bytes(), b[:n+size]...))
		}
		b, at = b[n+size:], at+n+size
	}
	return nil
}

// element makes the message that a field of into has, or its next one.
func element(into reflect.Value, f field) reflect.Value {
	if !into.IsValid() {
		return into
	}
	at := into.Field(f.index)
	if at.Kind() == reflect.Slice {
		at.Set(reflect.Append(at, reflect.New(f.message)))
		return at.Index(at.Len() - 1).Elem()
	}
	if at.IsNil() {
		at.Set(reflect.New(f.message))
	}
	return at.Elem()
}

// read sets a field that is no message. A value in a form that the field does not have is not known, as the specification
// of protobuf has it.
func read(field any, wire protowire.Type, b []byte) (known bool, err error) {
	switch p := field.(type) {
	case *string:
		return readText(wire, b, func(v []byte) { *p = string(v) })
	case **string:
		return readText(wire, b, func(v []byte) { *p = new(string(v)) })
	case *[]string:
		return readText(wire, b, func(v []byte) { *p = append(*p, string(v)) })
	case *[]byte:
		return readBytes(wire, b, func(v []byte) { *p = bytes.Clone(v) })
	case *[][]byte:
		return readBytes(wire, b, func(v []byte) { *p = append(*p, bytes.Clone(v)) })
	case *[]float32:
		return readNumbers(p, protowire.Fixed32Type, wire, b, func(v uint64) float32 { return math.Float32frombits(uint32(v)) })
	case *[]float64:
		return readNumbers(p, protowire.Fixed64Type, wire, b, math.Float64frombits)
	case *[]int32:
		return readNumbers(p, protowire.VarintType, wire, b, func(v uint64) int32 { return int32(v) })
	case *[]int64:
		return readNumbers(p, protowire.VarintType, wire, b, func(v uint64) int64 { return int64(v) })
	case *[]uint64:
		return readNumbers(p, protowire.VarintType, wire, b, func(v uint64) uint64 { return v })
	}
	v, _ := consume(wire, b)
	switch p := field.(type) {
	case **float32:
		if known = wire == protowire.Fixed32Type; known {
			*p = new(math.Float32frombits(uint32(v)))
		}
		return known, nil
	case **int64:
		if known = wire == protowire.VarintType; known {
			*p = new(int64(v))
		}
		return known, nil
	}
	if known = wire == protowire.VarintType; known {
		reflect.ValueOf(field).Elem().SetInt(int64(v))
	}
	return known, nil
}

func readBytes(wire protowire.Type, b []byte, put func([]byte)) (known bool, err error) {
	if wire != protowire.BytesType {
		return false, nil
	}
	v, _ := protowire.ConsumeBytes(b)
	put(v)
	return true, nil
}

func readText(wire protowire.Type, b []byte, put func([]byte)) (known bool, err error) {
	valid := true
	known, _ = readBytes(wire, b, func(v []byte) {
		put(v)
		valid = utf8.Valid(v)
	})
	if !valid {
		err = errInvalid
	}
	return known, err
}

var errInvalid = errors.New("it contains invalid UTF-8")

// readNumbers adds numbers, which may be packed into one value.
func readNumbers[T any](list *[]T, want, wire protowire.Type, b []byte, as func(uint64) T) (known bool, err error) {
	if wire == protowire.BytesType {
		b, _ = protowire.ConsumeBytes(b)
		wire = want
	}
	if wire != want {
		return false, nil
	}
	for len(b) > 0 {
		v, n := consume(wire, b)
		if n < 0 {
			return true, protowire.ParseError(n)
		}
		*list, b = append(*list, as(v)), b[n:]
	}
	return true, nil
}

// consume reads a number of a wire type that is one's.
func consume(wire protowire.Type, b []byte) (v uint64, n int) {
	switch wire {
	case protowire.VarintType:
		return protowire.ConsumeVarint(b)
	case protowire.Fixed32Type:
		v, n := protowire.ConsumeFixed32(b)
		return uint64(v), n
	case protowire.Fixed64Type:
		return protowire.ConsumeFixed64(b)
	}
	return 0, 0
}
