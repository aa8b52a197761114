package foreign_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/runtime"
	_ "github.com/nopezoo/zoo/runtime/native"
)

// TestOptimum opens what Optimum exported of tiny checkpoints of each family in pure Go: prompts of several lengths at
// once, in one go and in chunks, and greedy answers give what transformers computed in float64 with the same weights
// (modelfile/hf/testdata/pretrained). scripts/foreign.py makes the files. Two of Optimum's files do not compute what
// transformers does: what onnxruntime computed with these lies beside them.
func TestOptimum(t *testing.T) {
	const tolerance = 1e-4
	files, err := filepath.Glob("testdata/optimum/*.onnx.gz")
	if err != nil || len(files) != 22 {
		t.Fatalf("%d files, %v; want 22", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".onnx.gz")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model, want := unpacked(t, file), rowsOf(t, name)
			for _, chunk := range []int{0, 4} {
				s, err := runtime.OpenBytes(model, runtime.Options{Provider: "go", Threads: 1, ChunkSize: chunk})
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				var rows [][]int64
				for _, w := range want {
					rows = append(rows, w.ids)
				}
				logits, err := s.Logits(t.Context(), rows)
				if err != nil {
					t.Fatal(err)
				}
				for i, w := range want {
					for at, row := range w.logits {
						for k, v := range row {
							if got := tensor.Data[float32](logits[i])[at*len(row)+k]; !(math.Abs(float64(got)-v) <= tolerance*max(1, math.Abs(v))) {
								t.Fatalf("chunks of %d: row %d, token %d, logit %d is %v, want %v", chunk, i, at, k, got, v)
							}
						}
					}
				}
				for i, w := range want {
					if len(w.greedy) == 0 {
						continue
					}
					answer, err := runtime.Tokens(s.Generate(t.Context(), rows[i:i+1], runtime.GenerateOptions{MaxNew: len(w.greedy), Stop: []int64{}}))
					if err != nil || !slices.Equal(answer[0], w.greedy) {
						t.Errorf("chunks of %d: row %d goes on with %v, %v, want %v", chunk, i, answer, err, w.greedy)
					}
				}
			}
		})
	}
}

// wantedRow is a prompt and what is to be computed with it.
type wantedRow struct {
	ids    []int64
	logits map[int][]float64 // by place in ids
	greedy []int64
}

func unpacked(t *testing.T, file string) []byte {
	t.Helper()
	packed, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil || len(data) > 300_000 {
		t.Fatalf("%d bytes, %v; want at most 300000", len(data), err)
	}
	return data
}

// rowsOf reads what lies beside the file, or what transformers computed.
func rowsOf(t *testing.T, name string) (rows []wantedRow) {
	t.Helper()
	var own expected
	data, err := os.ReadFile(fmt.Sprintf("testdata/optimum/%s.json", name))
	if err == nil {
		if err := json.Unmarshal(data, &own); err != nil {
			t.Fatal(err)
		}
		for _, r := range own.Rows {
			w := wantedRow{r.IDs, map[int][]float64{}, r.Greedy}
			for at, row := range r.Logits {
				w.logits[at] = row
			}
			rows = append(rows, w)
		}
		return rows
	}
	if !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	var of struct {
		Cases []struct {
			IDs    [][]int64   `json:"input_ids"`
			Mask   [][]int     `json:"attention_mask"`
			At     [][2]int    `json:"at"`
			Logits [][]float64 `json:"logits"`
		} `json:"cases"`
		Greedy struct {
			Tokens [][]int64 `json:"tokens"`
		} `json:"greedy"`
	}
	data, err = os.ReadFile(fmt.Sprintf("../../modelfile/hf/testdata/pretrained/%s/expected.json", name))
	if err == nil {
		err = json.Unmarshal(data, &of)
	}
	if err != nil {
		t.Fatal(err)
	}
	for n, c := range of.Cases {
		for i, ids := range c.IDs {
			padding := slices.Index(c.Mask[i], 1)
			w := wantedRow{ids: ids[padding:], logits: map[int][]float64{}}
			if n == 0 { // whose rows the greedy answers belong to
				w.greedy = of.Greedy.Tokens[i]
			}
			for k, at := range c.At {
				if at[0] == i && at[1] >= padding {
					w.logits[at[1]-padding] = c.Logits[k]
				}
			}
			rows = append(rows, w)
		}
	}
	return rows
}
