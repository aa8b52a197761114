package onnxpb

import (
	"encoding/binary"
	"math"
)

// elementBits is the size in raw_data of the element types, by their number; 0
// for those that do not exist or have no fixed size.
var elementBits = [...]int{
	0, 32, 8, 8, 16, 16, 32, 64, 0, 8, // float, uint8, int8, uint16, int16, int32, int64, string, bool
	16, 64, 32, 64, 64, 128, 16, // float16, double, uint32, uint64, complex64, complex128, bfloat16
	8, 8, 8, 8, // float8, four kinds
	4, 4, 4, 8, 2, 2, // uint4, int4, float4e2m1, float8e8m0, uint2, int2
}

// Bits returns the size in raw_data of an element type, by its number (TensorProto.DataType); 0 for
// one that does not exist or has no fixed size.
func Bits(dataType int32) int {
	if dataType < 0 || int(dataType) >= len(elementBits) {
		return 0
	}
	return elementBits[dataType]
}

// RawData returns the elements of a stored tensor as raw_data would have them,
// little-endian, however they are stored.
func RawData(t *TensorProto) []byte {
	raw, le := t.RawData, binary.LittleEndian
	for _, v := range t.FloatData {
		raw = le.AppendUint32(raw, math.Float32bits(v))
	}
	for _, v := range t.DoubleData {
		raw = le.AppendUint64(raw, math.Float64bits(v))
	}
	for _, v := range t.Int64Data {
		raw = le.AppendUint64(raw, uint64(v))
	}
	for _, v := range t.Uint64Data {
		raw = le.AppendUint64(raw, v)[:len(raw)+Bits(t.DataType)/8]
	}
	for _, v := range t.Int32Data {
		raw = le.AppendUint32(raw, uint32(v))[:len(raw)+max(Bits(t.DataType)/8, 1)]
	}
	for _, s := range t.StringData {
		raw = append(le.AppendUint64(raw, uint64(len(s))), s...)
	}
	return raw
}
