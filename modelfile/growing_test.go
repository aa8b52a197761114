package modelfile_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/export"
	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/runtime"
)

// growing returns a model's file as it was before there were states in place.
func growing(t *testing.T, m modelfile.Model, profile string) []byte {
	t.Helper()
	d, err := m.Describe(profile)
	if err != nil {
		t.Fatal(err)
	}
	built, err := models.New(m.Config)
	if err != nil {
		t.Fatal(err)
	}
	g, states, err := built.Graph(models.Mode{Fused: profile == card.Fused, Growing: true})
	if err != nil {
		t.Fatal(err)
	}
	d.Card.State = states
	metadata, err := d.Card.Metadata()
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := export.Write(&file, g, m.Weights, export.Options{Metadata: metadata}); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// The files testdata/growing*.onnx were written before there were states in place: a rope
// model of random weights, in both profiles.

// read returns a file of testdata, and the model that it was made of.
func read(t *testing.T, name string) (file []byte, m modelfile.Model) {
	t.Helper()
	file, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	checked, err := safety.Check(file, safety.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, m.Weights, err = export.Read(checked)
	if err != nil {
		t.Fatal(err)
	}
	if m.Card, err = card.Parse(checked.Metadata); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(m.Card.Config, &m.Config); err != nil {
		t.Fatal(err)
	}
	return file, m
}

// TestOldFiles: a file with states that grow still runs, and does what the file that is
// made of the same model today does.
func TestOldFiles(t *testing.T) {
	orttest.Require(t)
	prompts := [][]int64{{2, 3, 4, 5, 6, 7, 8, 9}, {10}, {4, 4, 2}}
	for name, profile := range map[string]string{"growing.onnx": card.Portable, "growing.fused.onnx": card.Fused} {
		old, m := read(t, name)
		today, err := m.ONNX(profile)
		if err != nil {
			t.Fatal(err)
		}
		for _, provider := range []string{"cpu", "go"} {
			t.Run(profile+"/"+provider, func(t *testing.T) {
				var tokens [2][][]int64
				var logits [2][]float32
				for i, file := range [][]byte{old, today} {
					s, err := runtime.OpenBytes(file, runtime.Options{Provider: provider, ChunkSize: 3})
					if err != nil {
						t.Fatal(err)
					}
					defer s.Close()
					kind := card.Growing
					if i == 1 {
						kind = card.InPlace
					}
					for _, state := range s.Info().Card.State {
						if state.Kind != kind {
							t.Errorf("file %d: state %s is of kind %d", i, state.Past, state.Kind)
						}
					}
					opt := runtime.GenerateOptions{Limits: []int{1, 9, 80}, Stop: []int64{}}
					if tokens[i], err = runtime.Tokens(s.Generate(t.Context(), prompts, opt)); err != nil {
						t.Fatal(err)
					}
					rows, err := s.Logits(t.Context(), prompts)
					if err != nil {
						t.Fatal(err)
					}
					for _, row := range rows {
						logits[i] = append(logits[i], tensor.Data[float32](row)...)
					}
				}
				if diff := cmp.Diff(tokens[0], tokens[1]); diff != "" {
					t.Errorf("tokens (-old file +today's):\n%s", diff)
				}
				if diff := cmp.Diff(logits[0], logits[1], cmpopts.EquateApprox(0, 1e-4)); diff != "" {
					t.Errorf("logits (-old file +today's):\n%s", diff)
				}
			})
		}
	}
}
