package theory_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/interp"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/models/pe"
	"github.com/nopezoo/zoo/models/theory"
	"github.com/nopezoo/zoo/runtime"
	_ "github.com/nopezoo/zoo/runtime/native"
)

// sequence is <bos> and n−1 words.
func sequence(m *theory.Model, n int, seed uint64) []int64 {
	rng := rand.New(rand.NewPCG(seed, 0))
	ids := []int64{m.BOS}
	for len(ids) < n {
		ids = append(ids, m.Words[rng.IntN(len(m.Words))])
	}
	return ids
}

// exported calls f with the model's file opened in ONNX Runtime, in each profile.
func exported(t *testing.T, m *theory.Model, f func(t *testing.T, s *runtime.Session)) {
	t.Helper()
	orttest.Require(t)
	for _, profile := range []string{card.Portable, card.Fused} {
		t.Run(profile, func(t *testing.T) {
			built := modelfile.Model{Config: m.Config, Weights: m.Weights, Card: card.Card{Tokenizer: m.Pieces}}
			file, err := built.ONNX(profile)
			if err != nil {
				t.Fatal(err)
			}
			s, err := runtime.OpenBytes(file, runtime.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			f(t, s)
		})
	}
}

// logits runs rows and returns the logit of token tok at place i of each.
func logits(t testing.TB, s *runtime.Session, rows [][]int64) func(row, i int, tok int64) float64 {
	t.Helper()
	out, err := s.Logits(t.Context(), rows)
	if err != nil {
		t.Fatal(err)
	}
	return func(row, i int, tok int64) float64 {
		v := out[row].Shape()[1]
		return float64(tensor.Data[float32](out[row])[i*v+int(tok)])
	}
}

// Theorem 1 through ONNX Runtime: every position of a sequence, for each of its
// words, within the float32 error that the construction has by itself. The norms
// add nothing to it, so the bounds are the bare formula's in float32.
func TestTheorem1(t *testing.T) {
	for _, tc := range []struct {
		max   int
		bound float64
	}{{2, 1e-6}, {64, 5e-5}, {256, 1e-3}, {1024, 1e-2}} {
		m, err := theory.Theorem1(tc.max)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(fmt.Sprint(tc.max), func(t *testing.T) {
			exported(t, m, func(t *testing.T, s *runtime.Session) {
				at := logits(t, s, [][]int64{sequence(m, tc.max, 1), sequence(m, tc.max/2, 2)})
				worst := 0.0
				for i := range tc.max {
					worst = max(worst, math.Abs(at(0, i, m.Position)-float64(i+1)))
				}
				for i := range tc.max / 2 {
					worst = max(worst, math.Abs(at(1, i, m.Position)-float64(i+1)))
				}
				t.Logf("worst error %.2g", worst)
				if !(worst <= tc.bound) {
					t.Errorf("a position is off by %.2g, allowed %.2g", worst, tc.bound)
				}
			})
		})
	}
}

// The same in the pure-Go engine, in both precisions; in float64 what remains is
// the rounding of the weights.
func TestTheorem1Interpreter(t *testing.T) {
	m, err := theory.Theorem1(64)
	if err != nil {
		t.Fatal(err)
	}
	d, err := models.New(m.Config)
	if err != nil {
		t.Fatal(err)
	}
	b := graph.NewBuilder()
	g, err := b.Build(graph.Output{Name: "logits", Node: d.Forward(b, models.Mode{}).Logits})
	if err != nil {
		t.Fatal(err)
	}
	for _, float := range []tensor.DType{tensor.Float32, tensor.Float64} {
		feed := map[string]*tensor.Tensor{"input_ids": tensor.Of(sequence(m, 64, 1), 1, 64)}
		out, err := interp.New(g, float).Run(t.Context(), feed, m.Weights)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 64 {
			k := i*m.Config.VocabSize + int(m.Position)
			got := 0.0
			if float == tensor.Float64 {
				got = tensor.Data[float64](out["logits"])[k]
			} else {
				got = float64(tensor.Data[float32](out["logits"])[k])
			}
			if math.Abs(got-float64(i+1)) > 5e-5 {
				t.Errorf("position %d is recovered as %v", i+1, got)
			}
		}
	}
}

// The position rests on <bos>: without it there is none.
func TestTheorem1NeedsBOS(t *testing.T) {
	m, err := theory.Theorem1(16)
	if err != nil {
		t.Fatal(err)
	}
	exported(t, m, func(t *testing.T, s *runtime.Session) {
		at := logits(t, s, [][]int64{sequence(m, 16, 1)[1:]})
		for i := range 15 {
			if got := at(0, i, m.Position); math.Abs(got-float64(i+1)) < 0.5 && i+1 != 15 {
				t.Errorf("position %d is recovered as %v without <bos>", i+1, got)
			}
		}
	})
}

// Theorem 2 through ONNX Runtime: the weight of every head on a marked word is
// the softmax of content − slope·distance, in plain loops; content included. The
// allowed error is the recovered positions', 5e-5, times the slope.
func TestTheorem2(t *testing.T) {
	const n = 40
	slopes := pe.ALiBiSlopes(6)
	m, err := theory.Theorem2(64, slopes)
	if err != nil {
		t.Fatal(err)
	}
	content := contents(m)
	exported(t, m, func(t *testing.T, s *runtime.Session) {
		ids := sequence(m, n, 3)
		var rows [][]int64
		for j := 1; j < n; j++ { // a row with the word at j marked
			row := append([]int64(nil), ids...)
			row[j] += m.Marked[0] - m.Words[0]
			rows = append(rows, row)
		}
		at := logits(t, s, rows)
		for h, slope := range slopes {
			for q := 1; q < n; q++ {
				sum := 0.0
				score := func(k int) float64 { return math.Exp(content(h, ids[q], ids[k]) - slope*float64(q-k)) }
				for k := range q + 1 {
					sum += score(k)
				}
				for j := 1; j <= q; j++ {
					want := score(j) / sum
					if got := at(j-1, q, m.Heads[h]); math.Abs(got-want) > 1e-4*max(want, 1e-6) {
						t.Fatalf("head %d, query %d, key %d: weight %v, want %v", h, q, j, got, want)
					}
				}
			}
		}
	})
}

// contents returns the content term of a head, from the weights, in plain loops.
func contents(m *theory.Model) func(head int, q, k int64) float64 {
	row := func(name string, i int) []float64 {
		w := m.Weights[name]
		width := w.Shape()[1]
		out := make([]float64, width)
		for c := range out {
			out[c] = float64(tensor.Data[float32](w)[i*width+c])
		}
		return out
	}
	dot := func(a, b []float64) (s float64) {
		for i := range a {
			s += a[i] * b[i]
		}
		return s
	}
	return func(head int, q, k int64) float64 {
		x, y := row("embed.weight", int(q)), row("embed.weight", int(k))
		for i := range x { // the embedding is stored small
			x[i], y[i] = math.Ldexp(x[i], 32), math.Ldexp(y[i], 32)
		}
		sum := 0.0
		for j := 2; j < m.Config.DHead; j++ {
			i := head*m.Config.DHead + j
			sum += dot(row("layers.1.attn.q_proj.weight", i), x) * dot(row("layers.1.attn.k_proj.weight", i), y)
		}
		return sum
	}
}

// Equal words far apart, content cancelled: ALiBi's slopes come out in every head, at both queries. Positions are
// off by 2e-4 at most, and float32 adds its share.
func TestDistances(t *testing.T) {
	m, err := theory.Theorem2(128, pe.ALiBiSlopes(4))
	if err != nil {
		t.Fatal(err)
	}
	exported(t, m, func(t *testing.T, s *runtime.Session) {
		pairs, err := m.Distances(t.Context(), s)
		if err != nil || len(pairs) != 4*6 {
			t.Fatalf("%+v, %v", pairs, err)
		}
		for _, p := range pairs {
			if !(p.Error <= 1e-3*p.Slope*float64(p.Distance)) {
				t.Errorf("head %d, distance %d: the logits are %v, want %v", p.Head, p.Distance, p.Logits, p.ALiBi)
			}
		}
	})
}

func TestErrors(t *testing.T) {
	for _, n := range []int{-1, 0, 1, 1<<16 + 1} {
		if _, err := theory.Theorem1(n); err == nil || !strings.Contains(err.Error(), fmt.Sprint(n)) {
			t.Errorf("maximum %d: error %v", n, err)
		}
	}
	for _, slopes := range [][]float64{nil, {1, -1}, {math.NaN()}, make([]float64, 65)} {
		if _, err := theory.Theorem2(8, slopes); err == nil || !strings.Contains(err.Error(), "slope") {
			t.Errorf("slopes %v: error %v", slopes, err)
		}
	}
}
