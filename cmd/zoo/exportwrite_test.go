package main

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/cmd/zoo/internal/terminal"
	"github.com/nopezoo/zoo/internal/onnxpb"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/runtime"
	_ "github.com/nopezoo/zoo/runtime/native"
	"github.com/nopezoo/zoo/zoo/verify"
)

// A model with a data file is replaced in steps. Where these end early there is the old model or the new one, and the same
// command makes good what is left.
func TestReplacedModelIsWhole(t *testing.T) {
	most := onnxpb.MaxMessage
	t.Cleanup(func() { onnxpb.MaxMessage = most })
	built := func(seed uint64, limit int64) verify.File {
		onnxpb.MaxMessage = limit
		cfg := models.Config{Encoding: "rope", DModel: 32, NLayers: 2, NHeads: 2, DFF: 64, VocabSize: 30}
		m, err := models.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		model := modelfile.Model{Config: cfg, Weights: models.InitWeights(m.Params(), seed), Card: card.Card{Seed: seed}}
		files, err := verify.Build(t.Context(), model, verify.Options{Name: "m.onnx", Unchecked: true})
		if err != nil || (len(files[0].Beside) == 1) != (limit < most) {
			t.Fatal(len(files[0].Beside), err)
		}
		return files[0]
	}
	a := &app{Streams: terminal.Streams{Out: io.Discard, Err: io.Discard}}
	old := built(1, 20_000)
	for name, fresh := range map[string]verify.File{"large": built(2, 20_000), "small": built(2, most)} {
		steps := len(a.writing(terminal.Output{}, fresh))
		onnxpb.MaxMessage = 20_000
		for done := range steps + 1 {
			out := terminal.Output{Path: filepath.Join(t.TempDir(), "m.onnx")}
			write := func(f verify.File, most int) {
				for _, step := range a.writing(out, f)[:most] {
					if err := step(); err != nil {
						t.Fatal(err)
					}
				}
			}
			holds := func(seed uint64) bool {
				s, err := runtime.Open(out.Path, runtime.Options{Provider: "go"})
				if err != nil {
					t.Fatalf("%s, after %d of %d steps: %v", name, done, steps, err)
				}
				defer s.Close()
				return s.Info().Card.Seed == seed
			}
			write(old, len(a.writing(out, old)))
			write(fresh, done)
			if !holds(1) && !holds(2) {
				t.Errorf("%s, after %d of %d steps: another model", name, done, steps)
			}
			write(fresh, steps)
			entries, err := os.ReadDir(filepath.Dir(out.Path))
			if err != nil {
				t.Fatal(err)
			}
			want := []string{"m.onnx"}
			for data := range fresh.Beside {
				want = append(want, data)
			}
			var got []string
			for _, e := range entries {
				got = append(got, e.Name())
			}
			if slices.Sort(want); !slices.Equal(got, want) || !holds(2) {
				t.Errorf("%s, after %d of %d steps and all again: %v, expected %v", name, done, steps, got, want)
			}
		}
	}
}
