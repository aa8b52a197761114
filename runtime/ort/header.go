package ort

import (
	"fmt"

	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/graph/tensor"
)

// header is what a model takes and gives. It is read from the bytes, because the
// binding can tell it only by loading the model a second time, and tells no names
// of symbolic dims.
type header struct {
	inputs, outputs []IO
	metadata        map[string]string
}

// readHeader validates a model, unless the options say otherwise, and reads its
// header.
func readHeader(model []byte, opt safety.Options) (header, error) {
	m, err := safety.Check(model, opt)
	if err != nil {
		return header{}, err
	}
	h := header{metadata: m.Metadata}
	if h.inputs, err = ios(m.Inputs); err == nil {
		h.outputs, err = ios(m.Outputs)
	}
	return h, err
}

// elementTypes maps TensorProto.DataType.
var elementTypes = map[int32]tensor.DType{
	1: tensor.Float32, 7: tensor.Int64, 9: tensor.Bool, 10: tensor.Float16, 11: tensor.Float64,
}

func ios(values []safety.Value) ([]IO, error) {
	var list []IO
	for _, v := range values {
		io := IO{Name: v.Name, DType: elementTypes[v.Type]}
		if io.DType == tensor.Invalid {
			return nil, fmt.Errorf("value %q has ONNX element type %d; zoo handles float32, float64, float16, int64 and bool", v.Name, v.Type)
		}
		if v.Shaped {
			io.Dims, io.Axes = append([]int64{}, v.Dims...), append([]string{}, v.Axes...)
		}
		list = append(list, io)
	}
	return list, nil
}
