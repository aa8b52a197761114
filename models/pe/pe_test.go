package pe_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/interp"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/models/pe"
)

// site makes a hook's surroundings without a cache.
func site(b *graph.Builder, d pe.Dims, fused bool) *pe.Site {
	batch, seq := graph.Sym("batch"), graph.Sym("seq")
	return &pe.Site{
		Dims: d, B: b, Scale: 1, Fused: fused, Batch: batch, Seq: seq, Total: seq,
		Positions: func() *graph.Node { return b.Input("position_ids", tensor.Int64, batch, seq) },
	}
}

// rotated returns q after the QK hook, for one head, given its rows and positions.
func rotated(t *testing.T, settings string, q []float32, head int, positions []int64, fused bool) []float64 {
	t.Helper()
	row, err := pe.Find("rope")
	if err != nil {
		t.Fatal(err)
	}
	d := pe.Dims{Model: head, Heads: 1, Head: head}
	enc, err := row.Make.New(d, json.RawMessage(settings))
	if err != nil {
		t.Fatal(err)
	}
	b := graph.NewBuilder()
	s := site(b, d, fused)
	in := b.Input("q", tensor.Float32, s.Batch, graph.N(1), s.Seq, graph.N(head))
	out, _ := enc.QK(s, in, in)
	g, err := b.Build(graph.Output{Name: "out", Node: out})
	if err != nil {
		t.Fatal(err)
	}
	n := len(positions)
	got, err := interp.New(g, tensor.Float64).Run(t.Context(), map[string]*tensor.Tensor{
		"q": tensor.Of(q, 1, 1, n, head), "position_ids": tensor.Of(positions, 1, n),
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return tensor.Data[float64](got["out"])
}

func near(t *testing.T, name string, got, want []float64, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", name, len(got), len(want))
	}
	for i := range got {
		if math.Abs(got[i]-want[i]) > tol {
			t.Errorf("%s[%d] = %.7f, want %.7f", name, i, got[i], want[i])
		}
	}
}

// The values follow from rotating (1,2,3,4) at position 3 by hand: angles 3 and
// 0.03. The composed and the fused form must agree with them; 1e-6 is their
// printed precision.
func TestRoPEValues(t *testing.T) {
	x := []float32{1, 2, 3, 4}
	for _, fused := range []bool{false, true} {
		near(t, "half", rotated(t, `{}`, x, 4, []int64{3}, fused),
			[]float64{-1.413353, 1.879118, -2.828857, 4.058191}, 1e-6)
		near(t, "interleaved", rotated(t, `{"layout":"interleaved"}`, x, 4, []int64{3}, fused),
			[]float64{-1.272233, -1.838865, 2.878668, 4.088187}, 1e-6)
	}
}

// A fraction rotates the first features as a narrower head would and leaves the
// rest alone.
func TestRoPEFraction(t *testing.T) {
	x := []float32{1, 2, 3, 4, 5, 6, 7, 8}
	for _, fused := range []bool{false, true} {
		for _, layout := range []string{"half", "interleaved"} {
			got := rotated(t, `{"fraction":0.5,"layout":"`+layout+`"}`, x, 8, []int64{3}, fused)
			near(t, layout, got[:4], rotated(t, `{"layout":"`+layout+`"}`, x[:4], 4, []int64{3}, fused), 1e-12)
			near(t, layout+" rest", got[4:], []float64{5, 6, 7, 8}, 0)
		}
	}
}

// With p = ½ the first two of four pairs rotate, with the frequencies 1 and 0.1 that they
// have anyway: angles 3 and 0.3 at position 3, worked out by hand. The others stay.
func TestPRoPE(t *testing.T) {
	x := []float32{1, 2, 3, 4, 5, 6, 7, 8}
	for _, fused := range []bool{false, true} {
		near(t, "p of one half", rotated(t, `{"p":0.5}`, x, 8, []int64{3}, fused),
			[]float64{-1.6955925, 0.1375518, 3, 4, -4.8088425, 6.3230594, 7, 8}, 1e-6)
		for settings, same := range map[string]string{
			`{"p":1}`: `{}`, `{"p":0.74}`: `{"p":0.5}`, `{"p":0.5,"fraction":0.5}`: `{"p":0.7,"fraction":0.5}`,
		} {
			near(t, settings, rotated(t, settings, x, 8, []int64{3}, fused), rotated(t, same, x, 8, []int64{3}, fused), 0)
		}
	}
}

// The naive twin, pair by pair from equation 34 of the paper, at other bases and
// far positions. 1e-3 allows for the float32 frequencies at position 4000.
func TestRoPETwin(t *testing.T) {
	const head = 6
	x := []float32{.3, -1, 2, .5, -.7, 1.1, 1, 0, -2, .25, .75, -.1}
	positions := []int64{17, 4000}
	got := rotated(t, `{"theta":500,"layout":"interleaved"}`, x, head, positions, false)
	for i, p := range positions {
		for c := range head / 2 {
			a, b := float64(x[i*head+2*c]), float64(x[i*head+2*c+1])
			sin, cos := math.Sincos(float64(p) * math.Pow(500, -2*float64(c)/head))
			near(t, "pair", got[i*head+2*c:i*head+2*c+2], []float64{a*cos - b*sin, b*cos + a*sin}, 1e-3)
		}
	}
}

// The product of a rotated query and key depends on the offset only, and a
// rotation keeps the norm.
func TestRoPEOffset(t *testing.T) {
	x := []float32{1, -2, .5, 3}
	y := []float32{.1, .7, -1, 2}
	dot := func(a, b []float64) (s float64) {
		for i := range a {
			s += a[i] * b[i]
		}
		return s
	}
	at := func(v []float32, p int64) []float64 { return rotated(t, `{}`, v, 4, []int64{p}, false) }
	want := dot(at(x, 5), at(y, 2))
	for _, shift := range []int64{1, 10, 100} {
		if got := dot(at(x, 5+shift), at(y, 2+shift)); math.Abs(got-want) > 1e-5 {
			t.Errorf("shifted by %d the product is %v, want %v", shift, got, want)
		}
	}
	if got, want := dot(at(x, 9), at(x, 9)), dot(at(x, 0), at(x, 0)); math.Abs(got-want) > 1e-9 {
		t.Errorf("squared norm %v after rotation, want %v", got, want)
	}
}

func TestALiBiSlopes(t *testing.T) {
	for heads, want := range map[int][]float64{
		1: {1. / 256},
		4: {0.25, 0.0625, 0.015625, 0.00390625},
		6: {0.25, 0.0625, 0.015625, 0.00390625, 0.5, 0.125},
		12: {1. / 2, 1. / 4, 1. / 8, 1. / 16, 1. / 32, 1. / 64, 1. / 128, 1. / 256,
			0.7071068, 0.3535534, 0.1767767, 0.0883883},
	} {
		near(t, "slopes", pe.ALiBiSlopes(heads), want, 1e-7)
	}
}

func TestALiBiBias(t *testing.T) {
	row, err := pe.Find("alibi")
	if err != nil {
		t.Fatal(err)
	}
	d := pe.Dims{Model: 4, Heads: 2, Head: 2}
	enc, err := row.Make.New(d, nil)
	if err != nil {
		t.Fatal(err)
	}
	b := graph.NewBuilder()
	s := site(b, d, false)
	b.Input("input_ids", tensor.Int64, s.Batch, s.Seq)
	g, err := b.Build(graph.Output{Name: "bias", Node: enc.Bias(s)})
	if err != nil {
		t.Fatal(err)
	}
	feed := map[string]*tensor.Tensor{"input_ids": tensor.New(tensor.Int64, 1, 3)}
	got, err := interp.New(g, tensor.Float64).Run(t.Context(), feed, nil)
	if err != nil {
		t.Fatal(err)
	}
	var want []float64
	for _, m := range []float64{1. / 16, 1. / 256} {
		for q := range 3 {
			for k := range 3 {
				want = append(want, -m*float64(q-k))
			}
		}
	}
	near(t, "bias", tensor.Data[float64](got["bias"]), want, 0)
}

func TestSettingsErrors(t *testing.T) {
	d := pe.Dims{Model: 64, Heads: 4, Head: 16}
	for _, tc := range []struct{ name, settings, want string }{
		{"rope", `{"theta":1}`, "theta 1"},
		{"rope", `{"fraction":1.5}`, "fraction 1.5"},
		{"rope", `{"fraction":0.05}`, "rotates 1 features"},
		{"rope", `{"layout":"diagonal"}`, `"diagonal"`},
		{"rope", `{"tetha":10}`, "tetha"},
		{"rope", `{"p":1.5}`, "p 1.5"},
		{"rope", `{"p":0.1}`, "p 0.1 of 8 frequencies"},
		{"sandwich", `{"features":7}`, "features 7"},
		{"xpos", `{"scale_base":-1}`, "scale_base -1"},
		{"xpos", `{"theta":1}`, "theta 1"},
		{"kerple", `{"kind":"square"}`, `"square"`},
		{"fire", `{"threshold":-1}`, "threshold -1"},
		{"dape", `{"shared":false}`, "shared false: the base alibi has no weights"},
		{"sinusoidal", `{"learned":true,"amplitude":101}`, "amplitude 101"},
		{"nope", `{"theta":10}`, "theta"},
		{"alibi", `[]`, "settings"},
		{"sinusoidal", `{"layout":"half"}`, `"half"`},
		{"sinusoidal", `{"amplitude":-1}`, "amplitude -1"},
		{"learned", `{"max_length":-1}`, "max_length -1"},
		{"learned", `{"max_length":1000000000}`, "max_length 1000000000"},
		{"learned", `{"init_std":-1}`, "init_std -1"},
		{"t5", `{"buckets":7}`, "buckets 7"},
		{"t5", `{"buckets":1000000}`, "buckets 1000000"},
		{"t5", `{"max_distance":16}`, "max_distance 16"},
		{"txl", `{"clamp":-2}`, "clamp -2"},
		{"txl", `{"init_std":1e9}`, "init_std 1e+09"},
		{"fox", `{"init":"ones"}`, `init "ones"`},
		{"fox", `{"init":"zero","decay_time_min":2}`, "belong to init decay-times"},
		{"fox", `{"decay_time_min":200}`, "decay_time_min 200"},
		{"fox", `{"decay_time_min":0.01}`, "decay_time_min 0.01"},
		{"fox", `{"decay_time_max":1e300}`, "decay_time_max 1e+300"},
		{"stick-breaking", `{"remainder":"all"}`, `remainder "all"`},
		{"stick-breaking", `{"offset":"zero"}`, `offset "zero"`},
		{"stick-breaking", `{"offset":"none","decay_time_max":9}`, "belong to offset decay-times"},
		{"stick-breaking", `{"decay_time_max":1}`, "decay_time_max 1"},
		{"cope", `{"max_positions":1}`, "max_positions 1"},
		{"cope", `{"max_positions":1000000000}`, "max_positions 1000000000"},
		{"dape", `{"base":"rope"}`, `base "rope"`},
		{"dape", `{"width":-1}`, "width -1"},
	} {
		row, err := pe.Find(tc.name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := row.Make.New(d, json.RawMessage(tc.settings)); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s with %s: error %v, want one about %s", tc.name, tc.settings, err, tc.want)
		}
	}
	for _, name := range []string{"sinusoidal", "txl"} {
		row, err := pe.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		_, err = row.Make.New(pe.Dims{Model: 7, Heads: 1, Head: 7, Layers: 1}, nil)
		if err == nil || !strings.Contains(err.Error(), "d_model 7") {
			t.Errorf("%s with an odd width: error %v", name, err)
		}
	}
}

// A name that is not in the table gets an answer that helps.
func TestFindErrors(t *testing.T) {
	for name, want := range map[string]string{
		"absolute": "sinusoidal or learned",
		"rotary":   "called rope",
		"relative": "t5 or txl",
		"spiral":   "nope, rope, alibi",
		"rop":      `did you mean "rope"?`,
	} {
		_, err := pe.Find(name)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s gives %v, want one with %q", name, err, want)
		}
	}
}

func TestPlain(t *testing.T) {
	e, err := pe.Table()[0].Make.New(pe.Dims{Model: 8, Heads: 2, Head: 4, Layers: 1}, nil)
	if err != nil || e != (pe.NoPE{}) {
		t.Errorf("the plain row makes %T (%v), want NoPE", e, err)
	}
}

func TestTableIsWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range pe.Table() {
		if r.Name == "" || r.Formula == "" || r.Source == "" || r.Cost == "" || seen[r.Name] {
			t.Errorf("row %+v lacks a name of its own, a formula, a source or a cost", r)
		}
		seen[r.Name] = true
		if _, err := r.Make.New(pe.Dims{Model: 64, Heads: 4, Head: 16, Layers: 2}, r.Paper); err != nil {
			t.Errorf("the paper's settings of %s: %v", r.Name, err)
		}
	}
	for _, r := range pe.Table() {
		for _, name := range r.AlsoCalled {
			if seen[name] {
				t.Errorf("%s is listed as another name of %s and is a name itself", name, r.Name)
			}
		}
	}
}
