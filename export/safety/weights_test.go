package safety_test

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/internal/onnxpb"
	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/runtime"
	_ "github.com/nopezoo/zoo/runtime/native"
)

// One flipped mantissa bit is seen at opening, by every engine; whoever says so
// opens the file all the same. Old files, without a hash, open.
func TestDamagedWeights(t *testing.T) {
	orttest.Require(t)
	_, good := built(t, "rope")
	m := parse(t, good)
	at := slices.IndexFunc(m.Graph.Initializer, func(w *onnxpb.TensorProto) bool { return w.Name == "embed.weight" })
	m.Graph.Initializer[at].RawData[40] ^= 1
	damaged := marshal(t, m)
	m.MetadataProps = slices.DeleteFunc(m.MetadataProps,
		func(p *onnxpb.StringStringEntryProto) bool { return p.Key == card.WeightsKey })
	old := marshal(t, m)
	for _, provider := range []string{"cpu", "go"} {
		s, err := runtime.OpenBytes(damaged, runtime.Options{Provider: provider})
		if !errors.Is(err, safety.ErrDamaged) || !strings.Contains(err.Error(), "export the file again") {
			t.Errorf("%s: error %v, want %v and the remedy", provider, err, safety.ErrDamaged)
			if err == nil {
				s.Close()
			}
		}
		for name, data := range map[string][]byte{
			"damaged, unvalidated": damaged, "without a hash": old, "good": good,
		} {
			s, err := runtime.OpenBytes(data,
				runtime.Options{Provider: provider, Unvalidated: name == "damaged, unvalidated"})
			if err != nil {
				t.Errorf("%s, %s: %v", provider, name, err)
				continue
			}
			if has := s.Info().Card.WeightsSHA256 != ""; has == (name == "without a hash") {
				t.Errorf("%s, %s: the card has a hash: %v", provider, name, has)
			}
			s.Close()
		}
	}
}

// The hash is of what is meant, in any order and form of storage.
func TestWeightsHash(t *testing.T) {
	raw := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, math.Float32bits(1)),
		math.Float32bits(2))
	a := &onnxpb.TensorProto{Name: "a", DataType: 1, Dims: []int64{2}, RawData: raw}
	b := &onnxpb.TensorProto{Name: "b", DataType: 7, RawData: []byte{5, 0, 0, 0, 0, 0, 0, 0}}
	hash := func(list ...*onnxpb.TensorProto) string { return safety.WeightsHash(&graphProto{Initializer: list}) }
	want := hash(a, b)
	typed := hash(&onnxpb.TensorProto{Name: "b", DataType: 7, Int64Data: []int64{5}},
		&onnxpb.TensorProto{Name: "a", DataType: 1, Dims: []int64{2}, FloatData: []float32{1, 2}})
	if typed != want {
		t.Errorf("stored otherwise it is %s, want %s", typed, want)
	}
	for name, other := range map[string]*onnxpb.TensorProto{
		"name":     {Name: "c", DataType: 1, Dims: []int64{2}, RawData: raw},
		"type":     {Name: "a", DataType: 6, Dims: []int64{2}, RawData: raw},
		"shape":    {Name: "a", DataType: 1, Dims: []int64{2, 1}, RawData: raw},
		"elements": {Name: "a", DataType: 1, Dims: []int64{2}, RawData: append(raw[:7:7], raw[7]^1)},
	} {
		if hash(other, b) == want {
			t.Errorf("another %s gives the same hash", name)
		}
	}
}

// Each element type that is stored as int32_data or uint64_data hashes as its bytes.
func TestWeightsHashTyped(t *testing.T) {
	for _, tc := range []struct{ typed, raw *onnxpb.TensorProto }{
		{&onnxpb.TensorProto{DataType: 9, Dims: []int64{2}, Int32Data: []int32{1, 0}},
			&onnxpb.TensorProto{DataType: 9, Dims: []int64{2}, RawData: []byte{1, 0}}},
		{&onnxpb.TensorProto{DataType: 10, Int32Data: []int32{0x3c01}},
			&onnxpb.TensorProto{DataType: 10, RawData: []byte{1, 0x3c}}},
		{&onnxpb.TensorProto{DataType: 6, Int32Data: []int32{-2}},
			&onnxpb.TensorProto{DataType: 6, RawData: []byte{0xfe, 0xff, 0xff, 0xff}}},
		{&onnxpb.TensorProto{DataType: 22, Dims: []int64{3}, Int32Data: []int32{0x21, 3}},
			&onnxpb.TensorProto{DataType: 22, Dims: []int64{3}, RawData: []byte{0x21, 3}}},
		{&onnxpb.TensorProto{DataType: 12, Uint64Data: []uint64{7}},
			&onnxpb.TensorProto{DataType: 12, RawData: []byte{7, 0, 0, 0}}},
		{&onnxpb.TensorProto{DataType: 13, Uint64Data: []uint64{7}},
			&onnxpb.TensorProto{DataType: 13, RawData: []byte{7, 0, 0, 0, 0, 0, 0, 0}}},
		{&onnxpb.TensorProto{DataType: 11, DoubleData: []float64{2}},
			&onnxpb.TensorProto{DataType: 11, RawData: []byte{0, 0, 0, 0, 0, 0, 0, 64}}},
	} {
		var hashes [2]string
		for i, w := range []*onnxpb.TensorProto{tc.typed, tc.raw} {
			w.Name = "w"
			m := plain()
			m.Graph.Initializer = []*onnxpb.TensorProto{w}
			if _, err := safety.Check(marshal(t, m), safety.Options{}); err != nil {
				t.Error(err)
			}
			hashes[i] = safety.WeightsHash(m.Graph)
		}
		if hashes[0] != hashes[1] {
			t.Errorf("type %d: stored as values and as bytes it has different hashes", tc.raw.DataType)
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	m := plain()
	m.Graph.Initializer = append(m.Graph.Initializer,
		&onnxpb.TensorProto{Name: "big", DataType: 1, Dims: []int64{25e6}, RawData: make([]byte, 100e6)})
	data := marshal(b, m)
	hash := safety.WeightsHash(m.Graph)
	m.MetadataProps = []*onnxpb.StringStringEntryProto{{Key: card.WeightsKey, Value: hash}}
	hashed := marshal(b, m)
	for name, data := range map[string][]byte{"without a hash": data, "with a hash": hashed} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if _, err := safety.Check(data, safety.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
