package export

import (
	"fmt"

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

// shapeOf returns the axes of a stored tensor and the number of its elements,
// which at the size of its dtype still fits a file.
func shapeOf(t *onnxpb.TensorProto, size int) (shape []int, count int, err error) {
	if len(t.Dims) > maxRank {
		return nil, 0, fmt.Errorf("it has %d axes; supported are %d", len(t.Dims), maxRank)
	}
	shape, count = []int{}, 1
	for i, d := range t.Dims {
		if d < 0 || d > maxFile {
			return nil, 0, fmt.Errorf("axis %d has the length %d", i, d)
		}
		// Both factors are below 2³¹ here, so the product cannot overflow.
		if count *= int(d); count > maxFile/size {
			return nil, 0, fmt.Errorf("its shape %v declares more data than a file can hold", t.Dims)
		}
		shape = append(shape, int(d))
	}
	return shape, count, nil
}

// checkTensor checks type, shape and amount of data of a stored tensor.
func checkTensor(t *onnxpb.TensorProto) error {
	if t.DataLocation != 0 || len(t.ExternalData) > 0 {
		return fmt.Errorf("its data is in another file, which is not supported; store the model in one file")
	}
	if len(t.Segment) > 0 {
		return fmt.Errorf("it is one segment of a tensor, which is not supported")
	}
	dtype, ok := dtypeOf(t.DataType)
	if !ok {
		return fmt.Errorf("its element type is %s (%d); supported are float32, int64 and bool", typeName(t.DataType), t.DataType)
	}
	shape, want, err := shapeOf(t, dtype.Size())
	if err != nil {
		return err
	}
	typed := map[tensor.DType]int{tensor.Float32: len(t.FloatData), tensor.Int64: len(t.Int64Data), tensor.Bool: len(t.Int32Data)}[dtype]
	if len(t.FloatData)+len(t.Int64Data)+len(t.Int32Data) != typed || typed > 0 && len(t.RawData) > 0 {
		return fmt.Errorf("it stores data of several kinds")
	}
	if typed > 0 && typed != want || typed == 0 && len(t.RawData) != want*dtype.Size() {
		return fmt.Errorf("it is %v%v, which takes %d bytes, but %d bytes and %d single values are stored",
			dtype, shape, want*dtype.Size(), len(t.RawData), typed)
	}
	return checkBools(t, dtype)
}

func checkBools(t *onnxpb.TensorProto, dtype tensor.DType) error {
	if dtype != tensor.Bool {
		return nil
	}
	for i, b := range t.RawData {
		if b > 1 {
			return fmt.Errorf("element %d of a bool tensor is %d", i, b)
		}
	}
	for i, b := range t.Int32Data {
		if b != 0 && b != 1 {
			return fmt.Errorf("element %d of a bool tensor is %d", i, b)
		}
	}
	return nil
}
