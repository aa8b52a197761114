package zoo_test

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/runtime/engine"
	_ "github.com/nopezoo/zoo/runtime/native"
	_ "github.com/nopezoo/zoo/runtime/ort"
	_ "github.com/nopezoo/zoo/tokenizer/hf"
	"github.com/nopezoo/zoo/zoo"
)

// smolLM2Key is the variable that names the folder or file of SmolLM2-135M-Instruct in Q4_1: make test-smollm2.
const smolLM2Key = "ZOO_TEST_SMOLLM2"

// A published model answers in both engines as in transformers: the ids of its tokenizer, the greatest logits after a prompt,
// and the greedy tokens.
func TestSmolLM2(t *testing.T) {
	path := os.Getenv(smolLM2Key)
	if path == "" {
		t.Skip("no model: make test-smollm2 fetches it")
	}
	orttest.Require(t)
	var want struct {
		Cases []struct {
			Prompt      string
			BOS         bool
			IDs         []int64 `json:"input_ids"`
			Top, Greedy []int64
			Logits      []float64
			Text        string
		}
	}
	data, err := os.ReadFile("testdata/smollm2-135m-instruct.json")
	if err == nil {
		err = json.Unmarshal(data, &want)
	}
	if err != nil || len(want.Cases) == 0 {
		t.Fatal(err, len(want.Cases))
	}
	for _, provider := range []string{engine.CPU, engine.Go} {
		t.Run(provider, func(t *testing.T) {
			s, err := zoo.Open(path, zoo.Options{Runtime: runtime.Options{Provider: provider}})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			for _, c := range want.Cases {
				if !c.BOS {
					ids, err := s.Encode(t.Context(), c.Prompt)
					if err != nil || !slices.Equal(ids, c.IDs) {
						t.Errorf("%q is %v, want %v, error %v", c.Prompt, ids, c.IDs, err)
					}
				}
				all, err := s.Logits(t.Context(), [][]int64{c.IDs})
				if err != nil {
					t.Fatal(err)
				}
				shape, logits := all[0].Shape(), tensor.Data[float32](all[0])
				logits = logits[len(logits)-shape[len(shape)-1]:]
				for i, id := range c.Top {
					if got := float64(logits[id]); math.Abs(got-c.Logits[i]) > 1e-4*max(1, math.Abs(c.Logits[i])) {
						t.Errorf("%v: token %d has the logit %v, want %v", c.IDs, id, got, c.Logits[i])
					}
				}
				var tokens []int64
				text := ""
				for step, err := range s.Stream(t.Context(), []runtime.Prompt{{IDs: c.IDs}}, runtime.GenerateOptions{MaxNew: len(c.Greedy)}) {
					if err != nil {
						t.Fatal(err)
					}
					if text += step.Text; step.Token != runtime.NoToken {
						tokens = append(tokens, step.Token)
					}
				}
				if !slices.Equal(tokens, c.Greedy) || text != c.Text {
					t.Errorf("%v goes on with %v %q, want %v %q", c.IDs, tokens, text, c.Greedy, c.Text)
				}
			}
		})
	}
}
