package hf

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph/interp"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/models"
)

// expected is what transformers gives for a checkpoint, all in float64.
type expected struct {
	Cases []struct {
		Name      string      `json:"name"`
		IDs       [][]int64   `json:"input_ids"`
		Mask      [][]int64   `json:"attention_mask"`
		Positions [][]int64   `json:"position_ids"`
		At        [][2]int    `json:"at"`
		Logits    [][]float64 `json:"logits"`
	} `json:"cases"`
}

// Every checkpoint of testdata has the logits of transformers, in the interpreter, from either spelling of its config.json.
func TestPretrained(t *testing.T) {
	folders, err := filepath.Glob("testdata/pretrained/*/config.json")
	if err != nil || len(folders) == 0 {
		t.Fatal("no checkpoints")
	}
	for _, config := range folders {
		dir := filepath.Dir(config)
		for _, spelling := range []string{"config.json", "config.hub.json"} {
			t.Run(filepath.Base(dir)+"/"+spelling, func(t *testing.T) {
				m, err := Read(respelled(t, dir, spelling))
				if err != nil {
					t.Fatal(err)
				}
				checkLogits(t, dir, m)
			})
		}
	}
}

// respelled returns a copy of a folder in which a file is config.json.
func respelled(t *testing.T, dir, spelling string) string {
	t.Helper()
	copied := t.TempDir()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name := e.Name()
		if name == "config.json" {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if name == "config.hub.json" && spelling == name {
			name = "config.json"
		}
		if err := os.WriteFile(filepath.Join(copied, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if spelling == "config.json" {
		data, err := os.ReadFile(filepath.Join(dir, spelling))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(copied, spelling), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return copied
}

// checkLogits runs a model on the cases of a folder.
func checkLogits(t *testing.T, dir string, m modelfile.Model) {
	t.Helper()
	var want expected
	data, err := os.ReadFile(filepath.Join(dir, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	made, err := models.New(m.Config)
	if err != nil {
		t.Fatal(err)
	}
	g, states, err := made.Graph(models.Mode{})
	if err != nil {
		t.Fatal(err)
	}
	weights := map[string]*tensor.Tensor{}
	for name, w := range m.Weights {
		if weights[name] = w; w.DType().Halves() {
			weights[name] = w.As(tensor.Float32)
		}
	}
	bound := 2e-6
	if filepath.Base(dir) == "falcon-alibi" {
		bound = 0.02 // transformers rounds the bias to bfloat16
	}
	prog := interp.New(g, tensor.Float64)
	for _, c := range want.Cases {
		rows, width := len(c.IDs), len(c.IDs[0])
		at := make([]int64, width)
		for i := range at {
			at[i] = int64(i)
		}
		feed := map[string]*tensor.Tensor{
			"input_ids": tensor.Of(slices.Concat(c.IDs...), rows, width), "attention_mask": tensor.Of(slices.Concat(c.Mask...), rows, width),
			"position_ids": tensor.Of(slices.Concat(c.Positions...), rows, width), "cache_position": tensor.Of(at, width),
			"logits_to_keep": tensor.Of([]int64{int64(width)}, 1),
		}
		for _, s := range states {
			feed[s.Past] = tensor.New(tensor.Float32, s.AppendDims(nil, rows, width)...)
		}
		for name := range feed {
			if g.Input(name) == nil {
				delete(feed, name)
			}
		}
		out, err := prog.Run(t.Context(), feed, weights)
		if err != nil {
			t.Fatal(err)
		}
		logits := tensor.Data[float64](out[card.Logits.Name])
		for i, at := range c.At {
			got := logits[(at[0]*width+at[1])*len(c.Logits[i]):]
			for j, x := range c.Logits[i] {
				if d := math.Abs(got[j]-x) / max(1, math.Abs(x)); !(d <= bound) {
					t.Fatalf("%s, row %d, token %d: logit %d is %v, transformers has %v", c.Name, at[0], at[1], j, got[j], x)
				}
			}
		}
	}
}
