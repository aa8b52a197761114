package attention_test

import (
	"math"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/examples/browser/attention"
	"github.com/nopezoo/zoo/graph/tensor"
	_ "github.com/nopezoo/zoo/runtime/native"
	"github.com/nopezoo/zoo/zoo/catalogue"
)

// file is copy-rope, with its attention weights or without.
func file(t *testing.T, weights bool) []byte {
	t.Helper()
	manifest, err := catalogue.Embedded().Manifest("copy-rope")
	if err != nil {
		t.Fatal(err)
	}
	m, err := catalogue.Embedded().Model(manifest.Name)
	if err != nil {
		t.Fatal(err)
	}
	m.Attentions = weights
	data, err := m.ONNX(card.Portable)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestWeights: the weights of a token are a distribution over the tokens up to it, and do not
// depend on what comes later.
func TestWeights(t *testing.T) {
	m, err := attention.Open(file(t, true), "go")
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	ids := []int64{5, 9, 2, 7, 7, 3}
	whole, err := m.Weights(t.Context(), ids)
	if err != nil {
		t.Fatal(err)
	}
	const start = 4
	part, err := m.Weights(t.Context(), ids[:start])
	if err != nil {
		t.Fatal(err)
	}
	if len(whole) != 3 || len(part) != 3 {
		t.Fatalf("%d and %d layers, want 3", len(whole), len(part))
	}
	n, different := len(ids), 0
	for layer, w := range whole {
		all, some := tensor.Data[float32](w), tensor.Data[float32](part[layer])
		for row := range w.Shape()[0] * n {
			head, query, sum := row/n, row%n, 0.0
			for key, v := range all[row*n:][:n] {
				sum += float64(v)
				if key > query && v != 0 {
					t.Errorf("layer %d, head %d: token %d sees token %d", layer, head, query, key)
				}
				if query < start && key < start && math.Abs(float64(v-some[(head*start+query)*start+key])) > 1e-5 {
					t.Errorf("layer %d, head %d: token %d sees other weights in a longer text", layer, head, query)
				}
				if key <= query && math.Abs(float64(v)-1/float64(query+1)) > 0.05 {
					different++
				}
			}
			if math.Abs(sum-1) > 1e-5 {
				t.Errorf("layer %d, head %d: the weights of token %d add up to %v", layer, head, query, sum)
			}
		}
	}
	if different < 50 {
		t.Errorf("%d weights are not those of a mean: too few to prove anything", different)
	}
}

func TestRefused(t *testing.T) {
	m, err := attention.Open(file(t, true), "go")
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	_, empty := m.Weights(t.Context(), nil)
	_, outside := m.Weights(t.Context(), []int64{3, 100_000})
	_, without := attention.Open(file(t, false), "go")
	_, unlinked := attention.Open(file(t, true), "cpu")
	_, damaged := attention.Open([]byte("no model"), "go")
	for want, err := range map[string]error{
		"the text has no tokens":                   empty,
		"token 1 has the id 100000":                outside,
		"no attention weights":                     without,
		`does not link the engine of provider cpu`: unlinked,
		"attention: safety: ":                      damaged,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
