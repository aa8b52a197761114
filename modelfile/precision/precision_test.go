package precision_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/interp"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/modelfile/precision"
)

const width = 32

// tied is a model of one layer: an embedding that is the output matrix too, a matrix, one that is
// also added up, a table that no token picks from, and a gate.
func tied(t *testing.T) (*graph.Graph, map[string]*tensor.Tensor) {
	t.Helper()
	b := graph.NewBuilder()
	ids := b.Input("input_ids", tensor.Int64, graph.Sym("seq"))
	places := b.Input("position_ids", tensor.Int64, graph.Sym("seq"))
	embed := b.Param("embed", tensor.Float32, 3, width)
	x := b.Add(b.Gather(embed, ids, 0), b.Gather(b.Param("position", tensor.Float32, 5, width), places, 0))
	b.In("layer", func() {
		w := b.Param("w", tensor.Float32, width, width)
		x = b.Mul(b.Gemm(x, w, false, true), b.ReduceSum(w, false, 0))
		x = b.Gemm(x, b.Param("up", tensor.Float32, width, width), false, true)
		x = b.Add(x, b.Gemm(x, b.Param("gate", tensor.Float32, width, width), false, true))
	})
	g, err := b.Build(graph.Output{Name: "logits", Node: b.Gemm(x, embed, false, true)})
	if err != nil {
		t.Fatal(err)
	}
	weights := map[string]*tensor.Tensor{}
	for i, p := range g.Params {
		rows, _ := p.Shape[0].Int()
		data := make([]float32, rows*width)
		for k := range data {
			data[k] = float32(math.Sin(float64(7*i+3*k+1))) / 4
		}
		weights[p.Name] = tensor.Of(data, rows, width)
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
		card.Float16:  {"embed": "float16[3,32]", "up": "float16[32,32]"},
		card.BFloat16: {"embed": "bfloat16[3,32]", "up": "bfloat16[32,32]"},
		card.Int8Block: {"embed": "int8[32,3]", "embed.scale": "float32[1,3]", "embed.rows": "int8[3,32]",
			"embed.rows.scale": "float32[3,1]", "up": "int8[32,32]", "up.scale": "float32[1,32]"},
		card.Int4Block: {"embed": "int4[32,3]", "embed.scale": "float32[1,3]", "embed.rows": "int8[3,32]",
			"embed.rows.scale": "float32[3,1]", "up": "int4[32,32]", "up.scale": "float32[1,32]"},
	} {
		want["position"], want["w"], want["gate"] = "float32[5,32]", "float32[32,32]", "float32[32,32]"
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
		if gemms != 2 || inLayer < 6 {
			t.Errorf("%s: %d products in float32, want the gate's and that of what is added up; %d nodes in the layer:\n%s", dtype, gemms, inLayer, g)
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
	for dtype, bounds := range map[string][2]float64{card.Float16: {1e-6, 1e-3}, card.BFloat16: {1e-5, 1e-2},
		card.Int8Block: {1e-5, 1e-2}, card.Int4Block: {1e-4, 0.1}} {
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

// only is a matrix of one number and zeros.
func only(v float32) *tensor.Tensor {
	w := tensor.New(tensor.Float32, width, width)
	tensor.Data[float32](w)[0] = v
	return w
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
			"w": weights["w"], "up": only(tc.v)}
		_, _, err := precision.Convert(g, bad, tc.dtype, nil)
		if err == nil || !strings.Contains(err.Error(), "precision: weight up: its largest number is "+tc.want) {
			t.Errorf("a weight %s %s: %v", tc.how, tc.dtype, err)
		}
	}
	delete(weights, "gate")
	if _, _, err := precision.Convert(g, weights, card.Int8Block, nil); err == nil || !strings.Contains(err.Error(), "no float32 weight gate") {
		t.Errorf("a weight that is missing: %v", err)
	}
}

func TestParse(t *testing.T) {
	for _, name := range append([]string{card.Int8Block, card.Int4Block}, precision.Types...) {
		dtype, err := precision.Parse(name)
		if again, _ := precision.Parse(dtype); err != nil || again != dtype {
			t.Errorf("%s is %s, which is %s, %v", name, dtype, again, err)
		}
	}
	if dtype, _ := precision.Parse("int4"); dtype != card.Int4Block {
		t.Errorf("int4 is %s", dtype)
	}
	for _, name := range []string{"int5", card.Int8 + "s", ""} {
		want := `"` + name + `" is no precision of files; known are float32, float16, bfloat16, int8, int4`
		if _, err := precision.Parse(name); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
		if g, weights := tied(t); true {
			if _, _, err := precision.Convert(g, weights, name, nil); err == nil {
				t.Errorf("a graph became %s", name)
			}
		}
	}
}

// A model is refused of which no matrix would be narrow, and in four bits one whose matrices have eight already.
func TestNothingNarrow(t *testing.T) {
	all := func(string) bool { return true }
	g, weights := tied(t)
	for _, dtype := range []string{card.Float16, card.Int8Block, card.Int4Block} {
		if _, _, err := precision.Convert(g, weights, dtype, all); err == nil || !strings.Contains(err.Error(), "none of its matrices can be so") {
			t.Errorf("%s: %v", dtype, err)
		}
	}
	_, eight, err := precision.Convert(g, weights, card.Int8Block, gates)
	if err != nil {
		t.Fatal(err)
	}
	for name, rows := range map[string]int{"up": width, "embed": 3} {
		values := tensor.Data[int8](eight[name].As(tensor.Int8))
		scale := tensor.Data[float32](eight[name+".scale"].As(tensor.Float16).As(tensor.Float32)) // as GGUF has them
		w := tensor.Data[float32](weights[name])
		for k := range width {
			for r := range rows {
				w[r*width+k] = float32(values[k*rows+r]) * scale[r]
			}
		}
	}
	if _, _, err := precision.Convert(g, weights, card.Int4Block, gates); err == nil || !strings.Contains(err.Error(), "take int8") {
		t.Errorf("eight bits in four: %v", err)
	}
	_, again, err := precision.Convert(g, weights, card.Int8Block, gates)
	if err != nil || !tensor.Equal(again["up"], eight["up"]) || !tensor.Equal(again["embed"], eight["embed"]) {
		t.Errorf("eight bits again: other values, %v", err)
	}
}
