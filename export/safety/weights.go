package safety

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/internal/onnxpb"
)

// weightsHash returns the SHA-256, in hex, of all initializers of a file's graph in
// the order of their names: of each the name, the number of its element type and
// its axes, then its elements, little-endian as raw_data has them, however they are
// stored. Numbers are hashed as 8 bytes, names and elements after their length.
//
// SHA-256 is cheap enough: with the processor's instructions for it, it takes about
// as long as CRC-64, four times as long as copying the data (BenchmarkCheck).
func weightsHash(g *onnxpb.GraphProto) string {
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
		data := onnxpb.RawData(t)
		number(len(data))
		h.Write(data)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// checkWeights compares the weights of a validated file with the hash in the file's card. Files of
// other programs, and old ones of ours, have none.
func checkWeights(m *onnxpb.ModelProto) error {
	stated := onnxpb.Metadata(m)[card.WeightsKey]
	if stated == "" {
		return nil
	}
	if is := weightsHash(m.Graph); is != stated {
		return fmt.Errorf("%w: they have the hash %s, and the card says %s (%s); export the file again, "+
			"or open it all the same with Options.Unvalidated (--allow unvalidated)",
			ErrDamaged, is, onnxpb.Quote(stated), card.WeightsKey)
	}
	return nil
}
