package models_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/interp"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/graphtest"
	"github.com/nopezoo/zoo/models"
)

// deltanets are the settings that tests go over.
func deltanets() map[string]models.Config {
	base := micro("deltanet", "modern")
	plain, faithful, gpt2, positive := base, base, base, base
	plain.Decay, plain.Gate, plain.Conv = "none", "none", 1
	faithful.Settings, faithful.Conv = "faithful", 3
	gpt2.Settings = "gpt2"
	positive.BetaMax, positive.NHeads, positive.DHead = 1, 1, 5
	kimi, kimiHybrid := base, base // of Kimi Linear
	kimi.Decay, kimi.Gate, kimi.BetaMax = "channel", "sigmoid", 1
	kimiHybrid.Decay, kimiHybrid.Gate, kimiHybrid.Encoding, kimiHybrid.AttentionGate = "channel", "sigmoid", "deltanet/nope", "element"
	hybrid := base
	hybrid.Encoding, hybrid.NLayers = "deltanet/rope", 3
	windows := base
	windows.Encoding = "deltanet/swa"
	settled := base // other settings of attention than its encoding
	settled.Encoding, settled.EncodingParams = "deltanet/fire", json.RawMessage(`{"fire":{"threshold":4,"shared":false}}`)
	settled.QKNorm, settled.AttentionSink, settled.AttentionGate = "rms", "learned", "head"
	settled.LogitScale, settled.TrainedLength, settled.LogitFactors = "ssmax", 9, []float64{1, 1, 1.5, 0.5}
	settled.LogitLayers = "fire"
	settled.HeadNormEps = 1e-2
	narrow := base
	narrow.Encoding, narrow.Window = "deltanet/rope", "0/7"
	return map[string]models.Config{"default": base, "plain": plain, "faithful": faithful, "gpt2": gpt2,
		"positive": positive, "hybrid": hybrid, "hybrid with windows": windows, "hybrid with settings": settled,
		"hybrid in a window": narrow, "decay by channel": kimi, "hybrid with decay by channel": kimiHybrid}
}

func init() { twins["deltanet"] = deltaTwin }

// deltaTwin mixes tokens by the recurrence of arXiv 2412.06464, one after the other.
func deltaTwin(w *twin) {
	type memory struct {
		rows  [][]float64   // what the convolution sees of q, k and v, from first to last token
		state [][][]float64 // S by head, value and key
	}
	c := w.cfg
	layers := map[int]*memory{}
	w.mix = func(l *twinLayer, t int) []float64 {
		m := layers[l.index]
		if m == nil || t == 0 {
			m = &memory{}
			for range c.NHeads {
				s := make([][]float64, c.DHead)
				for i := range s {
					s[i] = make([]float64, c.DHead)
				}
				m.state = append(m.state, s)
			}
			layers[l.index] = m
		}
		at := fmt.Sprintf("layers.%d.attn.", l.index)
		m.rows = append(m.rows, slices.Concat(l.q[t], l.k[t], l.v[t]))
		x := m.rows[t]
		if c.Conv > 1 {
			x = make([]float64, len(x))
			for i := range x {
				for n := range c.Conv {
					if s := t - c.Conv + 1 + n; s >= 0 {
						x[i] += float64(tensor.Data[float32](w.w[at+"conv.weight"])[n*len(x)+i]) * m.rows[s][i]
					}
				}
			}
		}
		y := make([]float64, len(x))
		for i := range x {
			y[i] = x[i] / (1 + math.Exp(-x[i]))
		}
		inner := c.NHeads * c.DHead
		beta := w.matrix(at + "b_proj.weight")(l.hidden[t])
		var out []float64
		for h := range c.NHeads {
			q, k, v := unitLength(w.head(y[:inner], h)), unitLength(w.head(y[inner:], h)), w.head(y[2*inner:], h)
			step := c.BetaMax / (1 + math.Exp(-beta[h]))
			alpha := w.deltaDecays(at, l.hidden[t], h)
			o := make([]float64, c.DHead)
			for i, row := range m.state[h] { // S Diag(α) (I − β k kᵀ) by rows
				read := 0.0
				for j := range row {
					row[j] *= alpha[j]
					read += row[j] * k[j]
				}
				for j := range row {
					row[j] += step * (v[i] - read) * k[j]
					o[i] += row[j] * q[j]
				}
			}
			out = append(out, w.norm(at+"o_norm.weight", o)...)
		}
		switch c.Gate {
		case "sigmoid":
			for i, g := range w.project(at+"g_up", w.matrix(at+"g_down.weight")(l.hidden[t])) {
				out[i] /= 1 + math.Exp(-g)
			}
		case "silu":
			for i, g := range w.matrix(at + "g_proj.weight")(l.hidden[t]) {
				out[i] *= g / (1 + math.Exp(-g))
			}
		}
		return out
	}
}

// deltaDecays are α of a head's channels, for a token's input.
func (w *twin) deltaDecays(at string, x []float64, head int) []float64 {
	c := w.cfg
	alpha := make([]float64, c.DHead)
	for i := range alpha {
		var raw float64
		n := head
		switch c.Decay {
		case "none":
			alpha[i] = 1
			continue
		case "learned":
			raw = w.matrix(at + "a_proj.weight")(x)[n]
		case "channel":
			n = head*c.DHead + i
			raw = w.matrix(at + "a_up.weight")(w.matrix(at + "a_down.weight")(x))[n]
		}
		rate := float64(tensor.Data[float32](w.w[at+"log_rate"])[head])
		bias := float64(tensor.Data[float32](w.w[at+"dt_bias"])[n])
		alpha[i] = math.Exp(-math.Exp(rate) * math.Log1p(math.Exp(raw+bias)))
	}
	return alpha
}

func unitLength(x []float64) []float64 {
	square := float64(float32(1e-6))
	for _, v := range x {
		square += v * v
	}
	y := make([]float64, len(x))
	for i := range x {
		y[i] = x[i] / math.Sqrt(square)
	}
	return y
}

func deltaLogits(t testing.TB, m models.Model, ids []int64) [][]float64 {
	t.Helper()
	w := twinOf(t, cmp.Or(m.Config().Mixer, "deltanet"), m.Config()).weights(lively(m))
	for _, layer := range w.layers {
		if layer.window > 0 {
			layer.window = 16 // by default
		}
	}
	return w.logits(ids)
}

// trained runs the graph that training uses.
func trained(t testing.TB, m models.Model, ids []int64) []float64 {
	t.Helper()
	b := graph.NewBuilder()
	g, err := b.Build(graph.Output{Name: "logits", Node: m.Forward(b, models.Mode{Steps: len(ids)}).Logits})
	if err != nil {
		t.Fatal(err)
	}
	feed := map[string]*tensor.Tensor{"input_ids": tensor.Of(ids, 1, len(ids))}
	if g.Input("position_ids") != nil {
		feed["position_ids"] = tensor.New(tensor.Int64, 1, len(ids))
		for i := range ids {
			tensor.Data[int64](feed["position_ids"])[i] = int64(i)
		}
	}
	out, err := interp.New(g, tensor.Float64).Run(t.Context(), feed, lively(m))
	if err != nil {
		t.Fatal(err)
	}
	return tensor.Data[float64](out["logits"])
}

// The naive twin, the file's graph token by token, and the graph of training in chunks
// agree: one chunk, several, and chunks of one token.
func TestDeltaNetTwin(t *testing.T) {
	for name, cfg := range deltanets() {
		m := newDecoder(t, cfg)
		for _, length := range []int{1, 2, 13, 32, 37, 40, 96} {
			ids := tokens(length, 4)
			want := deltaLogits(t, m, ids)
			all := trained(t, m, ids)
			for i := range ids {
				same(t, fmt.Sprintf("%s, token %d of %d, in chunks", name, i, length), all[i*11:][:11], want[i])
			}
			for _, mode := range modes {
				r := newRunner(t, m, mode, 1)
				if r.room > 0 && r.room < length {
					continue
				}
				for i, got := range r.step(ids)[0] {
					same(t, fmt.Sprintf("%s, %s, token %d", name, modeName(mode), i), got, want[i])
				}
			}
		}
	}
}

// Pads on the left and company in the batch change nothing.
func TestDeltaNetPadding(t *testing.T) {
	for name, cfg := range deltanets() {
		m := newDecoder(t, cfg)
		a, b := tokens(8, 1), tokens(5, 2)
		both := newRunner(t, m, models.Mode{}, 2).step(a, append([]int64{-1, -1, -1}, b...))
		for i, want := range deltaLogits(t, m, a) {
			same(t, name+", row without padding", both[0][i], want)
		}
		for i, want := range deltaLogits(t, m, b) {
			same(t, name+", padded row", both[1][3+i], want)
		}
	}
}

// The gradient of every weight, within a chunk and through the states of several.
func TestDeltaNetGradient(t *testing.T) {
	for name, cfg := range deltanets() {
		for _, length := range []int{5, 34} {
			if cfg.Encoding != "deltanet" {
				continue // gradients of attention are tested elsewhere
			}
			cfg.NLayers, cfg.DModel, cfg.DHead, cfg.DFF = 1, 6, 4, 5
			m := newDecoder(t, cfg)
			w := lively(m)
			for _, name := range []string{"q_proj", "k_proj"} { // differences are bad near 0, which has no direction
				for i := range tensor.Data[float32](w["layers.0.attn."+name+".weight"]) {
					tensor.Data[float32](w["layers.0.attn."+name+".weight"])[i] *= 4
				}
			}
			feed := map[string]*tensor.Tensor{"input_ids": tensor.Of(tokens(length, 2), 1, length)}
			t.Run(fmt.Sprintf("%s/%d", name, length), func(t *testing.T) {
				graphtest.CheckGrad(t, func(b *graph.Builder) (*graph.Node, []*graph.Node) {
					logits := m.Forward(b, models.Mode{Steps: length}).Logits
					var weights []*graph.Node
					for _, p := range m.Params() {
						weights = append(weights, b.Param(p.Name, tensor.Float32, p.Shape...))
					}
					return b.ReduceSum(b.Mul(logits, logits), true), weights
				}, feed, w)
			})
		}
	}
}

// Tokens that are all alike, with steps of almost 2 and no decay, turn the state around each
// time, as parity does. In float32, chunks are as exact there as elsewhere: see unitInverse.
func TestDeltaNetOfLikeKeys(t *testing.T) {
	cfg := micro("deltanet", "modern")
	cfg.Decay, cfg.Conv, cfg.NLayers = "none", 1, 1
	cfg.NormEps = 0.01 // every second output is almost 0, and its norm should not blow it up
	m := newDecoder(t, cfg)
	w := lively(m)
	for i := range tensor.Data[float32](w["layers.0.attn.b_proj.weight"]) {
		tensor.Data[float32](w["layers.0.attn.b_proj.weight"])[i] *= 100
	}
	const length = 64
	ids := slices.Repeat([]int64{3}, length)
	b := graph.NewBuilder()
	g, err := b.Build(graph.Output{Name: "logits", Node: m.Forward(b, models.Mode{Steps: length}).Logits})
	if err != nil {
		t.Fatal(err)
	}
	feed := map[string]*tensor.Tensor{"input_ids": tensor.Of(ids, 1, length)}
	exact, err := interp.New(g, tensor.Float64).Run(t.Context(), feed, w)
	if err != nil {
		t.Fatal(err)
	}
	single, err := interp.New(g, tensor.Float32).Run(t.Context(), feed, w)
	if err != nil {
		t.Fatal(err)
	}
	logits := tensor.Data[float64](exact["logits"])
	for i, x := range tensor.Data[float32](single["logits"]) {
		if !(math.Abs(float64(x)-logits[i]) < 1e-4*max(1, math.Abs(logits[i]))) {
			t.Fatalf("logit %d is %v in float32 and %v in float64", i, x, logits[i])
		}
	}
	if d := worst(logits[11:22], logits[22:33]); d < 0.1 {
		t.Errorf("the logits of neighbours differ by %v: the state does not turn", d)
	}
}

// States that nothing has taught yet forget 0.1 % to 10 % a token.
func TestDeltaNetFirstDecays(t *testing.T) {
	for _, p := range newDecoder(t, micro("deltanet", "modern")).Params() {
		if !strings.HasSuffix(p.Name, "dt_bias") {
			continue
		}
		for h, want := range []float64{0.001 * math.Sqrt(10), 0.01 * math.Sqrt(10)} {
			if got := math.Log1p(math.Exp(p.Init[h])); math.Abs(got-want) > 1e-12 {
				t.Errorf("%s of head %d: a rate of %v, want %v", p.Name, h, got, want)
			}
		}
	}
}

func TestDeltaNetErrors(t *testing.T) {
	for _, tc := range []struct {
		change func(*models.Config)
		want   string
	}{
		{func(c *models.Config) { c.BetaMax = 2.5 }, "beta_max 2.5"},
		{func(c *models.Config) { c.BetaMax = math.NaN() }, "beta_max NaN"},
		{func(c *models.Config) { c.Decay = "some" }, `decay "some"`},
		{func(c *models.Config) { c.Gate = "relu" }, `gate "relu"`},
		{func(c *models.Config) { c.Conv = -1 }, "conv -1"},
		{func(c *models.Config) { c.ConvStd = -1 }, "conv_std -1"},
		{func(c *models.Config) { c.HeadNormEps = 2 }, "head_norm_eps 2"},
		{func(c *models.Config) { c.Mixer, c.EncodingParams = "deltanet/rope", []byte(`{"theta":9}`) }, `settings of "theta"`},
		{func(c *models.Config) { c.Mixer, c.LogitSlope = "deltanet/rope", 1 }, "logit_slope 1"},
		{func(c *models.Config) { c.EncodingParams = []byte(`{"rope":{}}`) }, "encoding_params"},
		{func(c *models.Config) { c.Mixer = "deltanet/rpe" }, `mixer deltanet/rpe: unknown encoding "rpe"`},
		{func(c *models.Config) { c.Mixer = "rope/nope" }, "mixer rope/nope has no deltanet; for attention alone set"},
		{func(c *models.Config) { c.Mixer = "deltanet*3/nope" }, "4 layers long, and the model has n_layers 2"},
		{func(c *models.Config) { c.NHeads, c.DHead = 3, 0 }, "n_heads 3 does not divide d_model 16"},
	} {
		cfg := micro("deltanet", "modern")
		tc.change(&cfg)
		if _, err := models.New(cfg); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("error %v, want one about %s", err, tc.want)
		}
	}
	b := graph.NewBuilder()
	newDecoder(t, micro("deltanet", "modern")).Forward(b, models.Mode{})
	if b.Err() == nil || !strings.Contains(b.Err().Error(), "Mode.Steps") {
		t.Errorf("training on sequences of any length: %v", b.Err())
	}
}

func TestDeltaNetText(t *testing.T) {
	cfg := micro("deltanet", "modern")
	cfg.NLayers = 1
	g, _, err := newDecoder(t, cfg).Graph(models.Mode{})
	if err != nil {
		t.Fatal(err)
	}
	graphtest.Golden(t, "deltanet", g.String())
}

// Outputs of heads that another program (numpy) computed by the formula of Kimi Delta Attention from the arrays of
// checkArray, with 3 taps. The twin is compared, with which all graphs are.
func TestKimiCheckValues(t *testing.T) {
	kimi := func(gate string, beta float64) [][]float64 {
		cfg := checkConfig("deltanet")
		cfg.Decay, cfg.Gate, cfg.Conv, cfg.BetaMax, cfg.HeadNormEps = "channel", gate, 3, beta, 1e-6
		m := newDecoder(t, cfg)
		weights, inner := models.InitWeights(m.Params(), 1), checkHeads*checkHead
		set := func(name, array string, amp, offset float64) {
			w := weights["layers.0.attn."+name]
			for i, v := range checkArray(array, amp, w.Len()) {
				tensor.Data[float32](w)[i] = float32(v + offset)
			}
		}
		set("a_down.weight", "f1", 0.5, 0)
		set("a_up.weight", "f2", 0.5, 0)
		set("dt_bias", "dt", 1, -3)
		set("log_rate", "al", 0.5, 0)
		set("b_proj.weight", "b", 0.5, 0)
		if gate == "sigmoid" {
			set("g_down.weight", "g1", 0.5, 0)
			set("g_up.weight", "g2", 0.5, 0)
			set("g_up.bias", "gb", 0.5, 0)
		}
		l := &twinLayer{}
		tokens := func(array string) (rows [][]float64) {
			values := checkArray(array, 1, checkTokens*inner)
			for t := range checkTokens {
				var row []float64
				for h := range checkHeads {
					row = append(row, values[(h*checkTokens+t)*checkHead:][:checkHead]...)
				}
				rows = append(rows, row)
			}
			return rows
		}
		l.q, l.k, l.v = tokens("q"), tokens("k"), tokens("v")
		for row := range slices.Chunk(checkInput(), checkWidth) {
			l.hidden = append(l.hidden, row)
		}
		for part, array := range []string{"cq", "ck", "cv"} {
			for i, v := range checkArray(array, 0.6, 3*inner) {
				tensor.Data[float32](weights["layers.0.attn.conv.weight"])[i/inner*3*inner+part*inner+i%inner] = float32(v)
			}
		}
		w := twinOf(t, "deltanet", m.Config()).weights(weights)
		var out [][]float64
		for t := range checkTokens {
			out = append(out, w.mix(l, t))
		}
		return out
	}
	compareOutputs(t, "normed and gated", kimi("sigmoid", 1), [2][4]float64{
		{-0.5475812, -0.4903761, -0.2554785, -0.3038555}, {-0.1999174, -0.0492876, -0.4573948, -0.1440331}}, -0.5906847)
	last := kimi("none", 2)[checkTokens-1]
	for h, want := range [2][4]float64{{-0.0467225, -0.1104706, -0.0403983, -0.1093361}, {-0.1487846, -0.0282550, -0.1662758, -0.0084574}} {
		square := 0.0
		for _, v := range want {
			square += v * v / checkHead
		}
		for i, v := range want {
			if got := last[h*checkHead+i] * math.Sqrt(square+1e-6); math.Abs(got-v) > 2e-6 {
				t.Errorf("beta_max 2, head %d, feature %d: %.7f, want %.7f", h, i, got, v)
			}
		}
	}
}
