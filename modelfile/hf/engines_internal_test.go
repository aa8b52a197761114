package hf

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/runtime"
	_ "github.com/nopezoo/zoo/runtime/native"
)

// Files of every checkpoint have transformers' logits and greedy tokens in both engines: portable and fused, in batches of
// rows of different lengths, in chunks, and beyond the declared length.
func TestPretrainedEngines(t *testing.T) {
	orttest.Require(t)
	folders, err := filepath.Glob("testdata/pretrained/*")
	if err != nil || len(folders) == 0 {
		t.Fatal("no checkpoints")
	}
	for _, dir := range folders {
		m, err := Read(dir)
		if err != nil {
			t.Fatal(err)
		}
		m.Card.Pretrained.Beyond = true // some rows are longer than declared
		for name, w := range m.Weights {
			m.Weights[name] = float32s(w)
		}
		for _, form := range []struct{ profile, provider string }{{card.Portable, "cpu"}, {card.Fused, "cpu"}, {card.Portable, "go"},
			{card.Fused, "go"}} {
			t.Run(filepath.Base(dir)+"/"+form.profile+"/"+form.provider, func(t *testing.T) {
				file, err := m.ONNX(form.profile)
				if err != nil {
					t.Fatal(err)
				}
				s, err := runtime.OpenBytes(file, runtime.Options{Provider: form.provider, ChunkSize: 7})
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				checkSession(t, dir, s)
			})
		}
	}
}

// checkSession compares the logits of rows without their padding, and greedy tokens.
func checkSession(t *testing.T, dir string, s *runtime.Session) {
	t.Helper()
	var want struct {
		expected
		Greedy struct {
			IDs    [][]int64 `json:"input_ids"`
			Mask   [][]int64 `json:"attention_mask"`
			Tokens [][]int64 `json:"tokens"`
		} `json:"greedy"`
	}
	data, err := os.ReadFile(filepath.Join(dir, "expected.json"))
	if err == nil {
		err = json.Unmarshal(data, &want)
	}
	if err != nil {
		t.Fatal(err)
	}
	bound := 1e-4
	if filepath.Base(dir) == "falcon-alibi" {
		bound = 0.02
	}
	for _, c := range want.Cases {
		rows, pads := unpadded(c.IDs, c.Mask)
		got, err := s.Logits(t.Context(), rows)
		if err != nil {
			t.Fatal(err)
		}
		worst := 0.0
		for i, at := range c.At {
			logits := tensor.Data[float32](got[at[0]])[(at[1]-pads[at[0]])*len(c.Logits[i]):]
			for j, x := range c.Logits[i] {
				worst = max(worst, math.Abs(float64(logits[j])-x)/max(1, math.Abs(x)))
			}
		}
		if !(worst <= bound) {
			t.Errorf("%s: logits are off by %.2g", c.Name, worst)
		}
	}
	rows, _ := unpadded(want.Greedy.IDs, want.Greedy.Mask)
	got := make([][]int64, len(rows))
	for step, err := range s.Generate(t.Context(), rows, runtime.GenerateOptions{MaxNew: len(want.Greedy.Tokens[0])}) {
		if err != nil {
			t.Fatal(err)
		}
		for i, token := range step.Tokens {
			if token != runtime.NoToken {
				got[i] = append(got[i], token)
			}
		}
	}
	for i := range rows {
		if end := slices.Index(want.Greedy.Tokens[i], 2); end >= 0 && slices.Contains(s.Info().Card.Pretrained.Ends, 2) {
			want.Greedy.Tokens[i] = want.Greedy.Tokens[i][:end+1] // transformers was told to go on
		}
		if !slices.Equal(got[i], want.Greedy.Tokens[i]) {
			t.Errorf("greedy tokens of row %d are %v, transformers has %v", i, got[i], want.Greedy.Tokens[i])
		}
	}
}

// unpadded returns rows without their padding on the left, and how much each had.
func unpadded(ids, mask [][]int64) (rows [][]int64, pads []int) {
	for i, row := range ids {
		pad := slices.Index(mask[i], 1)
		rows, pads = append(rows, row[pad:]), append(pads, pad)
	}
	return rows, pads
}
