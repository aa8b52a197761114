package ort

import (
	"fmt"

	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/onnxpb"
)

// header is what a model takes and gives. It is read from the bytes, because the
// binding can tell it only by loading the model a second time, and tells no names
// of symbolic dims.
type header struct {
	inputs, outputs []IO
	metadata        map[string]string
}

// readHeader reads the header of a parsed model.
func readHeader(f *safety.File) (h header, err error) {
	h.metadata = f.Metadata
	if h.inputs, err = ios(onnxpb.Inputs(f.Proto.Graph)); err == nil {
		h.outputs, err = ios(onnxpb.Outputs(f.Proto.Graph))
	}
	return h, err
}

func ios(values []onnxpb.Value) ([]IO, error) {
	var list []IO
	for _, v := range values {
		dtype, err := dtypeOf(v)
		if err != nil {
			return nil, err
		}
		io := IO{Name: v.Name, DType: dtype}
		if v.Shaped {
			io.Dims, io.Axes = append([]int64{}, v.Dims...), append([]string{}, v.Axes...)
		}
		list = append(list, io)
	}
	return list, nil
}

// dtypeOf returns the element type of a value, or an error for one that zoo does not handle.
func dtypeOf(v onnxpb.Value) (tensor.DType, error) {
	dtype := tensor.FromONNX(v.Type)
	if dtype == tensor.Invalid {
		return dtype, fmt.Errorf("value %q has ONNX element type %d; "+
			"zoo handles float32, float64, float16, bfloat16, int64, int32, int8, uint8 and bool", v.Name, v.Type)
	}
	return dtype, nil
}
