package runtime_test

import (
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/models/pe"
	"github.com/nopezoo/zoo/runtime"
)

// ragged are prompts of different lengths for a vocabulary of 50.
func ragged() [][]int64 {
	return [][]int64{{7, 3, 44, 12, 9}, {5}, {31, 8, 8, 2, 19, 40, 27, 3, 11, 6, 22}, {4, 49, 13}}
}

// close32 compares logits with the project's parity bound.
var close32 = cmp.Comparer(func(a, b float32) bool {
	return math.Abs(float64(a)-float64(b)) <= 1e-4*max(1, math.Abs(float64(b)))
})

var close64 = cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= 1e-4*max(1, math.Abs(b)) })

// rowLogits is Logits for one row at a time, in plain slices.
func rowLogits(t *testing.T, s *runtime.Session, rows [][]int64) [][]float32 {
	t.Helper()
	var out [][]float32
	for _, r := range rows {
		out = append(out, batchLogits(t, s, [][]int64{r})...)
	}
	return out
}

func batchLogits(t *testing.T, s *runtime.Session, rows [][]int64) [][]float32 {
	t.Helper()
	got, err := s.Logits(t.Context(), rows)
	if err != nil {
		t.Fatal(err)
	}
	var out [][]float32
	for i, l := range got {
		if diff := cmp.Diff([]int{len(rows[i]), s.Info().VocabSize}, l.Shape()); diff != "" {
			t.Fatalf("shape of row %d: %s", i, diff)
		}
		out = append(out, tensor.Data[float32](l))
	}
	return out
}

// fullPass continues a row greedily, computing everything anew for each token.
func fullPass(t *testing.T, s *runtime.Session, row []int64, n int) []int64 {
	t.Helper()
	row = append([]int64(nil), row...)
	from := len(row)
	for range n {
		logits := rowLogits(t, s, [][]int64{row})[0]
		logits = logits[len(logits)-s.Info().VocabSize:]
		best, second := 0, -1
		for id, v := range logits[1:] {
			switch {
			case v > logits[best]:
				best, second = id+1, best
			case second < 0 || v > logits[second]:
				second = id + 1
			}
		}
		if logits[best]-logits[second] < 1e-3 {
			t.Fatalf("tokens %d and %d are too close to compare engines by: change the test's prompts", best, second)
		}
		row = append(row, int64(best))
	}
	return row[from:]
}

// TestParity holds every encoding, kind of states, profile and engine to one full pass per row.
func TestParity(t *testing.T) {
	everyModel(t, func(t *testing.T, model []byte, provider string) {
		const new = 6
		full := open(t, model, runtime.Options{Provider: provider, ChunkSize: 1000})
		want := rowLogits(t, full, ragged())
		if diff := cmp.Diff(want, batchLogits(t, full, ragged()), close32); diff != "" {
			t.Errorf("ragged batch against each row alone: %s", diff)
		}
		var greedy [][]int64
		for _, r := range ragged() {
			greedy = append(greedy, fullPass(t, full, r, new))
		}
		// The longest row ends first and is carried along by the others.
		limits := []int{new, new, 1, new}
		got := generate(t, full, ragged(), runtime.GenerateOptions{Limits: limits, Stop: []int64{}})
		for i, n := range limits {
			if diff := cmp.Diff(greedy[i][:n], got[i]); diff != "" {
				t.Errorf("uneven limits: row %d: %s", i, diff)
			}
		}
		for _, chunk := range []int{1, 3, 7} {
			s := open(t, model, runtime.Options{Provider: provider, ChunkSize: chunk})
			if diff := cmp.Diff(want, batchLogits(t, s, ragged()), close32); diff != "" {
				t.Errorf("chunks of %d: logits: %s", chunk, diff)
			}
			opt := runtime.GenerateOptions{MaxNew: new, Stop: []int64{}}
			got, err := runtime.Tokens(s.Generate(t.Context(), ragged(), opt))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(greedy, got); diff != "" {
				t.Errorf("chunks of %d: batch: %s", chunk, diff)
			}
			for i, r := range ragged() {
				alone, err := runtime.Tokens(s.Generate(t.Context(), [][]int64{r}, opt))
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(greedy[i], alone[0]); diff != "" {
					t.Errorf("chunks of %d: row %d: %s", chunk, i, diff)
				}
			}
		}
	})
}

// TestEnginesAgree compares ONNX Runtime and the pure-Go engine with the interpreter in
// float64, for every encoding, profile and kind of states, with padding and in chunks. The
// pure-Go engine gives the same bits with any number of threads.
func TestEnginesAgree(t *testing.T) {
	for _, row := range pe.Table() {
		for _, fused := range []bool{false, true} {
			for _, kind := range kinds {
				t.Run(fmt.Sprintf("%s/fused=%v/%s", row.Name, fused, kind.name), func(t *testing.T) {
					model := build(t, spec{encoding: row.Name, fused: fused, growing: kind.growing})
					want := batchLogits(t, open(t, model, runtime.Options{Provider: "go", Exact: true}), ragged())
					for _, chunk := range []int{1000, 3} {
						got := batchLogits(t, open(t, model, runtime.Options{ChunkSize: chunk}), ragged())
						if diff := cmp.Diff(want, got, close32); diff != "" {
							t.Errorf("ONNX Runtime, chunks of %d: %s", chunk, diff)
						}
						got = batchLogits(t, open(t, model, runtime.Options{Provider: "go", ChunkSize: chunk}), ragged())
						if diff := cmp.Diff(want, got, close32); diff != "" {
							t.Errorf("pure Go, chunks of %d: %s", chunk, diff)
						}
						s, err := runtime.OpenBytes(model, runtime.Options{Provider: "go", ChunkSize: chunk, Threads: 3})
						if err != nil {
							t.Fatal(err)
						}
						if diff := cmp.Diff(got, batchLogits(t, s, ragged())); diff != "" {
							t.Errorf("pure Go, chunks of %d, three threads: %s", chunk, diff)
						}
						if err := s.Close(); err != nil {
							t.Error(err)
						}
					}
				})
			}
		}
	}
}

// TestManyThreads: large steps are shared among threads, whose number changes no bit, and
// callers that run at once get what they would alone.
func TestManyThreads(t *testing.T) {
	model := build(t, spec{encoding: "rope", config: models.Config{DModel: 128, NLayers: 2, NHeads: 4, DFF: 512, VocabSize: 128}})
	rows := randomRows(2, 200)
	want := batchLogits(t, open(t, model, runtime.Options{Provider: "go"}), rows)
	s, err := runtime.OpenBytes(model, runtime.Options{Provider: "go", Threads: 4})
	if err != nil {
		t.Fatal(err)
	}
	var callers sync.WaitGroup
	for i := range 6 {
		callers.Go(func() {
			for k := range rows {
				row := rows[(i+k)%len(rows)]
				got, err := s.Logits(t.Context(), [][]int64{row})
				if err != nil {
					t.Error(err)
					return
				}
				if diff := cmp.Diff(want[(i+k)%len(rows)], tensor.Data[float32](got[0]), close32); diff != "" {
					t.Errorf("caller %d: %s", i, diff)
				}
			}
		})
	}
	callers.Wait()
	if diff := cmp.Diff(want, batchLogits(t, s, rows)); diff != "" {
		t.Error(diff)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestScore(t *testing.T) {
	everyModel(t, func(t *testing.T, model []byte, provider string) {
		s := open(t, model, runtime.Options{Provider: provider, ChunkSize: 4})
		rows, from := ragged(), []int{2, 1, 6, 3} // rows 1 and 3 have nothing to score
		var want [][]float64
		for i, logits := range rowLogits(t, s, rows) {
			scores := []float64{}
			for at := from[i]; at < len(rows[i]); at++ {
				scores = append(scores, logSoftmax(logits[(at-1)*50 : at*50])[rows[i][at]])
			}
			want = append(want, scores)
		}
		got, err := s.Score(t.Context(), rows, from, nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, close64); diff != "" {
			t.Error(diff)
		}
	})
}

func logSoftmax(logits []float32) []float64 {
	sum := 0.0
	for _, v := range logits {
		sum += math.Exp(float64(v))
	}
	out := make([]float64, len(logits))
	for i, v := range logits {
		out[i] = float64(v) - math.Log(sum)
	}
	return out
}

// TestRecurrent runs a model of another kind: one token at a time, a state of
// fixed size, no mask (so that rows of different lengths cannot share a batch)
// and no logits_to_keep.
func TestRecurrent(t *testing.T) {
	model, embed, weight := recurrent(t)
	step := func(h []float32, id int64) []float32 {
		next := make([]float32, 4)
		for i := range next {
			sum := embed[int(id)*4+i]
			for j := range h {
				sum += weight[i*4+j] * h[j]
			}
			next[i] = float32(math.Tanh(float64(sum)))
		}
		return next
	}
	rows := [][]int64{{1, 2, 3}, {6}, {4, 0, 5}, {2, 2, 2, 2, 1}, {6, 3, 1}, {0, 5, 5}}
	var want [][]float32
	for _, r := range rows {
		h := []float32{0.5, 0.5, 0.5, 0.5}
		var logits []float32
		for _, id := range r {
			h = step(h, id)
			for v := range 7 {
				sum := float32(0)
				for i := range h {
					sum += h[i] * embed[v*4+i]
				}
				logits = append(logits, sum)
			}
		}
		want = append(want, logits)
	}
	for _, provider := range []string{"cpu", "go"} {
		t.Run(provider, func(t *testing.T) {
			s := open(t, model, runtime.Options{Provider: provider})
			if diff := cmp.Diff(want, batchLogits(t, s, rows), close32); diff != "" {
				t.Error(diff)
			}
			var greedy [][]int64
			for _, r := range rows {
				greedy = append(greedy, fullPass(t, s, r, 5))
			}
			limits := []int{5, 2, 1, 4, 5, 2} // of four rows of a batch one is carried along, then another leaves with it
			got, err := runtime.Tokens(s.Generate(t.Context(), rows, runtime.GenerateOptions{Limits: limits}))
			if err != nil {
				t.Fatal(err)
			}
			for i := range greedy {
				greedy[i] = greedy[i][:limits[i]]
			}
			if diff := cmp.Diff(greedy, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestFeed looks at what a model is fed for rows of different lengths.
func TestFeed(t *testing.T) {
	rows := [][]int64{{0, 1, 2, 1}, {2}, {1, 0}}
	length := func(_, length int) int { return length }
	soFar := func(at, _ int) int { return at + 1 }
	for _, tt := range []struct {
		growing, maskNew bool
		chunk            int
		shown            func(at, length int) int // slots that the mask shows
	}{
		{true, false, 1, soFar},
		{true, false, 4, length},
		{true, true, 1, func(int, int) int { return 1 }},
		{true, true, 4, length},
		{false, false, 1, soFar},
		{false, false, 4, soFar},
	} {
		var want [][]float32
		for _, r := range rows {
			var logits []float32
			for at, id := range r {
				logits = append(logits, float32(id), float32(at), float32(tt.shown(at, len(r))))
			}
			want = append(want, logits)
		}
		model := probe(t, tt.growing, tt.maskNew)
		for _, provider := range []string{"cpu", "go"} {
			name := fmt.Sprintf("growing=%v/new=%v/chunk=%d/%s", tt.growing, tt.maskNew, tt.chunk, provider)
			t.Run(name, func(t *testing.T) {
				s := open(t, model, runtime.Options{Provider: provider, ChunkSize: tt.chunk})
				if diff := cmp.Diff(want, batchLogits(t, s, rows)); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}
