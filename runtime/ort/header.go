package ort

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/nopezoo/zoo/graph/tensor"
)

// header is the part of an ONNX file that says what a model takes and gives.
// It is read from the bytes, because the binding can tell it only by loading
// the model a second time, and tells no names of symbolic dims.
type header struct {
	inputs, outputs []IO
	metadata        map[string]string
}

var errModel = errors.New("not an ONNX model")

// field is one field of a protobuf message: num is its number; varint or bytes
// its content.
type field struct {
	num    int
	varint uint64
	bytes  []byte
}

// fields calls visit for every field of a message. Length-delimited fields are
// slices of msg, so skipping the weights costs nothing.
func fields(msg []byte, visit func(field) error) error {
	for len(msg) > 0 {
		tag, n := binary.Uvarint(msg)
		if n <= 0 || tag>>3 == 0 || tag>>3 > 1<<29-1 {
			return errModel
		}
		msg = msg[n:]
		f := field{num: int(tag >> 3)}
		size := 0
		switch tag & 7 {
		case 0:
			if f.varint, size = binary.Uvarint(msg); size <= 0 {
				return errModel
			}
		case 1:
			size = 8
		case 5:
			size = 4
		case 2:
			length, n := binary.Uvarint(msg)
			if n <= 0 || length > uint64(len(msg)-n) {
				return errModel
			}
			f.bytes = msg[n : n+int(length)]
			size = n + int(length)
		default:
			return errModel
		}
		if size > len(msg) {
			return errModel
		}
		msg = msg[size:]
		if err := visit(f); err != nil {
			return err
		}
	}
	return nil
}

// readHeader reads a ModelProto (field numbers from onnx.proto). Inputs that
// have an initializer are left out: they need not be fed.
func readHeader(model []byte) (header, error) {
	h := header{metadata: map[string]string{}}
	var graph []byte
	err := fields(model, func(f field) error {
		switch f.num {
		case 7: // graph
			graph = f.bytes
		case 14: // metadata_props
			key, value, err := entry(f.bytes)
			h.metadata[key] = value
			return err
		}
		return nil
	})
	if err != nil {
		return header{}, err
	}
	if graph == nil {
		return header{}, fmt.Errorf("%w: it has no graph", errModel)
	}
	return h, h.readGraph(graph)
}

func (h *header) readGraph(graph []byte) error {
	initialized := map[string]bool{}
	var inputs []IO
	err := fields(graph, func(f field) error {
		switch f.num {
		case 5: // initializer
			name, err := stringField(f.bytes, 8)
			initialized[name] = true
			return err
		case 11: // input
			io, err := valueInfo(f.bytes)
			inputs = append(inputs, io)
			return err
		case 12: // output
			io, err := valueInfo(f.bytes)
			h.outputs = append(h.outputs, io)
			return err
		}
		return nil
	})
	for _, io := range inputs {
		if !initialized[io.Name] {
			h.inputs = append(h.inputs, io)
		}
	}
	return err
}

func entry(msg []byte) (key, value string, err error) {
	err = fields(msg, func(f field) error {
		switch f.num {
		case 1:
			key = string(f.bytes)
		case 2:
			value = string(f.bytes)
		}
		return nil
	})
	return key, value, err
}

func stringField(msg []byte, num int) (s string, err error) {
	err = fields(msg, func(f field) error {
		if f.num == num {
			s = string(f.bytes)
		}
		return nil
	})
	return s, err
}

// valueInfo reads a ValueInfoProto: a name, and a tensor type as element type
// and shape.
func valueInfo(msg []byte) (IO, error) {
	var io IO
	var tensorType []byte
	err := fields(msg, func(f field) error {
		switch f.num {
		case 1: // name
			io.Name = string(f.bytes)
		case 2: // type
			return fields(f.bytes, func(f field) error {
				if f.num == 1 { // tensor_type
					tensorType = f.bytes
				}
				return nil
			})
		}
		return nil
	})
	if err != nil {
		return IO{}, err
	}
	if tensorType == nil {
		return IO{}, fmt.Errorf("value %q is not a tensor", io.Name)
	}
	err = fields(tensorType, func(f field) error {
		switch f.num {
		case 1: // elem_type
			if io.DType = elementTypes[f.varint]; io.DType == tensor.Invalid {
				return fmt.Errorf("value %q has ONNX element type %d; zoo handles float32, float64, float16, int64 and bool", io.Name, f.varint)
			}
		case 2: // shape
			io.Dims, io.Axes = []int64{}, []string{}
			return fields(f.bytes, func(f field) error {
				if f.num != 1 {
					return nil
				}
				dim, axis, err := dimension(f.bytes)
				io.Dims, io.Axes = append(io.Dims, dim), append(io.Axes, axis)
				return err
			})
		}
		return nil
	})
	if err == nil && io.DType == tensor.Invalid {
		err = fmt.Errorf("value %q has no element type", io.Name)
	}
	return io, err
}

// elementTypes maps TensorProto.DataType.
var elementTypes = map[uint64]tensor.DType{
	1: tensor.Float32, 7: tensor.Int64, 9: tensor.Bool, 10: tensor.Float16, 11: tensor.Float64,
}

func dimension(msg []byte) (dim int64, axis string, err error) {
	dim = -1
	err = fields(msg, func(f field) error {
		switch f.num {
		case 1: // dim_value
			dim = int64(f.varint)
		case 2: // dim_param
			axis = string(f.bytes)
		}
		return nil
	})
	if dim < -1 {
		dim = -1
	}
	return dim, axis, err
}
