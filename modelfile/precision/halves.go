package precision

import (
	"fmt"
	"math"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
)

// halves multiplies in float16, or in bfloat16, which has the range of float32 and 3 bits less
// of the mantissa. The product is a MatMul, not a Gemm: ONNX Runtime's CPU provider computes the
// former in float32 and rounds once, and has for the latter a kernel that adds up in float16
// and takes a hundred times as long.
type halves struct {
	b     *graph.Builder
	dtype tensor.DType
}

func (h halves) fits(*graph.Node) bool { return true }

func (h halves) weight(w *graph.Node) *graph.Node { return h.b.Param(w.Name, h.dtype, lengths(w)...) }

func (h halves) product(x, w *graph.Node) *graph.Node {
	y := h.b.MatMul(h.b.Cast(x, h.dtype), h.b.Transpose(h.weight(w), 1, 0))
	return h.b.Cast(y, tensor.Float32)
}

func (h halves) rows(w, at *graph.Node) *graph.Node {
	return h.b.Cast(h.b.Gather(h.weight(w), at, 0), tensor.Float32)
}

// The largest number of each type, and the smallest that has all of its digits.
var ranges = map[tensor.DType]struct{ largest, smallest float64 }{
	tensor.Float16:  {65504, 0x1p-14},
	tensor.BFloat16: {0x1.fep127, 0x1p-126},
}

// checkHalf refuses a matrix with a number beyond the type, and one that is all but lost in
// it: constructed models' can be so.
func checkHalf(w *tensor.Tensor, dtype tensor.DType) error {
	largest, most := 0.0, ranges[dtype]
	for _, v := range tensor.Data[float32](w) {
		largest = max(largest, math.Abs(float64(v)))
	}
	switch {
	case largest > most.largest:
		return fmt.Errorf("its largest number is %.3g, and %v ends at %.5g; leave it in float32", largest, dtype, most.largest)
	case largest > 0 && largest < most.smallest:
		return fmt.Errorf("its largest number is %.3g, and below %.2g %v loses digits; leave it in float32",
			largest, most.smallest, dtype)
	}
	return nil
}
