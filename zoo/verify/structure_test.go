package verify

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/export"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/onnxpb"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/models/pe"
)

// small is a model's graph with random weights.
func small(t *testing.T, encoding string, fused bool) (*graph.Graph, []card.State, map[string]*tensor.Tensor) {
	t.Helper()
	cfg := models.Config{Encoding: encoding, DModel: 32, NLayers: 2, NHeads: 4, DFF: 48, VocabSize: 30}
	if encoding == "cwrnn" {
		cfg = models.Config{Encoding: encoding, DModel: 8, NUnits: 24, NModules: 4, VocabSize: 30}
	}
	m, err := models.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	g, states, err := m.Graph(models.Mode{Fused: fused})
	if err != nil {
		t.Fatal(err)
	}
	return g, states, models.InitWeights(m.Params(), 1)
}

func written(t *testing.T, g *graph.Graph, weights map[string]*tensor.Tensor) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := export.Write(&b, g, weights, export.Options{}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestStructure: onnx-go reads of every encoding, in both profiles, what was meant.
func TestStructure(t *testing.T) {
	for _, row := range pe.Table() {
		for _, fused := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/fused=%v", row.Name, fused), func(t *testing.T) {
				g, _, weights := small(t, row.Name, fused)
				if err := structure(written(t, g, weights), nil, g, weights); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestStructureOfAnswers: the model's graph is compared before the Loop and within it.
func TestStructureOfAnswers(t *testing.T) {
	for _, encoding := range []string{"rope", "abacus", "swa", "deltanet/nope", "lstm"} {
		m := of(t, models.Config{Encoding: encoding, DModel: 16, NLayers: 2, NHeads: 2, DFF: 32, VocabSize: 30}, 1)
		m.Card.Tokenizer = words
		for _, profile := range []string{card.Portable, card.Fused} {
			m.Looped = true
			file, err := m.ONNX(profile)
			if err != nil {
				t.Fatal(err)
			}
			d, err := m.Describe(profile)
			if err != nil {
				t.Fatal(err)
			}
			g := d.Graph
			if err := structure(file, nil, g, m.Weights); err != nil {
				t.Errorf("%s, %s: %v", encoding, profile, err)
			}
			for place, nodes := range map[string]func(g *onnxpb.GraphProto) []*onnxpb.NodeProto{
				"prompt/": func(g *onnxpb.GraphProto) []*onnxpb.NodeProto { return g.Node },
				"turn/": func(g *onnxpb.GraphProto) []*onnxpb.NodeProto {
					i := slices.IndexFunc(g.Node, func(n *onnxpb.NodeProto) bool { return n.OpType == "Loop" })
					return g.Node[i].Attribute[0].G.Node
				},
			} {
				found := false
				changed := change(t, file, func(g *onnxpb.GraphProto) {
					for _, n := range nodes(g) {
						if n.OpType == "Add" && strings.HasPrefix(n.Name, place) {
							n.OpType, found = "Sub", true
							return
						}
					}
				})
				if err := structure(changed, nil, g, m.Weights); found &&
					(err == nil || !strings.Contains(err.Error(), `is "Sub" of 2 inputs, expected Add of 2`)) {
					t.Errorf("%s, %s: another operator in %s: %v", encoding, profile, place, err)
				}
				if !found && place == "turn/" {
					t.Errorf("%s, %s: nothing in %s", encoding, profile, place)
				}
			}
		}
	}
}

// TestStructureOfLeaves: bool and empty constants, and an output that is an input.
func TestStructureOfLeaves(t *testing.T) {
	b := graph.NewBuilder()
	x := b.Input("x", tensor.Float32, graph.Sym("n"), graph.N(2))
	mask := b.Const(tensor.Of([]bool{true, false}, 1, 2))
	none := b.Const(tensor.New(tensor.Float32, 0, 2))
	y := b.Concat(0, b.Where(mask, x, b.Neg(x)), none)
	g, err := b.Build(graph.Output{Name: "y", Node: y}, graph.Output{Name: "again", Node: x},
		graph.Output{Name: "z", Node: y})
	if err != nil {
		t.Fatal(err)
	}
	if err := structure(written(t, g, nil), nil, g, nil); err != nil {
		t.Error(err)
	}
}

// change alters a file's graph.
func change(t *testing.T, file []byte, f func(g *onnxpb.GraphProto)) []byte {
	t.Helper()
	m := &onnxpb.ModelProto{}
	if err := onnxpb.Unmarshal(file, m, true); err != nil {
		t.Fatal(err)
	}
	f(m.Graph)
	data, err := onnxpb.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestStructureFinds: a difference in anything is found.
func TestStructureFinds(t *testing.T) {
	g, _, weights := small(t, "rope", false)
	file := written(t, g, weights)
	first := func(g *onnxpb.GraphProto, op string) *onnxpb.NodeProto {
		for _, n := range g.Node {
			if n.OpType == op {
				return n
			}
		}
		t.Fatalf("the graph has no %s", op)
		return nil
	}
	for name, tt := range map[string]struct {
		change func(g *onnxpb.GraphProto)
		want   string
	}{
		"operator": {func(g *onnxpb.GraphProto) { first(g, "MatMul").OpType = "Add" }, "expected MatMul of 2"},
		"attribute": {func(g *onnxpb.GraphProto) { first(g, "Transpose").Attribute[0].Ints[0] = 3 },
			"attribute perm is [3"},
		"edge": {func(g *onnxpb.GraphProto) {
			n := first(g, "MatMul")
			n.Input[0], n.Input[1] = n.Input[1], n.Input[0]
		}, "verify: structure: as onnx-go reads the file, "},
		"weight": {func(g *onnxpb.GraphProto) {
			for _, p := range g.Initializer {
				if p.Name == "embed.weight" {
					p.RawData[5] ^= 1
				}
			}
		}, "embed.weight is float32"},
		"constant": {func(g *onnxpb.GraphProto) {
			for _, p := range g.Initializer {
				if strings.HasPrefix(p.Name, "const.") {
					p.RawData[0] ^= 1
				}
			}
		}, "const."},
		"input's type": {func(g *onnxpb.GraphProto) { g.Input[0].Type.TensorType.ElemType = 1 },
			"input_ids is declared as float32"},
		"input's axis": {func(g *onnxpb.GraphProto) { axis(g.Input[0], 0, 7) }, "input_ids is declared as int64 (7)"},
		"output's axis": {func(g *onnxpb.GraphProto) { axis(g.Output[0], 2, 31) },
			"output logits is declared as float32 (31)"},
		"output's name": {func(g *onnxpb.GraphProto) { g.Output = g.Output[:1] }, "the outputs are [logits], expected"},
		"a node more": {func(g *onnxpb.GraphProto) {
			g.Node = append(g.Node,
				&onnxpb.NodeProto{OpType: "Neg", Input: []string{"logits"}, Output: []string{"more"}})
		}, "more stands for nothing"},
		"a node less": {func(g *onnxpb.GraphProto) { g.Node = g.Node[1:] }, "verify: structure: "},
		"a large weight's axes": {func(g *onnxpb.GraphProto) { g.Initializer[0].Dims = []int64{math.MaxInt32} },
			"embed.weight has 3840 bytes and the axes [2147483647], which are not those of"},
		"what it panics": {func(g *onnxpb.GraphProto) {
			for _, p := range g.Initializer {
				if p.Name == "norm.weight" {
					p.Dims = []int64{math.MaxInt32}
				}
			}
		}, "onnx-go cannot decode the model"},
	} {
		t.Run(name, func(t *testing.T) {
			if err := structure(change(t, file, tt.change), nil, g, weights); err == nil ||
				!strings.Contains(err.Error(), tt.want) {
				t.Errorf("error is %v, want it to contain %q", err, tt.want)
			}
		})
	}
}

// TestStructureFindsInPieces: of a weight that is read by pieces the first and the last number are compared, too.
func TestStructureFindsInPieces(t *testing.T) {
	b := graph.NewBuilder()
	x := b.Input("x", tensor.Float32, graph.Sym("n"), graph.N(1100))
	g, err := b.Build(graph.Output{Name: "y", Node: b.MatMul(x, b.Param("w", tensor.Float32, 1100, 4000))})
	if err != nil {
		t.Fatal(err)
	}
	weights := map[string]*tensor.Tensor{"w": tensor.New(tensor.Float32, 1100, 4000)}
	file := written(t, g, weights)
	if n := weights["w"].Len(); n < pieceSize || n%pieceSize == 0 {
		t.Fatalf("%d elements are no piece and a part of one", n)
	}
	if err := structure(file, nil, g, weights); err != nil {
		t.Error(err)
	}
	for _, at := range []int{0, pieceSize, weights["w"].Len() - 1} {
		changed := change(t, file, func(g *onnxpb.GraphProto) { g.Initializer[0].RawData[4*at] ^= 1 })
		if err := structure(changed, nil, g, weights); err == nil || !strings.Contains(err.Error(), "as onnx-go reads the file, w is float32") {
			t.Errorf("element %d: %v", at, err)
		}
	}
}

// axis gives a value a fixed axis.
func axis(v *onnxpb.ValueInfoProto, at int, length int64) {
	v.Type.TensorType.Shape.Dim[at] = &onnxpb.Dimension{DimValue: new(length)}
}
