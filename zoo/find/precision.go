package find

import (
	"fmt"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/modelfile/precision"
)

// As is the model in a precision, one of precision.Types: its files are. A
// file is what it is.
func (m Model) As(dtype string) (Model, error) {
	if err := precision.Check(dtype); err != nil {
		return m, err
	}
	if m.dtype = dtype; dtype == card.Float32 {
		return m, nil
	}
	if m.File != "" {
		return m, fmt.Errorf("%s: %s is an ONNX file, which is not changed any more; "+
			"name the run or the model of the catalogue that it was made from", dtype, m.File)
	}
	m.From += ", in " + dtype
	return m, nil
}
