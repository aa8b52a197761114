package modelfile_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/interp"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/models/pe"
	"github.com/nopezoo/zoo/runtime"
	_ "github.com/nopezoo/zoo/runtime/native"
	"github.com/nopezoo/zoo/tokenizer"
)

const (
	vocab = 30
	// trained stands for the training length: the logits are compared at 1, 4 and
	// 8 times as many tokens.
	trained = 12
)

// size is a small decoder.
func size(encoding, settings string) models.Config {
	return models.Config{Settings: settings, Encoding: encoding, DModel: 32, NLayers: 2, NHeads: 4, DFF: 48,
		VocabSize: vocab}
}

// model is a small decoder with weights large enough that all of it shows.
func model(t testing.TB, encoding, settings string) (models.Model, map[string]*tensor.Tensor) {
	t.Helper()
	return modelOf(t, size(encoding, settings))
}

func modelOf(t testing.TB, cfg models.Config) (models.Model, map[string]*tensor.Tensor) {
	t.Helper()
	m, err := models.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	params := m.Params()
	for i := range params {
		params[i].Std = 0.15
		if params[i].Name == "embed.weight" {
			params[i].Std = 1
		}
	}
	return m, models.InitWeights(params, 3)
}

// description is a card with a vocabulary of words.
func description() card.Card {
	pieces := []string{tokenizer.PadPiece, tokenizer.EOSPiece}
	for i := len(pieces); i < vocab; i++ {
		pieces = append(pieces, fmt.Sprintf(" w%c", 'A'+i))
	}
	return card.Card{Tokenizer: pieces}
}

// reference computes the logits of each row by itself with the interpreter in
// float64, on the graph that training uses: no cache, no mask, no padding.
func reference(t testing.TB, m models.Model, weights map[string]*tensor.Tensor, rows [][]int64) [][]float64 {
	t.Helper()
	b := graph.NewBuilder()
	g, err := b.Build(graph.Output{Name: "logits", Node: m.Forward(b, models.Mode{}).Logits})
	if err != nil {
		t.Fatal(err)
	}
	prog := interp.New(g, tensor.Float64)
	var out [][]float64
	for _, row := range rows {
		positions := make([]int64, len(row))
		for i := range positions {
			positions[i] = int64(i)
		}
		feed := map[string]*tensor.Tensor{"input_ids": tensor.Of(row, 1, len(row))}
		if g.Input("position_ids") != nil {
			feed["position_ids"] = tensor.Of(positions, 1, len(row))
		}
		got, err := prog.Run(t.Context(), feed, weights)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, tensor.Data[float64](got["logits"]))
	}
	return out
}

// TestParity: the interpreter on the model's graph, ONNX Runtime on the exported
// file all at once, token by token with the cache, and prefilled in chunks, and
// the file read back and run by the interpreter give the same logits, with and
// without left padding, with states in place and with states that grow. The bound is the
// project's definition of parity.
func TestParity(t *testing.T) {
	orttest.Require(t)
	rng := rand.New(rand.NewPCG(5, 5))
	row := func(n int) []int64 {
		ids := make([]int64, n)
		for i := range ids {
			ids[i] = rng.Int64N(vocab)
		}
		return ids
	}
	batches := map[string][][]int64{
		"one short":   {row(trained)},
		"one long":    {row(8 * trained)},
		"left padded": {row(4 * trained), row(8 * trained), row(trained), row(1)},
	}
	engines := map[string]runtime.Options{
		"ONNX Runtime, at once":        {ChunkSize: 16 * trained},
		"ONNX Runtime, token by token": {ChunkSize: 1},
		"ONNX Runtime, in chunks":      {ChunkSize: 7},
		"read back, pure Go":           {ChunkSize: 16 * trained, Provider: "go"},
		"read back, exact":             {ChunkSize: 16 * trained, Provider: "go", Exact: true},
	}
	for name, cfg := range parityCases() {
		m, weights := modelOf(t, cfg)
		want := map[string][][]float64{}
		for name, rows := range batches {
			want[name] = reference(t, m, weights, rows)
		}
		made := modelfile.Model{Config: m.Config(), Weights: weights, Card: description()}
		for _, profile := range []string{card.Portable, card.Fused} {
			file, err := made.ONNX(profile)
			if err != nil {
				t.Fatal(err)
			}
			files := map[string][]byte{"in place": file}
			if slices.Contains(studied, cfg.Encoding) {
				files["growing"] = growing(t, made, profile)
			}
			for kind, file := range files {
				for engine, opt := range engines {
					t.Run(strings.Join([]string{name, profile, kind, engine}, "/"), func(t *testing.T) {
						testParity(t, file, opt, batches, want)
					})
				}
			}
		}
	}
}

// studied are the encodings of the paper's study. There are files of them with states that
// grow, and none of the others, for which the tests of models go over both kinds.
var studied = []string{"nope", "rope", "alibi", "sinusoidal", "learned", "t5", "txl", "alibi-learned"}

// parityCases are every encoding, the study's under all families of settings, and what else
// changes attention.
func parityCases() map[string]models.Config {
	cases := map[string]models.Config{}
	encodings := []string{"txl/swa"} // and the table's
	for _, row := range pe.Table() {
		encodings = append(encodings, row.Name)
	}
	for _, encoding := range encodings {
		for _, settings := range []string{"modern", "faithful", "gpt2"} {
			if settings != "modern" && !slices.Contains(studied, encoding) {
				continue
			}
			cases[strings.ReplaceAll(encoding, "/", "+")+"/"+settings] = size(encoding, settings)
		}
	}
	for name, change := range map[string]func(*models.Config){
		"qk-norm":      func(c *models.Config) { c.QKNorm = "rms" },
		"differential": func(c *models.Config) { c.Attention = "differential" },
		"entmax":       func(c *models.Config) { c.Attention = "entmax" },
		"sink":         func(c *models.Config) { c.AttentionSink = "learned" },
		"head gate":    func(c *models.Config) { c.AttentionGate = "head" },
		"element gate": func(c *models.Config) { c.AttentionGate = "element" },
		"ssmax":        func(c *models.Config) { c.LogitScale, c.TrainedLength = "ssmax", trained },
		"log-n":        func(c *models.Config) { c.LogitScale, c.TrainedLength = "log-n", trained },
		"llama-4":      func(c *models.Config) { c.LogitScale, c.TrainedLength = "llama-4", trained },
		"adaptive":     func(c *models.Config) { c.LogitScale = "adaptive" },
		"factors":      func(c *models.Config) { c.LogitFactors = []float64{1.5, 0.5, 1, 2} },
		"ablation":     func(c *models.Config) { c.Ablation = "mean:0.1,1.0" },
	} {
		for _, encoding := range []string{"nope", "rope"} {
			cfg := size(encoding, "modern")
			change(&cfg)
			cases[encoding+"/"+name] = cfg
		}
	}
	for name, change := range map[string]func(*models.Config){
		"llama": func(c *models.Config) {
			c.NKVHeads, c.MLP, c.Activation, c.Bias, c.QKNorm = c.NHeads/2, "gated", "silu", "qkv", "rms"
		},
		"gemma": func(c *models.Config) {
			c.NormPlace, c.EmbedScale, c.AttentionScale, c.AttentionCap, c.LogitCap = "both", 4, "0.25", 5, 3
		},
		"olmo": func(c *models.Config) {
			c.NormPlace, c.QKNorm, c.NKVHeads, c.Head = "output", "rms-all", c.NHeads/2, "untied"
		},
		"pythia": func(c *models.Config) {
			c.Residual, c.Norm, c.Bias, c.Head = "parallel", "layer", "linear,head", "untied"
		},
		"gptj": func(c *models.Config) {
			c.Residual, c.Norm, c.Bias, c.HeadScale = "parallel-shared", "layer", "mlp", "0.5"
		},
		"bloom":    func(c *models.Config) { c.Residual, c.EmbedNorm, c.Norm, c.Bias = "normed", "layer", "layer", "linear" },
		"opt":      func(c *models.Config) { c.NormPlace, c.Norm, c.ClipQKV, c.ResidualScale = "after", "layer", 0.75, 0.5 },
		"phi":      func(c *models.Config) { c.QKNorm, c.MLP = "layer", "gated" },
		"stablelm": func(c *models.Config) { c.QKNorm, c.Norm, c.NKVHeads = "layer-by-head", "layer", c.NHeads/2 },
	} {
		cfg := size("rope", "modern")
		change(&cfg)
		cases["rope/"+name] = cfg
	}
	asentmax := size("nape", "modern")
	asentmax.Attention, asentmax.LogitScale = "entmax", "adaptive"
	cases["nape/ASEntmax"] = asentmax
	scaled := size("rope", "modern")
	scaled.EncodingParams = []byte(`{"scaling":"yarn","scaling_factor":8,"scaling_length":12}`)
	cases["rope/yarn-paper"] = scaled
	for name, settings := range map[string]string{
		"rope/yarn":          `{"scaling":"yarn","scaling_ramp":"pairs","scaling_factor":8,"scaling_length":12,"fraction":0.5}`,
		"sinusoidal/learned": `{"learned":true}`,
		"fire/unshared":      `{"shared":false}`,
		"dape/unshared":      `{"base":"kerple","shared":false}`,
	} {
		encoding, _, _ := strings.Cut(name, "/")
		cfg := size(encoding, "modern")
		cfg.EncodingParams = []byte(settings)
		cases[name] = cfg
	}
	return cases
}

// testParity compares the logits of a file with each row's by itself.
func testParity(
	t *testing.T, file []byte, opt runtime.Options, batches map[string][][]int64, want map[string][][]float64,
) {
	s, err := runtime.OpenBytes(file, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	bound := 1e-4
	if opt.Exact {
		bound = 1e-6 // float32 weights and logits, nothing rounded between
	}
	for name, rows := range batches {
		got, err := s.Logits(t.Context(), rows)
		if err != nil {
			t.Fatal(err)
		}
		for i := range rows {
			if d := worst(tensor.Data[float32](got[i]), want[name][i]); !(d <= bound) {
				t.Errorf("%s, row %d of %d tokens: off by %.2g", name, i, len(rows[i]), d)
			}
		}
	}
}

// worst is the largest |Δ| / max(1, |logit|).
func worst(got []float32, want []float64) float64 {
	if len(got) != len(want) {
		return math.Inf(1)
	}
	d := 0.0
	for i, w := range want {
		if e := math.Abs(float64(got[i])-w) / max(1, math.Abs(w)); !(e <= d) {
			d = e
		}
	}
	return d
}

// Equal arguments give equal bytes.
func TestBuildIsDeterministic(t *testing.T) {
	m, weights := model(t, "rope", "modern")
	for _, profile := range []string{card.Portable, card.Fused} {
		a, err := modelfile.Model{Config: m.Config(), Weights: weights, Card: description()}.ONNX(profile)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			b, err := modelfile.Model{Config: m.Config(), Weights: weights, Card: description()}.ONNX(profile)
			if err != nil {
				t.Fatal(err)
			}
			if string(a) != string(b) {
				t.Fatalf("two builds of the %s profile differ", profile)
			}
		}
	}
}
