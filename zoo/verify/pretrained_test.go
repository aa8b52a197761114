package verify

import (
	"cmp"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/modelfile/hf"
	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/runtime/engine"
)

// everyPretrained makes tests go over all checkpoints in all precisions: make test-pretrained.
const everyPretrained = "ZOO_TEST_PRETRAINED"

// sampled are checkpoints that differ in what narrow precisions touch: tied and untied heads, matrices that are cut or
// transposed, a parallel residual, biases, gates, multipliers, and mixed windows.
var sampled = []string{"llama", "phi3-longrope", "gpt2", "gpt_neox", "gemma2", "bloom", "falcon-alibi"}

// Files of pretrained checkpoints in narrow precisions: engines agree with the float64 reference of the same file within
// Tolerance or NarrowTolerance and with onnx-go on its structure, and the card has the distance from float32. Their first greedy tokens are
// those of the float32 file wherever that is sure of them.
func TestPretrainedInNarrowPrecisions(t *testing.T) {
	folders, err := filepath.Glob("../../modelfile/hf/testdata/pretrained/*")
	if err != nil || len(folders) == 0 {
		t.Fatal("no checkpoints", err)
	}
	for _, dir := range folders {
		name := filepath.Base(dir)
		if os.Getenv(everyPretrained) == "" && !slices.Contains(sampled, name) {
			continue
		}
		m, err := hf.Read(dir)
		if err != nil {
			t.Fatal(err)
		}
		full, err := m.ONNX(card.Portable)
		if err != nil {
			t.Fatal(err)
		}
		for _, dtype := range []string{card.Float16, card.BFloat16, card.Int8Block, card.Int4Block} {
			for _, provider := range []string{engine.CPU, engine.Go} {
				if engine.CheckDType(dtype, provider) != nil {
					continue
				}
				t.Run(name+"/"+dtype+"/"+provider, func(t *testing.T) {
					if provider == engine.CPU {
						orttest.Require(t)
					}
					m.Card.DType = dtype
					files, err := Build(t.Context(), m, Options{Provider: provider})
					if err != nil {
						t.Fatal(err)
					}
					d := cardOf(t, files[0].Data).Difference
					if d == nil || !(d.Logit > 0) {
						t.Fatalf("the card has the difference %v", d)
					}
					if (d.Bits == nil) != (m.TokenizerFile == nil) || d.Bits != nil && !(math.Abs(*d.Bits-*d.BitsFloat32) < 0.3) {
						t.Errorf("bits per byte %v, float32 %v", d.Bits, d.BitsFloat32)
					}
					sameGreedy(t, full, files[0].Data, provider, d.Logit)
				})
			}
		}
	}
}

// sameGreedy continues two texts of random tokens with the most probable token of float32, and wants the narrow file to
// choose the same wherever float32 is surer of it than distances like the stated one explain.
func sameGreedy(t *testing.T, full, narrow []byte, provider string, distance float64) {
	t.Helper()
	var sessions [2]*runtime.Session
	for i, data := range [][]byte{full, narrow} {
		s, err := runtime.OpenBytes(data, runtime.Options{Provider: provider})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		sessions[i] = s
	}
	vocab, sure := sessions[0].Info().VocabSize, 0
	for _, row := range [][]int64{{5, 9, 33, 17, 60, 41}, {7, 3}} {
		for range 8 {
			var best [2]int
			lead := 0.0
			for i, s := range sessions {
				got, err := s.Logits(t.Context(), [][]int64{row})
				if err != nil {
					t.Fatal(err)
				}
				logits := tensor.Data[float32](got[0])[(len(row)-1)*vocab:]
				order := make([]int, vocab)
				for k := range order {
					order[k] = k
				}
				slices.SortFunc(order, func(a, b int) int { return cmp.Compare(logits[b], logits[a]) })
				if best[i] = order[0]; i == 0 {
					lead = float64(logits[order[0]] - logits[order[1]])
				}
			}
			if lead > 4*distance {
				if sure++; best[0] != best[1] {
					t.Errorf("after %v it says %d, and float32 %d, by %.2g", row, best[1], best[0], lead)
				}
			}
			row = append(row, int64(best[0]))
		}
	}
	if sure == 0 && distance < 0.1 {
		t.Errorf("no token was compared, at a distance of %.2g", distance)
	}
}
