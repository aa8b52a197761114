package runtime_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/models/pe"
	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/runtime/engine"
)

// TestCopying generates as a program does that knows ONNX Runtime and no more, by what
// package card says: outputs are new tensors, and one run's are fed to the next.
func TestCopying(t *testing.T) {
	for _, row := range pe.Table() {
		for _, fused := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/fused=%v", row.Name, fused), func(t *testing.T) {
				model := build(t, spec{encoding: row.Name, fused: fused})
				s := open(t, model, runtime.Options{})
				want := generate(t, s, ragged(), runtime.GenerateOptions{MaxNew: 6, Stop: []int64{}})
				if diff := cmp.Diff(want, copying(t, model, s.Info().Card, ragged(), 6)); diff != "" {
					t.Errorf("tokens (-session +copying):\n%s", diff)
				}
			})
		}
	}
}

// copying continues prompts greedily by so many tokens.
func copying(t *testing.T, model []byte, c card.Card, prompts [][]int64, tokens int) [][]int64 {
	s, err := orttest.Load(model, engine.Options{Library: orttest.Require(t), Threads: 1, Training: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	batch, width := len(prompts), 0
	for _, p := range prompts {
		width = max(width, len(p))
	}
	pad := func(row int) int { return width - len(prompts[row]) }
	capacity := width + tokens - 1
	feed := map[string]*tensor.Tensor{}
	for _, state := range c.State {
		feed[state.Past] = tensor.New(tensor.Float32, state.AppendDims(nil, batch, capacity)...)
	}
	feed[card.LogitsToKeep.Name] = tensor.Of([]int64{1}, 1)
	feed[card.AttentionMask.Name] = table(batch, capacity, func(row, slot int) int64 {
		if slot < pad(row) {
			return 0
		}
		return 1
	})
	readsPositions := slices.ContainsFunc(s.Inputs, func(p card.Port) bool { return p.Name == card.PositionIDs.Name })
	out := make([][]int64, batch)
	for filled, n := 0, width; filled < capacity; filled, n = filled+n, 1 {
		feed[card.InputIDs.Name] = table(batch, n, func(row, i int) int64 {
			switch {
			case filled > 0:
				return out[row][len(out[row])-1]
			case i < pad(row):
				return 0
			}
			return prompts[row][i-pad(row)]
		})
		slots := table(1, n, func(_, i int) int64 { return int64(filled + i) })
		feed[card.CachePosition.Name] = tensor.Of(tensor.Data[int64](slots), n)
		if readsPositions {
			feed[card.PositionIDs.Name] = table(batch, n, func(row, i int) int64 { return int64(max(filled+i-pad(row), 0)) })
		}
		vocab := 50
		feed[card.Logits.Name] = tensor.New(tensor.Float32, batch, 1, vocab)
		for _, state := range c.State {
			feed[state.Present] = tensor.New(tensor.Float32, feed[state.Past].Shape()...)
		}
		if err := s.Run(t.Context(), feed); err != nil {
			t.Fatal(err)
		}
		for _, state := range c.State {
			feed[state.Past] = feed[state.Present]
		}
		logits := tensor.Data[float32](feed[card.Logits.Name])
		for row := range out {
			mine := logits[row*len(logits)/batch:][:len(logits)/batch]
			out[row] = append(out[row], int64(slices.Index(mine, slices.Max(mine))))
		}
	}
	return out
}

// table is int64 [rows,columns].
func table(rows, columns int, f func(row, column int) int64) *tensor.Tensor {
	t := tensor.New(tensor.Int64, rows, columns)
	for i := range rows * columns {
		tensor.Data[int64](t)[i] = f(i/columns, i%columns)
	}
	return t
}

// TestLentMemory: an engine writes a state in place where it lies if one value is lent to
// both ends, and leaves the past alone if not.
func TestLentMemory(t *testing.T) {
	model := probe(t, false, false)
	for _, provider := range []string{"cpu", "go"} {
		for _, lent := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/lent=%v", provider, lent), func(t *testing.T) {
				m := runtime.Loaded(open(t, model, runtime.Options{Provider: provider}))
				bind := func(x *tensor.Tensor) engine.Value {
					v, err := m.Bind(x)
					if err != nil {
						t.Fatal(err)
					}
					t.Cleanup(func() { _ = v.Close() })
					return v
				}
				past := tensor.Of([]float32{5, 6, 7, 8}, 4, 1, 1)
				present := past
				before := bind(past)
				after := before
				if !lent {
					present = tensor.New(tensor.Float32, 4, 1, 1)
					after = bind(present)
				}
				call, err := m.Begin(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				defer call.Close()
				inputs := []engine.Value{ // in the order of the probe's
					bind(tensor.Of([]int64{1}, 1, 1)), bind(tensor.Of([]int64{2}, 1, 1)),
					bind(tensor.Of([]int64{1, 1, 1, 1}, 1, 4)), bind(tensor.Of([]int64{2}, 1)), before,
				}
				if err := call.Run(inputs, []engine.Value{bind(tensor.New(tensor.Float32, 1, 1, 3)), after}); err != nil {
					t.Fatal(err)
				}
				written := []float32{5, 6, 1, 8}
				if diff := cmp.Diff(written, tensor.Data[float32](present)); diff != "" {
					t.Errorf("present (-want +got):\n%s", diff)
				}
				if !lent {
					written = []float32{5, 6, 7, 8}
				}
				if diff := cmp.Diff(written, tensor.Data[float32](past)); diff != "" {
					t.Errorf("past (-want +got):\n%s", diff)
				}
			})
		}
	}
}
