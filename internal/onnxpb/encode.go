package onnxpb

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// Marshal writes a message: fields in the order of their numbers, so that equal messages have equal bytes.
func Marshal(message any) ([]byte, error) {
	e := encoder{}
	if m, ok := message.(*ModelProto); ok && m.Graph != nil {
		size := 1<<16 + len(m.Graph.Node)<<10 // so that weights are not moved for want of room
		for _, t := range m.Graph.Initializer {
			size += len(t.RawData) + 1<<8
		}
		for _, p := range m.MetadataProps {
			size += len(p.Value)
		}
		e.b = make([]byte, 0, size)
	}
	e.message(reflect.ValueOf(message).Elem())
	return e.b, e.err
}

type encoder struct {
	b   []byte
	err error
}

func (e *encoder) message(m reflect.Value) {
	for _, f := range fieldsOf(m.Type()) {
		v := m.Field(f.index)
		switch {
		case f.message == nil:
			e.field(f, v)
		case v.Kind() == reflect.Slice:
			for i := range v.Len() {
				e.inner(f, v.Index(i))
			}
		case !v.IsNil():
			e.inner(f, v)
		}
	}
	e.b = append(e.b, m.FieldByName("Unknown").Bytes()...)
}

// inner writes a message within one; nil is an empty one.
func (e *encoder) inner(f field, m reflect.Value) {
	e.tag(f, protowire.BytesType)
	start := len(e.b)
	if !m.IsNil() {
		e.message(m.Elem())
	}
	e.prefix(start)
}

// prefix puts the length of what has been written since start before it.
func (e *encoder) prefix(start int) {
	e.b = slices.Insert(e.b, start, protowire.AppendVarint(nil, uint64(len(e.b)-start))...)
}

func (e *encoder) tag(f field, wire protowire.Type) { e.b = protowire.AppendTag(e.b, f.number, wire) }

func (e *encoder) field(f field, field reflect.Value) {
	switch v := field.Interface().(type) {
	case string:
		if v != "" {
			e.text(f, v)
		}
	case *string:
		if v != nil {
			e.text(f, *v)
		}
	case []string:
		for _, s := range v {
			e.text(f, s)
		}
	case []byte:
		if len(v) > 0 || f.present && v != nil {
			e.bytes(f, v)
		}
	case [][]byte:
		for _, b := range v {
			e.bytes(f, b)
		}
	case *float32:
		if v != nil {
			e.tag(f, protowire.Fixed32Type)
			e.b = protowire.AppendFixed32(e.b, math.Float32bits(*v))
		}
	case *int64:
		if v != nil {
			e.varint(f, *v)
		}
	case []float32:
		packed(e, f, v, func(b []byte, x float32) []byte { return protowire.AppendFixed32(b, math.Float32bits(x)) })
	case []float64:
		packed(e, f, v, func(b []byte, x float64) []byte { return protowire.AppendFixed64(b, math.Float64bits(x)) })
	case []int32:
		packed(e, f, v, func(b []byte, x int32) []byte { return protowire.AppendVarint(b, uint64(x)) })
	case []int64:
		packed(e, f, v, func(b []byte, x int64) []byte { return protowire.AppendVarint(b, uint64(x)) })
	case []uint64:
		packed(e, f, v, protowire.AppendVarint)
	default:
		if n := field.Int(); n != 0 {
			e.varint(f, n)
		}
	}
}

func (e *encoder) varint(f field, v int64) {
	e.tag(f, protowire.VarintType)
	e.b = protowire.AppendVarint(e.b, uint64(v))
}

func (e *encoder) bytes(f field, v []byte) {
	e.tag(f, protowire.BytesType)
	e.b = protowire.AppendBytes(e.b, v)
}

func (e *encoder) text(f field, v string) {
	if !utf8.ValidString(v) && e.err == nil {
		e.err = fmt.Errorf("%s %s: %w", f.name, Quote(v), errInvalid)
	}
	e.bytes(f, []byte(v))
}

// packed writes a list of numbers as one value.
func packed[T any](e *encoder, f field, list []T, put func(b []byte, v T) []byte) {
	if len(list) == 0 {
		return
	}
	e.tag(f, protowire.BytesType)
	start := len(e.b)
	for _, v := range list {
		e.b = put(e.b, v)
	}
	e.prefix(start)
}
