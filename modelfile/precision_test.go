package modelfile_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/export"
	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/models/pe"
	"github.com/nopezoo/zoo/models/theory"
	"github.com/nopezoo/zoo/runtime"
)

// precise are small models of every encoding and architecture, by name.
func precise(t *testing.T) map[string]modelfile.Model {
	t.Helper()
	out := map[string]modelfile.Model{}
	for _, row := range pe.Table() {
		m, weights := model(t, row.Name, "modern")
		out[row.Name] = modelfile.Model{Config: m.Config(), Weights: weights, Card: description()}
	}
	for _, settings := range []string{"faithful", "gpt2"} {
		m, weights := model(t, "rope", settings)
		out["rope "+settings] = modelfile.Model{Config: m.Config(), Weights: weights, Card: description()}
	}
	delta := size("rope", "modern")
	delta.Mixer = "deltanet/rope"
	for name, cfg := range map[string]models.Config{
		"deltanet": delta,
		"cwrnn":    {Encoding: "cwrnn", DModel: 16, NUnits: 32, NModules: 4, VocabSize: vocab},
		"lstm":     {Encoding: "lstm", DModel: 16, NUnits: 32, VocabSize: vocab},
	} {
		m, err := models.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		out[name] = modelfile.Model{Config: m.Config(), Weights: models.InitWeights(m.Params(), 3), Card: description()}
	}
	return out
}

// answered is all logits of rows, one after another.
func answered(t *testing.T, file []byte, opt runtime.Options, rows [][]int64) []float32 {
	t.Helper()
	s, err := runtime.OpenBytes(file, opt)
	if err != nil {
		t.Fatal(err)
	}
	return logitsOf(t, s, rows)
}

// logitsOf is answered of an open session, which it closes.
func logitsOf(t *testing.T, s *runtime.Session, rows [][]int64) []float32 {
	t.Helper()
	defer s.Close()
	out, err := s.Logits(t.Context(), rows)
	if err != nil {
		t.Fatal(err)
	}
	var all []float32
	for _, o := range out {
		all = append(all, tensor.Data[float32](o)...)
	}
	return all
}

// Files in other precisions answer nearly what the float32 file does, in every engine and
// profile, with any others in the batch and however it is read.
func TestPrecisions(t *testing.T) {
	orttest.Require(t)
	rng := rand.New(rand.NewPCG(5, 5))
	row := func(n int) []int64 {
		ids := make([]int64, n)
		for i := range ids {
			ids[i] = rng.Int64N(vocab)
		}
		return ids
	}
	rows := [][]int64{row(12), row(7)}
	for name, m := range precise(t) {
		for _, profile := range []string{card.Portable, card.Fused} {
			if profile == card.Fused && name != "rope" {
				continue
			}
			m.Card.DType = ""
			full, err := m.ONNX(profile)
			if err != nil {
				t.Fatal(err)
			}
			want := answered(t, full, runtime.Options{}, rows)
			for dtype, bound := range map[string]float64{card.Float16: 0.01, card.Int8Block: 0.15, card.Int4Block: 0.4} {
				m.Card.DType = dtype
				file, err := m.ONNX(profile)
				if err != nil {
					t.Fatalf("%s, %s: %v", name, dtype, err)
				}
				got := answered(t, file, runtime.Options{}, rows)
				if e := apart(got, want); !(e > 0 && e < bound) {
					t.Errorf("%s, %s, %s: %.3g from float32, want up to %g", name, profile, dtype, e, bound)
				}
				for how, opt := range map[string]runtime.Options{"token by token": {ChunkSize: 1}, "pure Go": {Provider: "go"}} {
					if e := apart(answered(t, file, opt, rows), got); !(e < bound/4) {
						t.Errorf("%s, %s, %s: %s is %.3g from ONNX Runtime", name, profile, dtype, how, e)
					}
				}
				if e := apart(answered(t, file, runtime.Options{}, rows[1:]), got[len(rows[0])*vocab:]); !(e < bound/4) {
					t.Errorf("%s, %s, %s: a row alone is %.3g from the row in a batch", name, profile, dtype, e)
				}
				if len(file) > len(full) && name == "rope" {
					t.Errorf("%s: %d bytes, and float32 takes %d", dtype, len(file), len(full))
				}
			}
		}
	}
}

// How tokens are fed changes float32 in the last digits, and int8, by roundings that these decide, a thousand times
// as much: docs/internals.md and the help of zoo export say so.
func TestRoundedSteps(t *testing.T) {
	orttest.Require(t)
	rng := rand.New(rand.NewPCG(6, 6))
	rows := make([][]int64, 4)
	for i := range rows {
		for range 200 {
			rows[i] = append(rows[i], rng.Int64N(vocab))
		}
	}
	made, err := models.New(models.Config{Encoding: "rope", DModel: 64, NLayers: 4, NHeads: 4, DFF: 256, VocabSize: vocab})
	if err != nil {
		t.Fatal(err)
	}
	m := modelfile.Model{Config: made.Config(), Weights: models.InitWeights(made.Params(), 3), Card: description()}
	worst := map[string]float64{}
	for _, dtype := range []string{"", card.Int8Block, card.Int4Block} {
		m.Card.DType = dtype
		file, err := m.ONNX(card.Portable)
		if err != nil {
			t.Fatal(err)
		}
		pass := answered(t, file, runtime.Options{}, rows)
		for i, step := range answered(t, file, runtime.Options{ChunkSize: 1}, rows) {
			worst[dtype] = max(worst[dtype], math.Abs(float64(step-pass[i])))
		}
	}
	t.Logf("logits move by up to %.2g in float32, %.2g in int8", worst[""], worst[card.Int8Block])
	if !(worst[""] < 1e-4) || !(worst[card.Int8Block] > 100*worst[""]) {
		t.Errorf("between one pass and steps logits move by up to %.3g in float32, %.3g in int8", worst[""], worst[card.Int8Block])
	}
}

// ONNX Runtime multiplies bfloat16 on CUDA alone. The files hold the rounded weights, and pure
// Go answers with them nearly what it does with the float32 file, whole and token by token.
func TestBFloat16(t *testing.T) {
	for name, m := range precise(t) {
		for _, profile := range []string{card.Portable, card.Fused} {
			if profile == card.Fused && name != "rope" {
				continue
			}
			m.Card.DType = ""
			full, err := m.ONNX(profile)
			if err != nil {
				t.Fatal(err)
			}
			m.Card.DType = card.BFloat16
			file, err := m.ONNX(profile)
			if err != nil {
				t.Fatalf("%s, %s: %v", name, profile, err)
			}
			checked, err := safety.Check(file, safety.Options{})
			if err != nil {
				t.Fatalf("%s, %s: %v", name, profile, err)
			}
			g, read, err := export.Read(checked)
			if err != nil {
				t.Fatalf("%s, %s: %v", name, profile, err)
			}
			narrow := 0
			for n, w := range read {
				want := m.Weights[n]
				if w.DType() == tensor.BFloat16 {
					w, want, narrow = w.As(tensor.Float32), want.As(tensor.BFloat16).As(tensor.Float32), narrow+1
				}
				if !tensor.Equal(w, want) {
					t.Errorf("%s, %s: weight %s is %v, and not the rounded one", name, profile, n, w)
				}
			}
			if narrow == 0 || len(read) == narrow {
				t.Errorf("%s, %s: %d of %d weights are bfloat16", name, profile, narrow, len(read))
			}
			for _, port := range slices.Concat(g.Inputs, outputs(g)) {
				if port.DType == tensor.BFloat16 {
					t.Errorf("%s, %s: port %s", name, profile, port.Type())
				}
			}
			ids := [][]int64{{1, 2, 3, 4, 5, 6, 7}, {3, 1, 2, 1}}
			want := answered(t, full, runtime.Options{Provider: "go"}, ids)
			got := answered(t, file, runtime.Options{Provider: "go"}, ids)
			if e := apart(got, want); !(e > 1e-3 && e < 0.02) {
				t.Errorf("%s, %s: %.3g from float32", name, profile, e)
			}
			for how, opt := range map[string]runtime.Options{
				"token by token": {Provider: "go", ChunkSize: 1}, "in float64": {Provider: "go", Exact: true},
			} {
				if e := apart(answered(t, file, opt, ids), got); !(e < 0.005) {
					t.Errorf("%s, %s: %s is %.3g from what it is whole, in float32", name, profile, how, e)
				}
			}
			if _, err := runtime.OpenBytes(file, runtime.Options{Provider: "cpu"}); err == nil ||
				!strings.Contains(err.Error(), "provider cpu multiplies no matrices of bfloat16; use provider cuda") {
				t.Errorf("%s, %s, on the CPU: %v", name, profile, err)
			}
		}
	}
}

func outputs(g *graph.Graph) (out []*graph.Node) {
	for _, o := range g.Outputs {
		out = append(out, o.Node)
	}
	return out
}

// apart is the root of the mean square of a difference, over the other's.
func apart(got, want []float32) float64 {
	var squares, size float64
	for i, v := range want {
		squares += math.Pow(float64(v-got[i]), 2)
		size += float64(v) * float64(v)
	}
	return math.Sqrt(squares / size)
}

// The models of theorems have numbers that float16 does not: that is an error, and no file.
func TestTheoremsInFloat16(t *testing.T) {
	built, err := theory.Theorem1(64)
	if err != nil {
		t.Fatal(err)
	}
	made := modelfile.Model{Config: built.Config, Weights: built.Weights, Card: card.Card{DType: card.Float16}}
	if _, err := made.ONNX(card.Portable); err == nil || !strings.Contains(err.Error(), "leave it in float32") {
		t.Errorf("error %v", err)
	}
}

func TestPrecisionOfCard(t *testing.T) {
	m, weights := model(t, "rope", "modern")
	made := modelfile.Model{Config: m.Config(), Weights: weights, Card: description()}
	plain, err := made.ONNX(card.Portable)
	if err != nil {
		t.Fatal(err)
	}
	made.Card.DType = card.Float32
	if same, err := made.ONNX(card.Portable); err != nil || string(same) != string(plain) {
		t.Errorf("a file that is float32 by name differs, %v", err)
	}
	for dtype, want := range map[string]string{"": "rope.onnx", card.Float32: "rope.onnx", card.Int8Block: "rope.int8.onnx", "int4": "rope.int4.onnx"} {
		made.Card.DType = dtype
		if got := made.FileName(card.Portable); got != want {
			t.Errorf("%s: %s", dtype, got)
		}
	}
	if got := made.FileName(card.Fused); !strings.HasPrefix(got, "rope.fused") {
		t.Error(got)
	}
	made.Card.DType = "int5"
	if _, err := made.ONNX(card.Portable); err == nil || !strings.Contains(err.Error(), "is no precision of files") {
		t.Errorf("int5: %v", err)
	}
}

// BenchmarkPrecisions compares the time of files in other precisions with that of the
// float32 file, at the size small: of prompts of 128 and 512 tokens (prefill), and of one
// more token after them (decode), for 1 and 16 rows. The files take turns, and ratios are of
// medians.
//
//	go test ./modelfile -run '^$' -bench Precisions -benchtime 5x
func BenchmarkPrecisions(b *testing.B) {
	orttest.Require(b)
	dtypes := []string{"", card.Int8Block, card.Int4Block, card.Float16}
	for _, rows := range []int{1, 16} {
		for _, length := range []int{128, 512} {
			b.Run(fmt.Sprintf("%d rows/%d tokens", rows, length), func(b *testing.B) {
				var sessions []*runtime.Session
				for _, dtype := range dtypes {
					sessions = append(sessions, small(b, "rope", card.Portable, dtype))
				}
				prompts := make([][]int64, rows)
				for i := range prompts {
					prompts[i] = make([]int64, length)
				}
				prefill, decode := make([][]time.Duration, len(dtypes)), make([][]time.Duration, len(dtypes))
				for b.Loop() {
					for i, s := range sessions {
						last, first := time.Now(), true
						for _, err := range s.Generate(b.Context(), prompts, runtime.GenerateOptions{MaxNew: 17, Stop: []int64{}}) {
							if err != nil {
								b.Fatal(err)
							}
							took := time.Since(last)
							if last = last.Add(took); first {
								prefill[i], first = append(prefill[i], took), false
							} else {
								decode[i] = append(decode[i], took)
							}
						}
					}
				}
				for i, dtype := range dtypes[1:] {
					b.ReportMetric(float64(median(prefill[i+1]))/float64(median(prefill[0])), dtype+"-prefill")
					b.ReportMetric(float64(median(decode[i+1]))/float64(median(decode[0])), dtype+"-decode")
				}
			})
		}
	}
}
