package gguf

import (
	"encoding/binary"
	"maps"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/lists"
)

// kind is how the values of a tensor are stored: size bytes for a block of values.
type kind struct {
	name        string
	block, size int
	dtype       tensor.DType                    // of one that is stored value by value
	values      func(raw []byte, out []float32) // of a block; nil without blocks
}

// kinds are the types that are read, by their numbers (ggml-org/ggml, include/ggml.h: ggml_type; src/ggml-quants.c:
// dequantize_row_…). Arithmetic is in float32, with factors of float16.
var kinds = map[uint32]kind{
	0:  {name: "F32", block: 1, size: 4, dtype: tensor.Float32},
	1:  {name: "F16", block: 1, size: 2, dtype: tensor.Float16},
	30: {name: "BF16", block: 1, size: 2, dtype: tensor.BFloat16},
	2:  {name: "Q4_0", block: 32, size: 18, values: q40},
	3:  {name: "Q4_1", block: 32, size: 20, values: q41},
	8:  {name: "Q8_0", block: 32, size: 34, values: q80},
	12: {name: "Q4_K", block: 256, size: 144, values: q4k},
	14: {name: "Q6_K", block: 256, size: 210, values: q6k},
}

// unread names types of published files that are not read, by the same numbers.
var unread = map[uint32]string{6: "Q5_0", 7: "Q5_1", 10: "Q2_K", 11: "Q3_K", 13: "Q5_K", 16: "IQ2_XXS", 17: "IQ2_XS", 18: "IQ3_XXS",
	19: "IQ1_S", 20: "IQ4_NL", 21: "IQ3_S", 22: "IQ2_S", 23: "IQ4_XS", 29: "IQ1_M", 34: "TQ1_0", 35: "TQ2_0", 39: "MXFP4"}

func known() string {
	names := lists.Map(slices.Sorted(maps.Keys(kinds)), func(number uint32) string { return kinds[number].name })
	return strings.Join(names, ", ")
}

func half(raw []byte) float32 { return tensor.Float32FromFloat16(binary.LittleEndian.Uint16(raw)) }

// q40 is d·(q − 8), the first 16 values in the low halves of the bytes.
func q40(raw []byte, out []float32) {
	d := half(raw)
	for i, b := range raw[2:] {
		out[i], out[i+16] = d*float32(int(b&15)-8), d*float32(int(b>>4)-8)
	}
}

// q41 is d·q + m.
func q41(raw []byte, out []float32) {
	d, m := half(raw), half(raw[2:])
	for i, b := range raw[4:] {
		out[i], out[i+16] = float32(d*float32(b&15))+m, float32(d*float32(b>>4))+m // conversions keep products from being fused
	}
}

// q80 is d·q.
func q80(raw []byte, out []float32) {
	d := half(raw)
	for i, b := range raw[2:] {
		out[i] = d * float32(int8(b))
	}
}

// q4k is D·s·q − M·m in 8 groups of 32 values, with 6 bits each for s and m.
func q4k(raw []byte, out []float32) {
	d, m, scales, values := half(raw), half(raw[2:]), raw[4:16], raw[16:]
	for j := range 8 {
		var s, least byte
		if j < 4 {
			s, least = scales[j]&63, scales[j+4]&63
		} else {
			s, least = scales[j+4]&15|scales[j-4]>>6<<4, scales[j+4]>>4|scales[j]>>6<<4
		}
		scale, offset := d*float32(s), m*float32(least)
		for i, b := range values[j/2*32:][:32] {
			out[j*32+i] = float32(scale*float32(b>>(j%2*4)&15)) - offset
		}
	}
}

// q6k is D·s·(q − 32) in 16 groups of 16 values, with 4 bits of q in one place and 2 in another.
func q6k(raw []byte, out []float32) {
	low, high, scales, d := raw[:128], raw[128:192], raw[192:208], half(raw[208:])
	for i := range out {
		h, p, r := i/128, i%128/32, i%32
		q := int(low[64*h+32*(p%2)+r]>>(p/2*4)&15) | int(high[32*h+r]>>(2*p)&3)<<4
		out[i] = d * float32(int8(scales[i/16])) * float32(q-32)
	}
}
