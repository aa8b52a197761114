package export

import (
	"github.com/nopezoo/zoo/export/internal/onnxpb"
	"github.com/nopezoo/zoo/graph/tensor"
)

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

// shapeOf returns the axes of a stored tensor, which has been validated.
func shapeOf(t *onnxpb.TensorProto) []int {
	shape := make([]int, len(t.Dims))
	for i, d := range t.Dims {
		shape[i] = int(d)
	}
	return shape
}
