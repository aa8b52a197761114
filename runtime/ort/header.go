package ort

import "github.com/nopezoo/zoo/export/safety"

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

func ios(values []safety.Value) ([]IO, error) {
	var list []IO
	for _, v := range values {
		dtype, err := v.DType()
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
