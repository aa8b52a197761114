package export

import (
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/onnxpb"
)

// rawOf returns a tensor's elements as raw_data, which is present even when it is empty.
func rawOf(t *tensor.Tensor) []byte { return t.AppendRaw(make([]byte, 0, t.Len()*t.DType().Size())) }

// maxLengths bounds the int64 vectors of a file: graph keeps their elements as
// possible axis lengths, which takes much more room than the numbers.
const maxLengths = 1 << 18

// lengths counts the elements that graph keeps so.
func lengths(t *onnxpb.TensorProto) int {
	if dtype, _ := dtypeOf(t.DataType); dtype != tensor.Int64 || len(t.Dims) > 1 {
		return 0
	}
	return len(t.RawData)/8 + len(t.Int64Data)
}

// tensorOf decodes a stored tensor, which has been validated, and drops it from the file: it may be large.
func tensorOf(p *onnxpb.TensorProto) (*tensor.Tensor, error) {
	dtype, _ := dtypeOf(p.DataType)
	shape := make([]int, len(p.Dims))
	for i, d := range p.Dims {
		shape[i] = int(d)
	}
	t := tensor.New(dtype, shape...)
	err := t.SetRaw(onnxpb.RawData(p))
	p.RawData, p.FloatData, p.Int64Data, p.Int32Data = nil, nil, nil, nil
	return t, err
}
