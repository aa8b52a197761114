package export

import (
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/internal/onnxpb"
)

// maxLengths bounds the int64 vectors of a file: graph keeps their elements as
// possible axis lengths, which takes much more room than the numbers.
const maxLengths = 1 << 18

// lengths counts the elements that graph keeps so.
func lengths(t *onnxpb.TensorProto) int {
	if tensor.FromONNX(t.DataType) != tensor.Int64 || len(t.Dims) > 1 {
		return 0
	}
	return len(t.RawData)/8 + len(t.Int64Data)
}

// tensorOf decodes a stored tensor, which has been validated. It takes the data from the file: it may be large.
func tensorOf(p *onnxpb.TensorProto) (*tensor.Tensor, error) {
	dtype := tensor.FromONNX(p.DataType)
	shape := lists.Map(p.Dims, func(d int64) int { return int(d) })
	t, err := tensor.FromRaw(dtype, onnxpb.RawData(p), shape...)
	p.RawData, p.FloatData, p.Int64Data, p.Int32Data = nil, nil, nil, nil
	return t, err
}
