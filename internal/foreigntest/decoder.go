// Package foreigntest writes ONNX files as other exporters do, for tests.
package foreigntest

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/internal/onnxpb"
)

// Decoder is a small decoder in plain operators, written with the schema's types alone: a stand-in
// for what other exporters write. Its twin is Next.
type Decoder struct {
	KVHeads int // heads of keys and values, which those of queries share; 0 for as many

	layers, heads, width, vocab, most int

	NoPositions, NoMask bool   // inputs that it does not have
	Int32, Float16      bool   // element types of integers, and of caches and logits
	Keep                string // name of the input of how many logits to keep, "" for none
	Transposed          bool   // caches of keys are [batch, heads, width, past]
	OpenHeads           bool   // heads and width have names in the caches
	OpenVocab           bool   // so has the vocabulary in the logits
	Past, Present       string // patterns of the caches' names
	Extra               string // one more input, which nothing reads

	weights map[string]*tensor.Tensor
}

// Filled returns the decoder with sizes and random weights.
func (d Decoder) Filled(seed uint64) *Decoder {
	d.layers, d.heads, d.width, d.vocab, d.most = 2, 4, 3, 23, 40
	d.KVHeads = cmp.Or(d.KVHeads, d.heads)
	if d.Past == "" {
		d.Past, d.Present = "past_key_values.%d.%s", "present.%d.%s"
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	d.weights = map[string]*tensor.Tensor{}
	add := func(name string, shape ...int) {
		w := tensor.New(tensor.Float32, shape...)
		for i := range w.Len() {
			tensor.Data[float32](w)[i] = float32(rng.NormFloat64()) * 0.5
		}
		d.weights[name] = w
	}
	model := d.heads * d.width
	add("tokens", d.vocab, model)
	add("positions", d.most, model)
	add("logits_weight", model, d.vocab)
	for l := range d.layers {
		add(fmt.Sprint("q", l), model, model)
		add(fmt.Sprint("k", l), model, d.KVHeads*d.width)
		add(fmt.Sprint("v", l), model, d.KVHeads*d.width)
		add(fmt.Sprint("o", l), model, model)
	}
	return &d
}

// maker makes a graph.
type maker struct{ g *onnxpb.GraphProto }

func (m maker) op(kind string, inputs []string, attrs ...*onnxpb.AttributeProto) string {
	out := fmt.Sprintf("t%d", len(m.g.Node))
	m.g.Node = append(m.g.Node, &onnxpb.NodeProto{Name: "n" + out, OpType: kind, Input: inputs, Output: []string{out}, Attribute: attrs})
	return out
}

func (m maker) ints(values ...int64) string {
	name := fmt.Sprintf("c%d", len(m.g.Initializer))
	m.g.Initializer = append(m.g.Initializer, &onnxpb.TensorProto{Name: name, DataType: 7, Dims: []int64{int64(len(values))}, Int64Data: values})
	return name
}

// one is a number without axes.
func (m maker) one(v int64) string {
	name := m.ints(v)
	m.g.Initializer[len(m.g.Initializer)-1].Dims = nil
	return name
}

func (m maker) float(v float32) string {
	name := fmt.Sprintf("c%d", len(m.g.Initializer))
	m.g.Initializer = append(m.g.Initializer, &onnxpb.TensorProto{Name: name, DataType: 1, FloatData: []float32{v}})
	return name
}

func in(names ...string) []string { return names }

func number(name string, v int64) *onnxpb.AttributeProto {
	return &onnxpb.AttributeProto{Name: name, Type: onnxpb.AttributeInt, I: &v}
}

func numbers(name string, v ...int64) *onnxpb.AttributeProto {
	return &onnxpb.AttributeProto{Name: name, Type: onnxpb.AttributeInts, Ints: v}
}

// Proto writes the decoder as an ONNX model.
func (d *Decoder) Proto() *onnxpb.ModelProto {
	m := maker{&onnxpb.GraphProto{Name: "decoder"}}
	integer, real := int32(7), int32(1)
	if d.Int32 {
		integer = 6
	}
	if d.Float16 {
		real = 10
	}
	input := func(name string, dtype int32, axes ...string) {
		m.g.Input = append(m.g.Input, onnxpb.NewValueInfo(name, dtype, axes...))
	}
	wide := func(name string) string { return m.op("Cast", in(name), number("to", 7)) }
	for name, w := range d.weights {
		data := make([]byte, 0, 4*w.Len())
		for _, v := range tensor.Data[float32](w) {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
		}
		dims := lists.Map(w.Shape(), func(n int) int64 { return int64(n) })
		m.g.Initializer = append(m.g.Initializer, &onnxpb.TensorProto{Name: name, DataType: 1, Dims: dims, RawData: data})
	}
	input("input_ids", integer, "B", "sequence_length")
	if !d.NoMask {
		input("attention_mask", integer, "B", "total_sequence_length")
	}
	if !d.NoPositions {
		input("position_ids", integer, "B", "sequence_length")
	}
	if d.Keep != "" {
		input(d.Keep, 7)
	}
	if d.Extra != "" {
		input(d.Extra, 1, "B", "4")
	}
	heads, width := strconv.Itoa(d.KVHeads), strconv.Itoa(d.width)
	if d.OpenHeads {
		heads, width = "heads", "head_dim"
	}
	cache := func(pattern string, l int, kind, slots string) *onnxpb.ValueInfoProto {
		name := fmt.Sprintf(pattern, l, kind)
		if d.Transposed && kind == "key" {
			return onnxpb.NewValueInfo(name, real, "B", heads, width, slots)
		}
		return onnxpb.NewValueInfo(name, real, "B", heads, slots, width)
	}
	for l := range d.layers {
		m.g.Input = append(m.g.Input, cache(d.Past, l, "key", "past_sequence_length"), cache(d.Past, l, "value", "past_sequence_length"))
	}

	seq := m.op("Gather", in(m.op("Shape", in("input_ids")), m.one(1)))
	past := m.op("Gather", in(m.op("Shape", in(fmt.Sprintf(d.Past, 0, "value"))), m.one(2)))
	all := m.op("Add", in(past, seq))
	columns := m.op("Range", in(m.one(0), all, m.one(1)))
	rows := m.op("Range", in(past, all, m.one(1)))
	seen := m.op("Not", in(m.op("Greater", in(m.op("Unsqueeze", in(columns, m.ints(0))), m.op("Unsqueeze", in(rows, m.ints(1)))))))
	if !d.NoMask {
		mask := m.op("Cast", in("attention_mask"), number("to", 9))
		seen = m.op("And", in(seen, m.op("Unsqueeze", in(mask, m.ints(1, 2)))))
	}
	at := m.op("Unsqueeze", in(rows, m.ints(0)))
	if !d.NoPositions {
		at = wide("position_ids")
	}
	x := m.op("Add", in(m.op("Gather", in("tokens", wide("input_ids"))), m.op("Gather", in("positions", at))))
	for l := range d.layers {
		x = d.layer(m, l, x, seen, real)
		m.g.Output = append(m.g.Output, cache(d.Present, l, "key", "total"), cache(d.Present, l, "value", "total"))
	}
	if d.Keep != "" { // as a slice from −n on
		from := m.op("Unsqueeze", in(m.op("Neg", in(d.Keep)), m.ints(0)))
		x = m.op("Slice", in(x, from, m.ints(math.MaxInt64), m.ints(1)))
	}
	logits := m.op("Cast", in(m.op("MatMul", in(x, "logits_weight"))), number("to", int64(real)))
	m.op("Identity", in(logits))
	m.g.Node[len(m.g.Node)-1].Output[0] = "logits"
	vocab := strconv.Itoa(d.vocab)
	if d.OpenVocab {
		vocab = "vocab"
	}
	m.g.Output = append([]*onnxpb.ValueInfoProto{onnxpb.NewValueInfo("logits", real, "B", "some", vocab)}, m.g.Output...)
	return &onnxpb.ModelProto{IrVersion: 8, ProducerName: "by hand", Graph: m.g,
		OpsetImport: []*onnxpb.OperatorSetIdProto{{Version: 17}}}
}

func (d *Decoder) layer(m maker, l int, x, seen string, real int32) string {
	split := func(w string, heads int) string {
		y := m.op("MatMul", in(x, fmt.Sprint(w, l)))
		y = m.op("Reshape", in(y, m.ints(0, 0, int64(heads), int64(d.width))))
		return m.op("Transpose", in(y), numbers("perm", 0, 2, 1, 3))
	}
	swap := func(y string) string { return m.op("Transpose", in(y), numbers("perm", 0, 1, 3, 2)) }
	join := func(kind, y string) string {
		axis := int64(2)
		if kind == "key" && d.Transposed {
			y, axis = swap(y), 3
		}
		y = m.op("Cast", in(y), number("to", int64(real)))
		name := fmt.Sprintf(d.Present, l, kind)
		m.op("Concat", in(fmt.Sprintf(d.Past, l, kind), y), number("axis", axis))
		m.g.Node[len(m.g.Node)-1].Output[0] = name
		y = m.op("Cast", in(name), number("to", 1))
		if kind == "key" && d.Transposed {
			y = swap(y)
		}
		if d.KVHeads == d.heads {
			return y
		}
		each := int64(d.heads / d.KVHeads) // query heads that share one
		slots := m.op("Slice", in(m.op("Shape", in(y)), m.ints(2), m.ints(3)))
		batch := m.op("Slice", in(m.op("Shape", in(y)), m.ints(0), m.ints(1)))
		to := m.op("Concat", in(batch, m.ints(int64(d.KVHeads), each), slots, m.ints(int64(d.width))), number("axis", 0))
		y = m.op("Expand", in(m.op("Unsqueeze", in(y, m.ints(2))), to))
		to = m.op("Concat", in(batch, m.ints(int64(d.heads)), slots, m.ints(int64(d.width))), number("axis", 0))
		return m.op("Reshape", in(y, to))
	}
	q, k, v := split("q", d.heads), join("key", split("k", d.KVHeads)), join("value", split("v", d.KVHeads))
	scores := m.op("Div", in(m.op("MatMul", in(q, swap(k))), m.float(float32(math.Sqrt(float64(d.width))))))
	weights := m.op("Softmax", in(m.op("Where", in(seen, scores, m.float(-1e9)))), number("axis", -1))
	y := m.op("Transpose", in(m.op("MatMul", in(weights, v))), numbers("perm", 0, 2, 1, 3))
	y = m.op("Reshape", in(y, m.ints(0, 0, int64(d.heads*d.width))))
	return m.op("Add", in(x, m.op("MatMul", in(y, fmt.Sprint("o", l)))))
}

// File is the decoder as a file.
func (d *Decoder) File(t testing.TB) []byte {
	t.Helper()
	data, err := onnxpb.Marshal(d.Proto())
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Next computes in float64, for one row and without any cache, the logits after each token.
func (d *Decoder) Next(ids []int64) [][]float64 {
	x := make([][]float64, len(ids))
	for i, id := range ids {
		for c := range d.heads * d.width {
			x[i] = append(x[i], d.at("tokens", int(id), c)+d.at("positions", i, c))
		}
	}
	for l := range d.layers {
		q, k, v := d.times(x, fmt.Sprint("q", l)), d.times(x, fmt.Sprint("k", l)), d.times(x, fmt.Sprint("v", l))
		y := make([][]float64, len(ids))
		for i := range ids {
			y[i] = make([]float64, d.heads*d.width)
			for h := range d.heads {
				shared := h * d.KVHeads / d.heads
				var weights []float64
				sum := 0.0
				for j := range i + 1 {
					dot := 0.0
					for c := range d.width {
						dot += q[i][h*d.width+c] * k[j][shared*d.width+c]
					}
					weights = append(weights, math.Exp(dot/math.Sqrt(float64(d.width))))
					sum += weights[j]
				}
				for j, w := range weights {
					for c := range d.width {
						y[i][h*d.width+c] += w / sum * v[j][shared*d.width+c]
					}
				}
			}
		}
		for i, row := range d.times(y, fmt.Sprint("o", l)) {
			for c := range row {
				x[i][c] += row[c]
			}
		}
	}
	return d.times(x, "logits_weight")
}

func (d *Decoder) at(name string, i, j int) float64 {
	w := d.weights[name]
	return float64(tensor.Data[float32](w)[i*w.Shape()[1]+j])
}

func (d *Decoder) times(x [][]float64, name string) [][]float64 {
	out := make([][]float64, len(x))
	for i, row := range x {
		out[i] = make([]float64, d.weights[name].Shape()[1])
		for j := range out[i] {
			for c, v := range row {
				out[i][j] += v * d.at(name, c, j)
			}
		}
	}
	return out
}
