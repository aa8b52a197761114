package safety

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"slices"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/internal/onnxpb"
)

// WeightsHash returns the SHA-256, in hex, of all initializers of a file's graph in
// the order of their names: of each the name, the number of its element type and
// its axes, then its elements, little-endian as raw_data has them, however they are
// stored. Numbers are hashed as 8 bytes, names and elements after their length.
//
// SHA-256 is cheap enough: with the processor's instructions for it, it takes about
// as long as CRC-64, four times as long as copying the data (BenchmarkCheck).
func WeightsHash(g *onnxpb.GraphProto) string {
	h := sha256.New()
	number := func(n int) {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], uint64(n))
		h.Write(b[:])
	}
	list := slices.Clone(g.Initializer)
	slices.SortFunc(list, func(a, b *onnxpb.TensorProto) int { return cmp.Compare(a.Name, b.Name) })
	for _, t := range list {
		number(len(t.Name))
		h.Write([]byte(t.Name))
		number(int(t.DataType))
		number(len(t.Dims))
		for _, d := range t.Dims {
			number(int(d))
		}
		data := RawData(t)
		number(len(data))
		h.Write(data)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// RawData returns the elements of a stored tensor as raw_data would have them,
// little-endian, however they are stored.
func RawData(t *onnxpb.TensorProto) []byte {
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
		raw = le.AppendUint64(raw, v)[:len(raw)+bits(t.DataType)/8]
	}
	for _, v := range t.Int32Data {
		raw = le.AppendUint32(raw, uint32(v))[:len(raw)+max(bits(t.DataType)/8, 1)]
	}
	for _, s := range t.StringData {
		raw = append(le.AppendUint64(raw, uint64(len(s))), s...)
	}
	return raw
}

// CheckWeights compares the weights of a validated file with the hash in the file's card. Files of
// other programs, and old ones of ours, have none.
func CheckWeights(m *onnxpb.ModelProto) error {
	stated := Metadata(m)[card.WeightsKey]
	if stated == "" {
		return nil
	}
	if is := WeightsHash(m.Graph); is != stated {
		return fmt.Errorf("%w: they have the hash %s, and the card says %s (%s); export the file again, "+
			"or open it all the same with Options.Unvalidated (--allow unvalidated)",
			ErrDamaged, is, Quote(stated), card.WeightsKey)
	}
	return nil
}
