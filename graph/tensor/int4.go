package tensor

// int4Pair is two numbers of Int4, the first in the lower four bits, as ONNX packs them. The last upper four bits of an odd
// number of elements are 0.
type int4Pair uint8

// pairsOf is an element type of which one value of the Go type holds two.
func pairsOf(e elementType) elementType {
	e.each = 2
	return e
}

// packInt4 writes numbers, each of −8…7, into pairs that are 0.
func packInt4(pairs []int4Pair, values []int8) {
	for i, v := range values {
		pairs[i/2] |= int4Pair(uint8(v)&15) << (i % 2 * 4)
	}
}

func unpackInt4(values []int8, pairs []int4Pair) {
	for i := range values {
		values[i] = int8(pairs[i/2]>>(i%2*4)<<4) >> 4
	}
}
