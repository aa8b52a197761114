package models_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/interp"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/models/pe"
)

// The naive twin: the decoder in plain float64 loops, written from the papers
// and not from the graph code. Encodings come as functions of positions.
type twin struct {
	cfg    models.Config
	w      map[string]*tensor.Tensor
	embed  func(x []float64, pos int)           // on a token's embedding, in place
	rotate func(x []float64, pos int) []float64 // on a head's query or key
	// score is added to the scaled product of a head's query and key.
	score func(layer, head int, q, k []float64, distance int) float64
	// keep is the factor of dropout on element i of a distance's sinusoids.
	keep func(distance, i int) float64
}

// twinOf returns the twin's idea of an encoding; every row of the table must
// have one.
func twinOf(t testing.TB, name string, cfg models.Config) *twin {
	w := &twin{
		cfg: cfg, embed: func([]float64, int) {}, rotate: func(x []float64, _ int) []float64 { return x },
		score: func(int, int, []float64, []float64, int) float64 { return 0 },
		keep:  func(int, int) float64 { return 1 },
	}
	faithful := cfg.Settings == "faithful"
	switch name {
	case "nope":
	case "sinusoidal":
		w.embed = func(x []float64, pos int) {
			half, amplitude := len(x)/2, 1.0
			if !faithful {
				amplitude = float64(float32(0.02))
			}
			for c, freq := range frequencies(len(x)) {
				sin, cos := math.Sincos(float64(pos) * freq)
				i, j := 2*c, 2*c+1
				if faithful {
					i, j = c, half+c
				}
				x[i], x[j] = x[i]+amplitude*sin, x[j]+amplitude*cos
			}
		}
	case "learned":
		w.embed = func(x []float64, pos int) {
			for i := range x {
				x[i] += float64(tensor.Data[float32](w.w["position.weight"])[pos*len(x)+i])
			}
		}
	case "t5":
		w.score = func(_, head int, _, _ []float64, distance int) float64 {
			bucket := distance // exact up to 15, which covers the lengths tested here
			return float64(tensor.Data[float32](w.w["relative_bias.weight"])[bucket*cfg.NHeads+head])
		}
	case "txl":
		w.score = func(layer, head int, q, k []float64, distance int) float64 {
			at := fmt.Sprintf("layers.%d.attn.", layer)
			u, v := w.vector(at+"content_bias", head), w.vector(at+"position_bias", head)
			sinusoids := make([]float64, cfg.DModel)
			for c, freq := range frequencies(cfg.DModel) {
				i, j := c, cfg.DModel/2+c
				sinusoids[i] = math.Sin(float64(distance)*freq) * w.keep(distance, i)
				sinusoids[j] = math.Cos(float64(distance)*freq) * w.keep(distance, j)
			}
			r := w.matrix(at + "r_proj.weight")(sinusoids)[head*cfg.DHead:]
			sum := 0.0
			for i := range q {
				sum += u[i]*k[i] + (q[i]+v[i])*r[i]
			}
			return sum * w.scale()
		}
	case "alibi":
		w.score = func(_, head int, _, _ []float64, distance int) float64 {
			return -math.Pow(2, -8*float64(head+1)/float64(cfg.NHeads)) * float64(distance)
		}
	case "alibi-learned":
		w.score = func(_, head int, _, _ []float64, distance int) float64 {
			return -math.Exp(float64(tensor.Data[float32](w.w["log_slope"])[head])) * float64(distance)
		}
	case "rope":
		w.rotate = func(x []float64, pos int) []float64 {
			y := append([]float64(nil), x...)
			width := len(x)
			if faithful {
				width /= 4 // a quarter, in neighbouring pairs
			}
			for c, freq := range frequencies(width) {
				i, j := c, c+width/2
				if faithful {
					i, j = 2*c, 2*c+1
				}
				sin, cos := math.Sincos(float64(pos) * freq)
				y[i], y[j] = x[i]*cos-x[j]*sin, x[j]*cos+x[i]*sin
			}
			return y
		}
	default:
		t.Fatalf("the encoding %s has no naive twin", name)
	}
	return w
}

// frequencies are 10000^(−2c/width), which are float32 constants in the graph.
func frequencies(width int) []float64 {
	f := make([]float64, width/2)
	for c := range f {
		f[c] = float64(float32(math.Pow(10000, -2*float64(c)/float64(width))))
	}
	return f
}

func (w *twin) scale() float64 {
	if w.cfg.AttentionScale == "sqrt" {
		return float64(float32(1 / math.Sqrt(float64(w.cfg.DHead))))
	}
	return 1
}

// vector returns a head's row of a weight [H,K].
func (w *twin) vector(name string, head int) []float64 {
	v := make([]float64, w.cfg.DHead)
	for i := range v {
		v[i] = float64(tensor.Data[float32](w.w[name])[head*len(v)+i])
	}
	return v
}

func (w *twin) matrix(name string) func(x []float64) []float64 {
	m := w.w[name]
	rows, cols := m.Shape()[0], m.Shape()[1]
	data := tensor.Data[float32](m)
	return func(x []float64) []float64 {
		y := make([]float64, rows)
		for i := range rows {
			for j := range cols {
				y[i] += float64(data[i*cols+j]) * x[j]
			}
		}
		return y
	}
}

func (w *twin) norm(name string, x []float64) []float64 {
	ms := 0.0
	for _, v := range x {
		ms += v * v / float64(len(x))
	}
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = v / math.Sqrt(ms+float64(float32(1e-6))) * float64(tensor.Data[float32](w.w[name])[i])
	}
	return y
}

func add(x, y []float64) {
	for i := range x {
		x[i] += y[i]
	}
}

// logits of every token.
func (w *twin) logits(ids []int64) [][]float64 {
	c := w.cfg
	embed := tensor.Data[float32](w.w["embed.weight"])
	h := make([][]float64, len(ids))
	for t, id := range ids {
		for i := range c.DModel {
			h[t] = append(h[t], float64(embed[int(id)*c.DModel+i]))
		}
		w.embed(h[t], t)
	}
	for l := range c.NLayers {
		at := fmt.Sprintf("layers.%d.", l)
		var q, k, v [][]float64
		for _, x := range h {
			u := w.norm(at+"attn_norm.weight", x)
			q = append(q, w.matrix(at+"attn.q_proj.weight")(u))
			k = append(k, w.matrix(at+"attn.k_proj.weight")(u))
			v = append(v, w.matrix(at+"attn.v_proj.weight")(u))
		}
		for t := range h {
			add(h[t], w.matrix(at+"attn.o_proj.weight")(w.attend(l, q[t], k[:t+1], v, t)))
			u := w.matrix(at + "mlp.up_proj.weight")(w.norm(at+"mlp_norm.weight", h[t]))
			for i := range u {
				u[i] = activated(c.Activation, u[i])
			}
			add(h[t], w.matrix(at+"mlp.down_proj.weight")(u))
		}
	}
	out := make([][]float64, len(ids))
	for t, x := range h {
		x = w.norm("norm.weight", x)
		if c.HeadScale == "sqrt" {
			for i := range x {
				x[i] *= float64(float32(1 / math.Sqrt(float64(c.DModel))))
			}
		}
		out[t] = w.matrix("embed.weight")(x)
	}
	return out
}

func activated(name string, x float64) float64 {
	switch name {
	case "relu":
		return max(x, 0)
	case "relu2":
		return max(x, 0) * max(x, 0)
	}
	inner := x + float64(float32(0.044715))*x*x*x
	return 0.5 * x * (1 + math.Tanh(float64(float32(math.Sqrt(2/math.Pi)))*inner))
}

// attend is layer l's attention of the query at position t over keys 0..t, all heads.
func (w *twin) attend(l int, q []float64, k, v [][]float64, t int) []float64 {
	var out []float64
	for head := range w.cfg.NHeads {
		lo, hi := head*w.cfg.DHead, (head+1)*w.cfg.DHead
		sum, y := 0.0, make([]float64, w.cfg.DHead)
		for j := range k {
			a, b := w.rotate(q[lo:hi], t), w.rotate(k[j][lo:hi], j)
			s := 0.0
			for i := range a {
				s += a[i] * b[i]
			}
			p := math.Exp(s*w.scale() + w.score(l, head, q[lo:hi], k[j][lo:hi], t-j))
			sum += p
			for i := range y {
				y[i] += p * v[j][lo+i]
			}
		}
		for i := range y {
			out = append(out, y[i]/sum)
		}
	}
	return out
}

// Every encoding against its twin, under both settings and in all modes.
func TestTwin(t *testing.T) {
	for _, row := range pe.Table() {
		for _, settings := range []string{"modern", "faithful"} {
			m := newDecoder(t, micro(row.Name, settings))
			w := twinOf(t, row.Name, m.Config())
			w.w = lively(m)
			ids := tokens(11, 4)
			want := w.logits(ids)
			for _, mode := range modes {
				for i, got := range newRunner(t, m, mode, 1).step(ids)[0] {
					same(t, fmt.Sprintf("%s, %s, %s, token %d", row.Name, settings, modeName(mode), i), got, want[i])
				}
			}
		}
	}
}

func TestTwinGELU(t *testing.T) {
	cfg := micro("nope", "modern")
	cfg.Activation = "gelu"
	m := newDecoder(t, cfg)
	w := twinOf(t, "nope", m.Config())
	w.w = lively(m)
	ids := tokens(5, 4)
	want := w.logits(ids)
	for i, got := range newRunner(t, m, models.Mode{}, 1).step(ids)[0] {
		same(t, fmt.Sprintf("token %d", i), got, want[i])
	}
}

// In training the faithful txl drops out the sinusoids of the distances, the same
// elements in every layer and sequence: factors of 0 and 2 there, and of 1 elsewhere.
func TestTwinDropsDistances(t *testing.T) {
	m := newDecoder(t, micro("txl", "faithful"))
	b := graph.NewBuilder()
	g, err := b.Build(graph.Output{Name: "logits", Node: m.Forward(b, models.Mode{Dropout: true}).Logits})
	if err != nil {
		t.Fatal(err)
	}
	ids, width := tokens(9, 4), m.Config().DModel
	w := twinOf(t, "txl", m.Config())
	w.w = lively(m)
	w.keep = func(distance, i int) float64 { return float64((distance*distance + i) % 3 % 2 * 2) }
	feed := map[string]*tensor.Tensor{"input_ids": tensor.Of(slices.Concat(ids, ids), 2, len(ids))}
	seen := false
	for _, in := range g.Inputs {
		if !strings.HasPrefix(in.Name, models.DropoutPrefix) {
			continue
		}
		var shape []int
		for _, d := range in.Shape {
			n, err := d.Eval(map[string]int{"batch": 2, "seq": len(ids)})
			if err != nil {
				t.Fatal(err)
			}
			shape = append(shape, n)
		}
		factors := tensor.New(tensor.Float32, shape...)
		for i := range tensor.Data[float32](factors) {
			tensor.Data[float32](factors)[i] = 1
			if in.Name == models.DropoutPrefix+"distances" {
				seen = true
				tensor.Data[float32](factors)[i] = float32(w.keep(len(ids)-1-i/width, i%width))
			}
		}
		feed[in.Name] = factors
	}
	if !seen {
		t.Fatal("no input for the factors of the distances")
	}
	out, err := interp.Run(g, feed, w.w, interp.Float64)
	if err != nil {
		t.Fatal(err)
	}
	want := slices.Concat(w.logits(ids)...)
	same(t, "first sequence", tensor.Data[float64](out["logits"])[:len(want)], want)
	same(t, "second sequence", tensor.Data[float64](out["logits"])[len(want):], want)
}
