package precision_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/interp"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/modelfile/precision"
)

// tied is a model of one layer: an embedding that is the output matrix too, a matrix that is
// also added up, a table that no token picks from, and a gate.
func tied(t *testing.T) (*graph.Graph, map[string]*tensor.Tensor) {
	t.Helper()
	b := graph.NewBuilder()
	ids := b.Input("input_ids", tensor.Int64, graph.Sym("seq"))
	places := b.Input("position_ids", tensor.Int64, graph.Sym("seq"))
	embed := b.Param("embed", tensor.Float32, 3, 4)
	x := b.Add(b.Gather(embed, ids, 0), b.Gather(b.Param("position", tensor.Float32, 5, 4), places, 0))
	b.In("layer", func() {
		w := b.Param("w", tensor.Float32, 4, 4)
		x = b.Mul(b.Gemm(x, w, false, true), b.ReduceSum(w, false, 0))
		x = b.Add(x, b.Gemm(x, b.Param("gate", tensor.Float32, 4, 4), false, true))
	})
	g, err := b.Build(graph.Output{Name: "logits", Node: b.Gemm(x, embed, false, true)})
	if err != nil {
		t.Fatal(err)
	}
	weights := map[string]*tensor.Tensor{}
	for i, p := range g.Params {
		rows, _ := p.Shape[0].Int()
		data := make([]float32, rows*4)
		for k := range data {
			data[k] = float32(math.Sin(float64(7*i + 3*k + 1)))
		}
		weights[p.Name] = tensor.Of(data, rows, 4)
	}
	return g, weights
}

func gates(name string) bool { return name == "gate" }

func convert(t *testing.T, dtype string) (*graph.Graph, map[string]*tensor.Tensor) {
	t.Helper()
	g, weights := tied(t)
	out, stored, err := precision.Convert(g, weights, dtype, gates)
	if err != nil {
		t.Fatal(err)
	}
	return out, stored
}

// Embedding and matrix are narrow, the table of positions and the gate are not; inputs,
// outputs and the paths of nodes stay.
func TestGraph(t *testing.T) {
	for dtype, want := range map[string]map[string]string{
		"float16":  {"embed": "float16[3,4]", "w": "float16[4,4]", "position": "float32[5,4]", "gate": "float32[4,4]"},
		"bfloat16": {"embed": "bfloat16[3,4]", "w": "bfloat16[4,4]", "position": "float32[5,4]", "gate": "float32[4,4]"},
		"int8": {"embed": "int8[3,4]", "embed.scale": "float32[3]", "w": "int8[4,4]", "w.scale": "float32[4]",
			"position": "float32[5,4]", "gate": "float32[4,4]"},
	} {
		g, stored := convert(t, dtype)
		got := map[string]string{}
		for _, p := range g.Params {
			got[p.Name] = p.Type()
			if w := stored[p.Name]; w == nil || w.String() != p.Type() {
				t.Errorf("%s: weight %s is %v, want %s", dtype, p.Name, w, p.Type())
			}
		}
		if diff := cmp.Diff(want, got); diff != "" || len(stored) != len(want) {
			t.Errorf("%s: %d weights stored, parameters (-want +got):\n%s", dtype, len(stored), diff)
		}
		if g.Output("logits").Type() != "float32[seq,3]" || len(g.Inputs) != 2 {
			t.Errorf("%s: %s", dtype, g)
		}
		gemms, inLayer := 0, 0
		for _, n := range g.Nodes {
			if n.Op == "Gemm" {
				gemms++
			}
			if strings.HasPrefix(n.Name, "/layer/") {
				inLayer++
			}
		}
		if gemms != 1 || inLayer < 6 {
			t.Errorf("%s: %d products in float32, want the gate's alone; %d nodes in the layer:\n%s", dtype, gemms, inLayer, g)
		}
	}
}

// A converted model answers nearly what the float32 one does, and each row what it does alone.
func TestAnswers(t *testing.T) {
	full, weights := tied(t)
	run := func(g *graph.Graph, w map[string]*tensor.Tensor, ids ...int64) []float32 {
		t.Helper()
		places := make([]int64, len(ids))
		feed := map[string]*tensor.Tensor{"input_ids": tensor.Of(ids, len(ids)), "position_ids": tensor.Of(places, len(ids))}
		out, err := interp.New(g, tensor.Float32).Run(context.Background(), feed, w)
		if err != nil {
			t.Fatal(err)
		}
		return tensor.Data[float32](out["logits"])
	}
	want := run(full, weights, 0, 1, 2)
	for dtype, bounds := range map[string][2]float64{"float16": {1e-4, 0.1}, "bfloat16": {1e-3, 0.8}, "int8": {1e-3, 0.5}} {
		g, stored := convert(t, dtype)
		got := run(g, stored, 0, 1, 2)
		worst := 0.0
		for i, v := range want {
			worst = max(worst, math.Abs(float64(v-got[i])))
		}
		if !(worst > bounds[0] && worst < bounds[1]) {
			t.Errorf("%s: logits differ by %g, want %g to %g", dtype, worst, bounds[0], bounds[1])
		}
		for i := range 3 {
			if alone := run(g, stored, int64(i)); !cmp.Equal(alone, got[3*i:3*i+3]) {
				t.Errorf("%s: token %d gives %v alone, and %v among others", dtype, i, alone, got[3*i:3*i+3])
			}
		}
	}
}

func TestWeights(t *testing.T) {
	g, weights := tied(t)
	for _, tc := range []struct {
		dtype, how string
		v          float32
		want       string
	}{
		{"float16", "beyond", 1e5, "1e+05, and float16 ends at 65504; leave it in float32"},
		{"float16", "lost in", 1e-9, "1e-09, and below 6.1e-05 float16 loses digits; leave it in float32"},
		{"bfloat16", "beyond", math.MaxFloat32, "3.4e+38, and bfloat16 ends at 3.3895e+38; leave it in float32"},
		{"bfloat16", "lost in", 1e-39, "1e-39, and below 1.2e-38 bfloat16 loses digits; leave it in float32"},
	} {
		bad := map[string]*tensor.Tensor{"embed": weights["embed"], "position": weights["position"], "gate": weights["gate"],
			"w": tensor.Of([]float32{tc.v, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 4, 4)}
		_, _, err := precision.Convert(g, bad, tc.dtype, nil)
		if err == nil || !strings.Contains(err.Error(), "precision: weight w: its largest number is "+tc.want) {
			t.Errorf("a weight %s %s: %v", tc.how, tc.dtype, err)
		}
	}
	weights["w"] = tensor.Of([]float32{1, -2, 0.5, 0.004, 0, 0, 0, 0, 64, -64, 1, 1.75, 3e-30, 0, 0, 0}, 4, 4)
	_, stored, err := precision.Convert(g, weights, "int8", nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []int8{32, -64, 16, 0, 0, 0, 0, 0, 64, -64, 1, 2, 64, 0, 0, 0}
	if diff := cmp.Diff(want, tensor.Data[int8](stored["w"])); diff != "" {
		t.Errorf("levels (-want +got):\n%s", diff)
	}
	if s := tensor.Data[float32](stored["w.scale"]); s[0] != float32(2)/64 || s[1] != 0 || s[2] != 1 {
		t.Errorf("scales %v", s)
	}
	delete(weights, "gate")
	if _, _, err := precision.Convert(g, weights, "int8", nil); err == nil || !strings.Contains(err.Error(), "no float32 weight gate") {
		t.Errorf("a weight that is missing: %v", err)
	}
}

func TestCheck(t *testing.T) {
	for _, dtype := range precision.Types {
		if err := precision.Check(dtype); err != nil {
			t.Error(err)
		}
	}
	for dtype, want := range map[string]string{
		"int4": `"int4" is no precision of files; known are float32, float16, int8, bfloat16`,
	} {
		if err := precision.Check(dtype); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", dtype, err, want)
		}
		if g, weights := tied(t); true {
			if _, _, err := precision.Convert(g, weights, dtype, nil); err == nil {
				t.Errorf("a graph became %s", dtype)
			}
		}
	}
}
