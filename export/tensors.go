package export

import (
	"encoding/binary"
	"math"

	"github.com/nopezoo/zoo/export/internal/onnxpb"
	"github.com/nopezoo/zoo/export/safety"
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

// tensorOf decodes a stored tensor, which has been validated.
func tensorOf(p *onnxpb.TensorProto) *tensor.Tensor {
	dtype, _ := dtypeOf(p.DataType)
	t := tensor.New(dtype, shapeOf(p)...)
	raw := safety.RawData(p)
	switch dtype {
	case tensor.Float32:
		data := tensor.Data[float32](t)
		for i := range data {
			data[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
		}
	case tensor.Int64:
		data := tensor.Data[int64](t)
		for i := range data {
			data[i] = int64(binary.LittleEndian.Uint64(raw[8*i:]))
		}
	case tensor.Bool:
		data := tensor.Data[bool](t)
		for i := range data {
			data[i] = raw[i] != 0
		}
	}
	return t
}
