package models_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/interp"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/models"
)

// The naive twin: the decoder in plain float64 loops, written from the papers
// and not from the graph code. An encoding changes what it needs of it.
type twin struct {
	cfg    models.Config
	w      map[string]*tensor.Tensor
	embed  func(x []float64, pos int)            // on a token's embedding, in place
	mark   func(x []float64, ids []int64, t int) // on the embedding of token t of ids, in place
	rotate func(x []float64, pos int) []float64  // on a head's query or key
	// score is added to the scaled product of a head's query and key.
	score func(layer, head int, q, k []float64, distance int) float64
	// mapLogits changes the logits of the query at position t in place, z [H][t+1], after the scores.
	mapLogits func(l *twinLayer, t int, z [][]float64)
	// weigh turns a head's logits of one query, [t+1], into weights.
	weigh func(z []float64) []float64
	// at returns the position of token t, for what depends on positions.
	at func(t int) int
	// mix is what the output projection of a layer reads for the token at position t: attention
	// by default. It is called for one token after the other.
	mix func(l *twinLayer, t int) []float64
	// keep is the factor of dropout on element i of a distance's sinusoids.
	keep func(distance, i int) float64
	// window is how many keys a query sees at most, of an encoding with a window; else 0.
	window int
	// length is how many tokens the text has.
	length int
	// layers are the twins of a hybrid's encodings, by layer; nil for one of all layers.
	layers []*twin
}

// twinLayer is what the attention of a layer is computed from: for each token its
// normalised input [D], and its query, key and value [H·K] before they are rotated.
type twinLayer struct {
	index           int
	hidden, q, k, v [][]float64
}

// head returns a head's part of a query.
func (w *twin) head(x []float64, h int) []float64 { return x[h*w.cfg.DHead:][:w.cfg.DHead] }

// keyHead returns the part of a key or value that a head reads.
func (w *twin) keyHead(x []float64, h int) []float64 {
	return w.head(x, h*len(x)/w.cfg.DHead/w.cfg.NHeads)
}

// twins has what each encoding of the table changes. The twin of a name is in
// twin_name_test.go, which adds it here.
var twins = map[string]func(w *twin){"nope": func(*twin) {}}

// twinOf returns the twin of a model with an encoding; every row of the table must
// have one.
func twinOf(t testing.TB, name string, cfg models.Config) *twin {
	w := &twin{
		cfg: cfg, embed: func([]float64, int) {}, mark: func([]float64, []int64, int) {},
		rotate:    func(x []float64, _ int) []float64 { return x },
		score:     func(int, int, []float64, []float64, int) float64 { return 0 },
		mapLogits: func(*twinLayer, int, [][]float64) {}, weigh: softmax,
		at: func(t int) int { return t }, keep: func(int, int) float64 { return 1 },
	}
	w.mix = w.attend
	if names := strings.Split(name, "/"); len(names) > 1 { // no repeats
		settings := map[string]json.RawMessage{}
		if len(cfg.EncodingParams) > 0 {
			if err := json.Unmarshal(cfg.EncodingParams, &settings); err != nil {
				t.Fatal(err)
			}
		}
		for layer := range cfg.NLayers {
			own := cfg
			own.EncodingParams = settings[names[layer%len(names)]]
			w.layers = append(w.layers, twinOf(t, names[layer%len(names)], own))
		}
		w.embed = func(x []float64, pos int) {
			for _, part := range w.layers[:len(names)] {
				part.embed(x, pos)
			}
		}
		return w
	}
	w.mix = w.attend
	name, _, _ = strings.Cut(name, ".") // the label of an element of a hybrid
	change, ok := twins[name]
	if !ok {
		t.Fatalf("the encoding %s has no naive twin", name)
	}
	change(w)
	return w
}

// setting returns one of the encoding's own settings, or the default where it is not given.
func (w *twin) setting(key string, byDefault float64) float64 {
	given := map[string]any{}
	if len(w.cfg.EncodingParams) > 0 {
		if err := json.Unmarshal(w.cfg.EncodingParams, &given); err != nil {
			panic(err)
		}
	}
	if x, ok := given[key].(float64); ok {
		return x
	}
	return byDefault
}

// weights sets the weights, of the twins by layer too.
func (w *twin) weights(weights map[string]*tensor.Tensor) *twin {
	w.w = weights
	for _, part := range w.layers {
		part.w = weights
	}
	return w
}

// seen is how many keys a query of a layer sees at most.
func (w *twin) seen(layer int) int {
	least := math.MaxInt32
	windows := strings.Split(string(w.cfg.Window), "/") // no repeats
	for _, n := range []string{strconv.Itoa(w.window), windows[layer%len(windows)]} {
		if n, _ := strconv.Atoi(n); n > 0 {
			least = min(least, n)
		}
	}
	return least
}

// of is the twin of a layer.
func (w *twin) of(layer int) *twin {
	if w.layers == nil {
		return w
	}
	return w.layers[layer]
}

func (w *twin) faithful() bool { return w.cfg.Settings == "faithful" }

func softmax(z []float64) []float64 {
	y, sum := make([]float64, len(z)), 0.0
	for j, x := range z {
		y[j] = math.Exp(x)
		sum += y[j]
	}
	for j := range y {
		y[j] /= sum
	}
	return y
}

// frequencies are 10000^(−2c/width), which are float32 constants in the graph.
func frequencies(width int) []float64 {
	f := make([]float64, width/2)
	for c := range f {
		f[c] = float64(float32(math.Pow(10000, -2*float64(c)/float64(width))))
	}
	return f
}

func (w *twin) scale() float64 { return number(w.cfg.AttentionScale, w.cfg.DHead) }

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
	eps := w.cfg.NormEps
	if strings.HasSuffix(name, ".o_norm.weight") || strings.HasSuffix(name, ".pair_norm.weight") {
		eps = cmp.Or(w.cfg.HeadNormEps, eps)
	}
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = v / math.Sqrt(ms+float64(float32(eps))) * float64(tensor.Data[float32](w.w[name])[i])
	}
	return y
}

// blockNorm is a norm around a sub-layer.
func (w *twin) blockNorm(name string, x []float64) []float64 {
	if w.cfg.Norm != "layer" {
		return w.norm(name+".weight", x)
	}
	return w.layerNorm(name, x, 0)
}

// project is a linear layer, with a bias where the model has biases.
func (w *twin) project(name string, x []float64) []float64 {
	y := w.matrix(name + ".weight")(x)
	if bias := w.w[name+".bias"]; bias != nil {
		for i, v := range tensor.Data[float32](bias) {
			y[i] += float64(v)
		}
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
	w.length = len(ids)
	for _, part := range w.layers {
		part.length = len(ids)
	}
	h := make([][]float64, len(ids))
	for t, id := range ids {
		for i := range c.DModel {
			h[t] = append(h[t], float64(embed[int(id)*c.DModel+i])*float64(float32(cmp.Or(c.EmbedScale, 1))))
		}
		w.embed(h[t], w.at(t))
		w.mark(h[t], ids, t)
	}
	for _, x := range h {
		if c.EmbedNorm != "" {
			copy(x, w.layerNorm("embed_norm", x, 0))
		}
	}
	for l := range c.NLayers {
		w.block(l, h)
	}
	out := make([][]float64, len(ids))
	for t, x := range h {
		if c.NormPlace != "after" {
			x = w.blockNorm("norm", x)
		}
		scale := number(c.HeadScale, c.DModel)
		for i := range x {
			x[i] *= scale
		}
		matrix := "embed.weight"
		if c.Head == "untied" {
			matrix = "head.weight"
		}
		out[t] = w.matrix(matrix)(x)
		if bias := w.w["head.bias"]; bias != nil {
			for i, v := range tensor.Data[float32](bias) {
				out[t][i] += float64(v)
			}
		}
		w.cap(out[t], c.LogitCap)
	}
	return out
}

func activated(name string, x float64) float64 {
	switch name {
	case "relu":
		return max(x, 0)
	case "relu2":
		return max(x, 0) * max(x, 0)
	case "silu":
		return x / (1 + math.Exp(-x))
	}
	if name == "gelu_exact" {
		return 0.5 * x * (1 + math.Erf(x/float64(float32(math.Sqrt2))))
	}
	inner := x + float64(float32(0.044715))*x*x*x
	return 0.5 * x * (1 + math.Tanh(float64(float32(math.Sqrt(2/math.Pi)))*inner))
}

// attend is a layer's attention of the query at position t over keys 0..t, all heads.
func (w *twin) attend(l *twinLayer, t int) []float64 {
	z := make([][]float64, w.cfg.NHeads)
	for h := range z {
		q := w.head(l.q[t], h)
		for j := range t + 1 {
			k := w.keyHead(l.k[j], h)
			a, b := w.rotate(q, w.at(t)), w.rotate(k, w.at(j))
			s := 0.0
			for i := range a {
				s += a[i] * b[i]
			}
			z[h] = append(z[h], s*w.scale()+w.score(l.index, h, q, k, w.at(t)-w.at(j)))
		}
	}
	w.mapLogits(l, t, z)
	for h := range z {
		w.cap(z[h], w.cfg.AttentionCap)
	}
	w.scaleLogits(l, t, z)
	weights := make([][]float64, len(z))
	for h := range z {
		for j := range max(0, t+1-w.seen(l.index)) {
			z[h][j] = math.Inf(-1)
		}
		weights[h] = w.weighWithSink(l.index, h, z[h])
	}
	var out []float64
	if w.cfg.Attention == "differential" {
		for pair := range len(z) / 2 {
			out = append(out, w.differ(l, pair, weights[2*pair:][:2])...)
		}
		return out
	}
	for h := range z {
		y := make([]float64, w.cfg.DHead)
		for j, p := range weights[h] {
			for i, x := range w.keyHead(l.v[j], h) {
				y[i] += p * x
			}
		}
		out = append(out, y...)
	}
	return out
}

// likeTwin wants a decoder's logits to be those of its twin, in all modes.
func likeTwin(t *testing.T, name string, m models.Model) {
	t.Helper()
	w := twinOf(t, m.Config().Encoding, m.Config()).weights(lively(m))
	ids := tokens(11, 4)
	want := w.logits(ids)
	for _, mode := range modes {
		for i, got := range newRunner(t, m, mode, 1).step(ids)[0] {
			same(t, fmt.Sprintf("%s, %s, token %d", name, modeName(mode), i), got, want[i])
		}
	}
}

// Every decoder against its twin, in all modes.
func TestTwin(t *testing.T) {
	for name, m := range decoders(t) {
		likeTwin(t, name, m)
	}
}

// Settings that change a formula.
func TestTwinSettings(t *testing.T) {
	for _, tc := range []struct{ encoding, settings string }{
		{"rope", `{"p":0.5}`}, {"hard-alibi", `{"windowed":2}`},
		{"kerple", `{"kind":"power"}`}, {"fire", `{"threshold":4}`}, {"fire", `{"threshold":4,"shared":false}`},
		{"dape", `{"base":"kerple","shared":false}`}, {"sinusoidal", `{"learned":true}`},
		{"rope", `{"scaling":"yarn","scaling_ramp":"pairs","scaling_factor":4,"scaling_length":12}`},
		{"rope", `{"scaling":"yarn","scaling_ramp":"pairs","scaling_factor":4,"scaling_length":12,"scaling_attention":1.25,"theta":500}`},
		{"rope", `{"scaling":"llama3","scaling_factor":8,"scaling_length":64,"scaling_slow":1,"scaling_fast":4}`},
		{"rope", `{"scaling":"dynamic","scaling_factor":2,"scaling_length":8}`},
		{"rope", `{"scaling":"dynamic","scaling_factor":2,"scaling_length":11}`},
		{"rope", `{"scaling":"longrope","scaling_length":8,"scaling_attention":1.5,"fraction":0.5,"scaling_short":[1,2],"scaling_long":[3,5]}`},
		{"rope", `{"scaling":"longrope","scaling_length":11,"scaling_short":[1,2,3,4],"scaling_long":[4,5,6,7]}`},
		{"rope.local/rope", `{"rope.local":{"theta":100},"rope":{"scaling":"pi","scaling_factor":1}}`},
		{"alibi", `{"factor":0.25}`}, {"selective-rope", `{"phase":"plain","rank":2}`}, {"selective-rope", `{"conv":1,"theta":100}`},
	} {
		cfg := micro(tc.encoding, "modern")
		cfg.EncodingParams = json.RawMessage(tc.settings)
		likeTwin(t, tc.encoding+" "+tc.settings, newDecoder(t, cfg))
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
// elements in every layer and sequence: masks of 0 and 2 there, and of 1 elsewhere.
func TestTwinDropsDistances(t *testing.T) {
	m := newDecoder(t, micro("txl", "faithful"))
	b := graph.NewBuilder()
	g, err := b.Build(graph.Output{Name: "logits", Node: m.Forward(b, models.Mode{Dropout: 1e-9}).Logits})
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
		mask := tensor.New(tensor.Uint8, shape...)
		for i := range tensor.Data[uint8](mask) {
			tensor.Data[uint8](mask)[i] = 1
			if in.Name == models.DropoutPrefix+"distances" {
				seen = true
				tensor.Data[uint8](mask)[i] = uint8(w.keep(len(ids)-1-i/width, i%width))
			}
		}
		feed[in.Name] = mask
	}
	if !seen {
		t.Fatal("no input for the factors of the distances")
	}
	out, err := interp.New(g, tensor.Float64).Run(t.Context(), feed, w.w)
	if err != nil {
		t.Fatal(err)
	}
	want := slices.Concat(w.logits(ids)...)
	same(t, "first sequence", tensor.Data[float64](out["logits"])[:len(want)], want)
	same(t, "second sequence", tensor.Data[float64](out["logits"])[len(want):], want)
}
