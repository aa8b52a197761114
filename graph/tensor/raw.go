package tensor

import (
	"encoding/binary"
	"fmt"
	"math"
)

// AppendRaw appends the elements to buf as safetensors files and ONNX's raw_data have
// them: little-endian, a bool as one byte.
func (t *Tensor) AppendRaw(buf []byte) []byte { return t.appendRaw(buf, 0, t.Len()) }

func (t *Tensor) appendRaw(buf []byte, at, end int) []byte {
	le := binary.LittleEndian
	switch d := t.data.(type) {
	case []float32:
		for _, v := range d[at:end] {
			buf = le.AppendUint32(buf, math.Float32bits(v))
		}
	case []float64:
		for _, v := range d[at:end] {
			buf = le.AppendUint64(buf, math.Float64bits(v))
		}
	case []uint16:
		for _, v := range d[at:end] {
			buf = le.AppendUint16(buf, v)
		}
	case []int64:
		for _, v := range d[at:end] {
			buf = le.AppendUint64(buf, uint64(v))
		}
	case []bool:
		for _, v := range d[at:end] {
			b := byte(0)
			if v {
				b = 1
			}
			buf = append(buf, b)
		}
	case []int8:
		for _, v := range d[at:end] {
			buf = append(buf, byte(v))
		}
	case []uint8:
		buf = append(buf, d[at:end]...)
	case []int32:
		for _, v := range d[at:end] {
			buf = le.AppendUint32(buf, uint32(v))
		}
	case []BFloat16Bits:
		for _, v := range d[at:end] {
			buf = le.AppendUint16(buf, uint16(v))
		}
	}
	return buf
}

// SetRaw sets the elements to those that AppendRaw made raw of. It fails when raw has
// not as many bytes as the tensor, and on a bool that is neither 0 nor 1.
func (t *Tensor) SetRaw(raw []byte) error {
	if len(raw) != t.size() {
		return fmt.Errorf("%d bytes for a tensor %v of %d", len(raw), t, t.size())
	}
	return t.setRaw(raw, 0, t.Len())
}

func (t *Tensor) setRaw(raw []byte, at, end int) error {
	le := binary.LittleEndian
	switch d := t.data.(type) {
	case []float32:
		for i := range d[at:end] {
			d[at+i] = math.Float32frombits(le.Uint32(raw[4*i:]))
		}
	case []float64:
		for i := range d[at:end] {
			d[at+i] = math.Float64frombits(le.Uint64(raw[8*i:]))
		}
	case []uint16:
		for i := range d[at:end] {
			d[at+i] = le.Uint16(raw[2*i:])
		}
	case []int64:
		for i := range d[at:end] {
			d[at+i] = int64(le.Uint64(raw[8*i:]))
		}
	case []bool:
		for i, b := range raw {
			if b > 1 {
				return fmt.Errorf("element %d is %d, which is no bool", at+i, b)
			}
			d[at+i] = b == 1
		}
	case []int8:
		for i, b := range raw {
			d[at+i] = int8(b)
		}
	case []uint8:
		copy(d[at:end], raw)
	case []int32:
		for i := range d[at:end] {
			d[at+i] = int32(le.Uint32(raw[4*i:]))
		}
	case []BFloat16Bits:
		for i := range d[at:end] {
			d[at+i] = BFloat16Bits(le.Uint16(raw[2*i:]))
		}
	}
	return nil
}
