package safety

import (
	"fmt"

	"github.com/nopezoo/zoo/internal/onnxpb"
)

// The numbers of element types (TensorProto.DataType) that are named below.
const (
	typeInt64  = 7
	typeString = 8
	typeBool   = 9
)

// elementsOf returns the number of elements that a stored tensor claims, which at
// the given bits each still fit a file.
func elementsOf(t *onnxpb.TensorProto, bits int) (int64, error) {
	if len(t.Dims) > MaxRank {
		return 0, fmt.Errorf("it has %d axes; supported are %d", len(t.Dims), MaxRank)
	}
	count := int64(1)
	for i, d := range t.Dims {
		if d < 0 || d > MaxFile {
			return 0, fmt.Errorf("axis %d has the length %d", i, d)
		}
		// The factors are below 2³⁴ and 2³¹, so the product of the two fits.
		if count *= d; count > MaxFile*8/int64(bits) {
			return 0, fmt.Errorf("its shape %v declares more data than a file can hold", t.Dims)
		}
	}
	return count, nil
}

// checkTensor checks type and shape of a stored tensor, and that the file has the
// data that they take.
func checkTensor(t *onnxpb.TensorProto) error {
	if t.DataLocation != 0 || len(t.ExternalData) > 0 {
		return fmt.Errorf("its data is in another file: open the model by its path, so that the other is looked for " +
			"in its folder, or give that folder (runtime.Options.Beside)")
	}
	if len(t.Segment) > 0 {
		return fmt.Errorf("it is one segment of a tensor, which is not supported")
	}
	size := onnxpb.Bits(t.DataType)
	if size == 0 && t.DataType != typeString {
		return fmt.Errorf("its element type is %d, which is not known", t.DataType)
	}
	want, err := elementsOf(t, max(size, 8))
	if err != nil {
		return err
	}
	typed, kinds := typedValues(t)
	if kinds > 1 || kinds > 0 && len(t.RawData) > 0 || t.DataType == typeString && len(t.RawData) > 0 {
		return fmt.Errorf("it stores data of several kinds")
	}
	bytes := (want*int64(size) + 7) / 8
	switch {
	case kinds > 0 && int64(typed) != valuesFor(t.DataType, want), kinds == 0 && t.DataType == typeString && want > 0,
		kinds == 0 && t.DataType != typeString && int64(len(t.RawData)) != bytes:
		return fmt.Errorf("it has the shape %v, which takes %d bytes, but %d bytes and %d single values are stored",
			t.Dims, bytes, len(t.RawData), typed)
	}
	return checkBools(t)
}

// typedValues counts the values that a tensor holds other than as raw bytes, of
// its own type; kinds counts the lists in use, lists of other types as two.
func typedValues(t *onnxpb.TensorProto) (n, kinds int) {
	for _, list := range []struct {
		length int
		types  []int32
	}{
		{len(t.FloatData), []int32{1, 14}},
		{len(t.DoubleData), []int32{11, 15}},
		{len(t.Int64Data), []int32{typeInt64}},
		{len(t.Uint64Data), []int32{12, 13}},
		{len(t.StringData), []int32{typeString}},
		{len(t.Int32Data), []int32{2, 3, 4, 5, 6, typeBool, 10, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26}},
	} {
		if list.length == 0 {
			continue
		}
		n, kinds = n+list.length, kinds+2
		for _, code := range list.types {
			if code == t.DataType {
				kinds--
			}
		}
	}
	return n, kinds
}

// valuesFor returns how many single values so many elements take: complex numbers
// take two, and numbers of less than a byte share one.
func valuesFor(code int32, elements int64) int64 {
	switch size := onnxpb.Bits(code); {
	case code == 14 || code == 15:
		return 2 * elements
	case size > 0 && size < 8:
		return (elements*int64(size) + 7) / 8
	}
	return elements
}

func checkBools(t *onnxpb.TensorProto) error {
	if t.DataType != typeBool {
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
