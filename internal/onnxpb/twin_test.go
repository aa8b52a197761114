package onnxpb

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

// kinds are protobuf's types of fields.
var kinds = map[reflect.Type]descriptorpb.FieldDescriptorProto_Type{
	reflect.TypeFor[int64]():         descriptorpb.FieldDescriptorProto_TYPE_INT64,
	reflect.TypeFor[int32]():         descriptorpb.FieldDescriptorProto_TYPE_INT32,
	reflect.TypeFor[AttributeType](): descriptorpb.FieldDescriptorProto_TYPE_INT32,
	reflect.TypeFor[uint64]():        descriptorpb.FieldDescriptorProto_TYPE_UINT64,
	reflect.TypeFor[float32]():       descriptorpb.FieldDescriptorProto_TYPE_FLOAT,
	reflect.TypeFor[float64]():       descriptorpb.FieldDescriptorProto_TYPE_DOUBLE,
	reflect.TypeFor[string]():        descriptorpb.FieldDescriptorProto_TYPE_STRING,
	reflect.TypeFor[[]byte]():        descriptorpb.FieldDescriptorProto_TYPE_BYTES,
}

// describe adds the message of a type, and those within, to a file of the library's.
func describe(file *descriptorpb.FileDescriptorProto, t reflect.Type) {
	for _, m := range file.MessageType {
		if m.GetName() == t.Name() {
			return
		}
	}
	m := &descriptorpb.DescriptorProto{Name: new(t.Name())}
	file.MessageType = append(file.MessageType, m)
	for _, f := range fieldsOf(t) {
		d := &descriptorpb.FieldDescriptorProto{Name: &f.name, Number: new(int32(f.number)), Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum()}
		m.Field = append(m.Field, d)
		kind := t.Field(f.index).Type
		if kind.Kind() == reflect.Slice && kind != reflect.TypeFor[[]byte]() {
			d.Label, kind = descriptorpb.FieldDescriptorProto_LABEL_REPEATED.Enum(), kind.Elem()
		}
		if f.message != nil {
			d.Type, d.TypeName = descriptorpb.FieldDescriptorProto_TYPE_MESSAGE.Enum(), new(".zoo."+f.message.Name())
			describe(file, f.message)
			continue
		}
		one := f.present || kind.Kind() == reflect.Pointer // a field with presence is alone in a oneof
		if kind.Kind() == reflect.Pointer {
			kind = kind.Elem()
		}
		d.Type = kinds[kind].Enum()
		switch {
		case t == reflect.TypeFor[Dimension]():
			d.OneofIndex = new(int32(0))
			m.OneofDecl = []*descriptorpb.OneofDescriptorProto{{Name: new("value")}}
		case one:
			d.Proto3Optional, d.OneofIndex = new(true), new(int32(len(m.OneofDecl)))
			m.OneofDecl = append(m.OneofDecl, &descriptorpb.OneofDescriptorProto{Name: new("_" + f.name)})
		}
	}
}

// twin is the library's form of the schema.
func twin(t *testing.T) protoreflect.MessageDescriptor {
	file := &descriptorpb.FileDescriptorProto{Name: new("onnx.proto"), Package: new("zoo"), Syntax: new("proto3")}
	describe(file, reflect.TypeFor[ModelProto]())
	built, err := protodesc.NewFile(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	return built.Messages().ByName("ModelProto")
}

// fill sets fields at random, of messages down to a depth.
func fill(rng *rand.Rand, v reflect.Value, depth int) {
	for _, f := range fieldsOf(v.Type()) {
		at := v.Field(f.index)
		if rng.IntN(3) == 0 || f.message != nil && depth == 0 {
			continue
		}
		switch p := at.Addr().Interface().(type) {
		case *string:
			*p = string(rune('a' + rng.IntN(1000)))
		case *[]byte:
			*p = make([]byte, rng.IntN(2)*rng.IntN(300))
		case *[][]byte:
			*p = [][]byte{{}, {1, 2}}
		case *[]string:
			*p = []string{"", "x"}
		case **float32:
			*p = new(rng.Float32() * float32(rng.IntN(2)))
		case **int64:
			*p = new(int64(rng.Uint64()) * rng.Int64N(2))
		case **string:
			if v.Interface().(Dimension).DimValue == nil {
				*p = new([]string{"", "axis"}[rng.IntN(2)])
			}
		case *[]float32:
			*p = []float32{0, rng.Float32(), -1}
		case *[]float64:
			*p = []float64{0, rng.Float64()}
		case *[]int32:
			*p = []int32{-1, rng.Int32()}
		case *[]int64:
			*p = make([]int64, rng.IntN(200))
		case *[]uint64:
			*p = []uint64{rng.Uint64(), 1}
		default:
			switch {
			case f.message == nil:
				at.SetInt(int64(int32(rng.Uint32())))
			case at.Kind() == reflect.Pointer:
				at.Set(reflect.New(f.message))
				fill(rng, at.Elem(), depth-1)
			default:
				for range rng.IntN(3) {
					at.Set(reflect.Append(at, reflect.New(f.message)))
					fill(rng, at.Index(at.Len()-1).Elem(), depth-1)
				}
			}
		}
	}
}

// TestTwin: the library of protobuf reads the bytes that Marshal writes, and writes the same; and of damaged bytes both
// read the same or nothing.
func TestTwin(t *testing.T) {
	schema, rng := twin(t), rand.New(rand.NewPCG(1, 0))
	read := 0
	for i := range 3000 {
		m := &ModelProto{}
		fill(rng, reflect.ValueOf(m).Elem(), 1+rng.IntN(7))
		data, err := Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		for damage := range 4 {
			changed := bytes.Clone(data)
			for range min(damage, len(data)) {
				changed[rng.IntN(len(changed))] = byte(rng.Uint32())
			}
			theirs := dynamicpb.NewMessage(schema)
			wrong := proto.Unmarshal(changed, theirs)
			ours := &ModelProto{}
			if err = Unmarshal(changed, ours, true); (err == nil) != (wrong == nil) {
				t.Fatalf("message %d, %d bytes changed: error %v, the library's %v: %x", i, damage, err, wrong, changed)
			}
			if err != nil {
				continue
			}
			read++
			again, err := Marshal(ours)
			if err != nil {
				t.Fatal(err)
			}
			want, err := proto.MarshalOptions{Deterministic: true}.Marshal(theirs)
			if err != nil || !bytes.Equal(again, want) || damage == 0 && !bytes.Equal(again, data) {
				t.Fatalf("message %d, %d bytes changed: %x, the library's %x, of %x (%v)", i, damage, again, want, changed, err)
			}
		}
	}
	if read < 5000 {
		t.Errorf("only %d messages could be read", read)
	}
}

// TestUnknown: what the schema lacks is kept or dropped.
func TestUnknown(t *testing.T) {
	data := []byte{0x08, 7, 0xba, 0x3e, 1, 9} // field 999
	for _, keep := range []bool{false, true} {
		m := &ModelProto{}
		if err := Unmarshal(data, m, keep); err != nil {
			t.Fatal(err)
		}
		want := data
		if !keep {
			want = data[:2]
		}
		if got, err := Marshal(m); err != nil || !bytes.Equal(got, want) {
			t.Errorf("keep %v: %x, want %x (%v)", keep, got, want, err)
		}
	}
}
