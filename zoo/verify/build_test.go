package verify

import (
	"slices"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/internal/tasktest"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/export"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/onnxpb"
	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/runtime/engine"
	"github.com/nopezoo/zoo/tokenizer"
)

// of is a small model with random weights, whose card claims what it was never checked for.
func of(t *testing.T, cfg models.Config, seed uint64) modelfile.Model {
	t.Helper()
	m, err := models.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	claimed := 1.0
	return modelfile.Model{Config: cfg, Weights: models.InitWeights(m.Params(), seed),
		Card: card.Card{Parity: &claimed, Checks: []string{"by hand"}}}
}

// words is a vocabulary of three.
var words = []string{tokenizer.PadPiece, tokenizer.EOSPiece, " a"}

func cardOf(t *testing.T, file []byte) card.Card {
	t.Helper()
	info, err := export.Inspect(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := card.Parse(info.Metadata)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A card names the checks of its file, and no others.
func TestBuildNamesItsChecks(t *testing.T) {
	clockwork := models.Config{Encoding: "cwrnn", DModel: 8, NUnits: 24, NModules: 4, VocabSize: 30}
	for _, tc := range []struct {
		name   string
		o      Options
		checks [][]string // of each file
	}{
		{"nothing", Options{Unchecked: true, Looped: true}, [][]string{nil, nil}},
		{"pure Go", Options{Provider: "go", Profile: card.Fused}, [][]string{{card.CheckStructure, card.CheckGo}}},
		{"ONNX Runtime", Options{}, [][]string{{card.CheckStructure, card.CheckParity}}},
		{"looped", Options{Looped: true, Profile: card.Fused},
			[][]string{{card.CheckStructure, card.CheckParity}, {card.CheckStructure, card.CheckLooped}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if !tc.o.Unchecked && tc.o.Provider == "" {
				orttest.Require(t)
			}
			m := of(t, clockwork, 1)
			m.Card.Tokenizer = words
			files, err := Build(t.Context(), m, tc.o)
			if err != nil || len(files) != len(tc.checks) {
				t.Fatalf("%d files, error %v", len(files), err)
			}
			for i, f := range files {
				c := cardOf(t, f.Data)
				if !slices.Equal(c.Checks, tc.checks[i]) || !slices.Equal(f.Checks, c.Checks) {
					t.Errorf("file %d: checks %v in the card, %v", i, c.Checks, f.Checks)
				}
				measured := slices.Contains(c.Checks, card.CheckParity)
				if measured != (c.Parity != nil) || measured && *c.Parity != f.Worst {
					t.Errorf("file %d: parity %v in the card, worst error %v", i, c.Parity, f.Worst)
				}
			}
		})
	}
}

// The card of a file in another precision says how far it is from the float32 file, on
// samples of its task; and so does its description.
func TestBuildInAnotherPrecision(t *testing.T) {
	copied, err := task.Lookup("copy")
	if err != nil {
		t.Fatal(err)
	}
	words := tasktest.Vocabulary(copied)
	m := of(t, models.Config{Encoding: "rope", DModel: 32, NLayers: 1, NHeads: 2, DFF: 32, VocabSize: len(words)}, 1)
	m.Card.Tokenizer, m.Card.Task, m.Card.Trained = words, copied.Name, card.Lengths{Min: 1, Max: 2}
	untasked := of(t, models.Config{Encoding: "rope", DModel: 32, NLayers: 1, NHeads: 2, DFF: 32, VocabSize: 30}, 1)
	for _, provider := range []string{"cpu", "go"} {
		t.Run(provider, func(t *testing.T) {
			if provider == "cpu" {
				orttest.Require(t)
			}
			for dtype, least := range map[string]float64{card.Float16: 1e-5, card.Int8Block: 1e-3, card.Int4Block: 1e-2, card.BFloat16: 1e-4} {
				if engine.CheckDType(dtype, provider) != nil {
					continue
				}
				m.Card.DType, untasked.Card.DType = dtype, dtype
				files, err := Build(t.Context(), m, Options{Provider: provider})
				if err != nil {
					t.Fatalf("%s, %s: %v", provider, dtype, err)
				}
				c := cardOf(t, files[0].Data)
				d := c.Difference
				if c.DType != dtype || d == nil || !(d.Logit > least) || !(d.Relative > least) || d.Relative > d.Logit {
					t.Fatalf("%s, %s: the card has %q and %v", provider, dtype, c.DType, d)
				}
				if engine := map[string]string{"cpu": "ONNX Runtime 1.", "go": "pure Go, go1."}[provider]; !strings.HasPrefix(d.Engine, engine) ||
					strings.Contains(d.Engine, ", cpu") != (provider == "cpu") {
					t.Errorf("%s, %s: measured in %q", provider, dtype, d.Engine)
				}
				var lengths []int
				for _, a := range d.Accuracy {
					if lengths = append(lengths, a.Length); a.Task != "copy" || a.N < 10 || a.Correct > a.N {
						t.Errorf("%s, %s: %+v", provider, dtype, a)
					}
				}
				if !slices.Equal(lengths, []int{2, 3, 4}) {
					t.Errorf("%s, %s: compared at %v", provider, dtype, lengths)
				}
				files, err = Build(t.Context(), untasked, Options{Provider: provider})
				if err != nil || !(files[0].Difference.Logit > 0) || len(files[0].Difference.Accuracy) > 0 {
					t.Errorf("%s, %s, without a task: %+v, %v", provider, dtype, files, err)
				}
			}
		})
	}
	m.Card.DType = card.Float32
	files, err := Build(t.Context(), m, Options{Provider: "go"})
	if err != nil || files[0].Difference != nil || cardOf(t, files[0].Data).DType != "" {
		t.Errorf("float32: %v, %v", files, err)
	}
}

// A model whose weights do not fit into its file is checked with its data file, whatever the engine; without a name for that it is
// refused.
func TestBuildWithDataFile(t *testing.T) {
	most := onnxpb.MaxMessage
	t.Cleanup(func() { onnxpb.MaxMessage = most })
	m := of(t, models.Config{Encoding: "rope", DModel: 32, NLayers: 2, NHeads: 2, DFF: 64, VocabSize: 30}, 1)
	whole, err := Build(t.Context(), m, Options{Provider: "go"})
	if err != nil {
		t.Fatal(err)
	}
	onnxpb.MaxMessage = 20_000
	for _, provider := range []string{"cpu", "go"} {
		if provider == "cpu" {
			orttest.Require(t)
		}
		files, err := Build(t.Context(), m, Options{Provider: provider, Name: "m.onnx"})
		if err != nil || len(files[0].Beside) != 1 || len(files[0].Data) >= len(whole[0].Data) || len(files[0].Checks) != 2 {
			t.Fatalf("%s: %v, %v", provider, err, files)
		}
		if provider == "go" && files[0].Worst != whole[0].Worst {
			t.Errorf("the worst error is %v, and %v in one file", files[0].Worst, whole[0].Worst)
		}
		if _, err := Build(t.Context(), m, Options{Provider: provider}); err == nil || !strings.Contains(err.Error(), "write it with a data file") {
			t.Errorf("%s, without a name: %v", provider, err)
		}
	}
	m.Card.Tokenizer = words
	if _, err := Build(t.Context(), m, Options{Name: "m.onnx", Looped: true}); err == nil || !strings.Contains(err.Error(), "leave out --generate") {
		t.Errorf("a file of answers: %v", err)
	}
}

// What float16 cannot hold is an error before anything is written: a weight at once, a value
// when the file is compared.
func TestBuildBeyondFloat16(t *testing.T) {
	m := of(t, models.Config{Encoding: "nope", DModel: 16, NLayers: 1, NHeads: 2, DFF: 32, VocabSize: 30}, 1)
	m.Card.DType = card.Float16
	up, down := m.Weights["layers.0.mlp.up_proj.weight"], m.Weights["layers.0.mlp.down_proj.weight"]
	for i := range tensor.Data[float32](up) {
		tensor.Data[float32](up)[i] = 30000
	}
	_, err := Build(t.Context(), m, Options{Provider: "go"})
	if err == nil || !strings.Contains(err.Error(), "verify: ") {
		t.Errorf("a value beyond float16: %v", err)
	}
	tensor.Data[float32](down)[0] = 1e5
	_, err = Build(t.Context(), m, Options{Provider: "go"})
	if err == nil || !strings.Contains(err.Error(), "weight layers.0.mlp.down_proj.weight: its largest number is 1e+05") {
		t.Errorf("a weight beyond float16: %v", err)
	}
}

// Answers of other weights are told from those of the file that is run step by step; a model
// with a maximum is compared up to that.
func TestAnswersParity(t *testing.T) {
	orttest.Require(t)
	decoder := models.Config{Encoding: "learned", Settings: "faithful", EncodingParams: []byte(`{"max_length":40}`), DModel: 32, NLayers: 2,
		NHeads: 2, DFF: 32, VocabSize: 3}
	o := Options{Profile: card.Portable}
	files := func(seed uint64) (steps, answers opener) {
		m := of(t, decoder, seed)
		m.Card.Tokenizer = words
		steps = o.written(m, runtime.Options{Provider: "cpu"})
		m.Looped = true
		return steps, o.written(m, runtime.Options{Provider: "cpu"})
	}
	steps, answers := files(1)
	_, others := files(2)
	if worst, err := loopedParity(t.Context(), steps, answers); err != nil || worst > Tolerance {
		t.Errorf("worst %v, error %v", worst, err)
	}
	if _, err := loopedParity(t.Context(), steps, others); err == nil ||
		!strings.Contains(err.Error(), "it answers [") {
		t.Errorf("other weights: error %v", err)
	}
}
