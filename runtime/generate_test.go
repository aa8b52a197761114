package runtime_test

import (
	"context"
	"errors"
	"math"
	goruntime "runtime"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/runtime"
)

func generate(t *testing.T, s *runtime.Session, prompts [][]int64, opt runtime.GenerateOptions) [][]int64 {
	t.Helper()
	out, err := runtime.Tokens(s.Generate(t.Context(), prompts, opt))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestGenerateStops(t *testing.T) {
	s := open(t, build(t, spec{encoding: "nope"}), runtime.Options{})
	free := generate(t, s, ragged(), runtime.GenerateOptions{MaxNew: 12, Stop: []int64{}})
	for i, row := range free {
		if len(row) != 12 {
			t.Errorf("row %d has %d tokens, want 12", i, len(row))
		}
	}
	// The token that a row makes fourth is a stop token: every row must be cut
	// after the first one that it makes, whichever row drops out of the batch.
	stops := []int64{free[0][3], free[1][3]}
	want := make([][]int64, len(free))
	for i, row := range free {
		if at := slices.IndexFunc(row, func(id int64) bool { return slices.Contains(stops, id) }); at >= 0 {
			row = row[:at+1]
		}
		want[i] = row
	}
	if diff := cmp.Diff(want, generate(t, s, ragged(), runtime.GenerateOptions{MaxNew: 12, Stop: stops})); diff != "" {
		t.Errorf("stop tokens: %s", diff)
	}
	limits := []int{9, 1, 4, 12}
	for i, row := range free {
		want[i] = row[:limits[i]]
	}
	if diff := cmp.Diff(want, generate(t, s, ragged(), runtime.GenerateOptions{Limits: limits, Stop: []int64{}})); diff != "" {
		t.Errorf("limits: %s", diff)
	}
	steps := 0
	for step, err := range s.Generate(t.Context(), ragged(), runtime.GenerateOptions{Limits: limits, Stop: []int64{}}) {
		if err != nil {
			t.Fatal(err)
		}
		got, due := make([]int64, 4), make([]int64, 4)
		for i := range got {
			got[i], due[i] = step.Tokens[i], runtime.NoToken
			if steps < limits[i] {
				due[i] = free[i][steps]
			}
		}
		if diff := cmp.Diff(due, got); diff != "" {
			t.Errorf("step %d: %s", steps, diff)
		}
		steps++
	}
	if steps != 12 {
		t.Errorf("%d steps, want 12", steps)
	}
}

// TestGenerateDefaults: the end token stops a row, and the model's length limits
// it when nothing else does.
func TestGenerateDefaults(t *testing.T) {
	model := build(t, spec{encoding: "nope", maxLength: 20})
	s := open(t, model, runtime.Options{})
	got := generate(t, s, [][]int64{{5, 6, 7}}, runtime.GenerateOptions{})
	free := generate(t, s, [][]int64{{5, 6, 7}}, runtime.GenerateOptions{Stop: []int64{}})
	if len(free[0]) != 18 { // 17 more positions, and the last token needs none
		t.Errorf("%d tokens up to the model's limit, want 18", len(free[0]))
	}
	want := free[0]
	if at := slices.Index(want, 1); at >= 0 {
		want = want[:at+1]
	}
	if diff := cmp.Diff(want, got[0]); diff != "" {
		t.Error(diff)
	}

	unlimited := open(t, build(t, spec{encoding: "nope"}), runtime.Options{})
	if got := generate(t, unlimited, [][]int64{{5}}, runtime.GenerateOptions{Stop: []int64{}}); len(got[0]) != runtime.DefaultMaxNew {
		t.Errorf("%d tokens, want %d", len(got[0]), runtime.DefaultMaxNew)
	}
}

func TestSampling(t *testing.T) {
	s := open(t, build(t, spec{encoding: "alibi"}), runtime.Options{})
	with := func(o runtime.Sampling) [][]int64 {
		return generate(t, s, ragged(), runtime.GenerateOptions{Sampling: o, MaxNew: 10, Stop: []int64{}})
	}
	greedy := with(runtime.Sampling{})
	for name, o := range map[string]runtime.Sampling{
		"top-k 1":           {Temperature: 0.8, TopK: 1, Seed: 3},
		"tiny top-p":        {Temperature: 0.8, TopP: 1e-9, Seed: 3},
		"tiny temperature":  {Temperature: 1e-6, Seed: 3},
		"greedy and a seed": {TopK: 1, TopP: 1, Seed: 4},
	} {
		if diff := cmp.Diff(greedy, with(o)); diff != "" {
			t.Errorf("%s is not greedy: %s", name, diff)
		}
	}
	hot := runtime.Sampling{Temperature: 1.5, TopK: 20, TopP: 0.95, Seed: 7}
	first := with(hot)
	if diff := cmp.Diff(first, with(hot)); diff != "" {
		t.Errorf("the same seed gives other tokens: %s", diff)
	}
	if cmp.Equal(first, greedy) {
		t.Error("sampling gives the greedy tokens")
	}
	hot.Seed = 8
	if cmp.Equal(first, with(hot)) {
		t.Error("another seed gives the same tokens")
	}
	same := [][]int64{{5, 6}, {5, 6}}
	twins := generate(t, s, same, runtime.GenerateOptions{Sampling: hot, MaxNew: 10, Stop: []int64{}})
	if cmp.Equal(twins[0], twins[1]) {
		t.Error("two rows of one batch share their random numbers")
	}
	alone := generate(t, s, same[:1], runtime.GenerateOptions{Sampling: hot, MaxNew: 10, Stop: []int64{}})
	if diff := cmp.Diff(twins[0], alone[0]); diff != "" {
		t.Errorf("row 0 depends on what else is in the batch: %s", diff)
	}
}

// TestPerRow: each row is chosen as it says, as if it were alone.
func TestPerRow(t *testing.T) {
	s := open(t, build(t, spec{encoding: "alibi"}), runtime.Options{})
	hot := runtime.Sampling{Temperature: 1.5, TopK: 20, Seed: 7}
	other := hot
	other.Seed = 8
	prompts := [][]int64{{5, 6}, {9, 8, 7}, {5, 6}, {5, 6}, {5, 6}}
	rows := []runtime.Sampling{{}, {Temperature: .7, PresencePenalty: 2, LogitBias: map[int64]float64{3: 4}}, hot, other, hot}
	together := generate(t, s, prompts, runtime.GenerateOptions{PerRow: rows, MaxNew: 12, Stop: []int64{}})
	for i, p := range prompts {
		alone := generate(t, s, [][]int64{p}, runtime.GenerateOptions{Sampling: rows[i], MaxNew: 12, Stop: []int64{}})
		if diff := cmp.Diff(alone[0], together[i]); diff != "" {
			t.Errorf("row %d (-alone +together): %s", i, diff)
		}
	}
	if diff := cmp.Diff(together[2], together[4]); diff != "" {
		t.Errorf("one prompt and one seed: %s", diff)
	}
	if cmp.Equal(together[2], together[3]) {
		t.Error("another seed gives the same tokens")
	}
}

func TestConcurrentUse(t *testing.T) {
	everyKind(t, spec{encoding: "rope", fused: true}, "", func(t *testing.T, model []byte, provider string) {
		s := open(t, model, runtime.Options{Provider: provider, ChunkSize: 3})
		opt := runtime.GenerateOptions{MaxNew: 8}
		want := generate(t, s, ragged(), opt)
		scores, err := s.Score(t.Context(), ragged()[2:3], []int{1}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				got, err := runtime.Tokens(s.Generate(t.Context(), ragged(), opt))
				if err != nil || !cmp.Equal(want, got) {
					t.Errorf("generate: %v: %s", err, cmp.Diff(want, got))
				}
			})
			wg.Go(func() {
				got, err := s.Score(t.Context(), ragged()[2:3], []int{1}, nil)
				if err != nil || !cmp.Equal(scores, got, close64) {
					t.Errorf("score: %v: %s", err, cmp.Diff(scores, got))
				}
			})
		}
		wg.Wait()
	})
}

func TestCancel(t *testing.T) {
	everyKind(t, spec{encoding: "nope"}, "", func(t *testing.T, model []byte, provider string) {
		s := open(t, model, runtime.Options{Provider: provider})
		want := generate(t, s, ragged(), runtime.GenerateOptions{MaxNew: 2, Stop: []int64{}})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		steps := 0
		var last error
		for _, err := range s.Generate(ctx, ragged(), runtime.GenerateOptions{MaxNew: 1 << 30, Stop: []int64{}}) {
			if last = err; err == nil {
				steps++
			}
			if steps == 3 {
				cancel()
			}
		}
		if !errors.Is(last, context.Canceled) || steps != 3 {
			t.Errorf("%d steps, then %v; want 3, then %v", steps, last, context.Canceled)
		}
		if _, err := s.Logits(ctx, ragged()); !errors.Is(err, context.Canceled) {
			t.Errorf("logits: %v", err)
		}
		if _, err := s.Score(ctx, ragged(), []int{1, 1, 1, 1}, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("score: %v", err)
		}
		got := generate(t, s, ragged(), runtime.GenerateOptions{MaxNew: 2, Stop: []int64{}})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("after the cancellation: %s", diff)
		}
	})
}

// TestBreakOff leaves an iterator early and uses it again.
func TestBreakOff(t *testing.T) {
	s := open(t, build(t, spec{encoding: "nope"}), runtime.Options{})
	steps := s.Generate(t.Context(), ragged(), runtime.GenerateOptions{MaxNew: 5, Stop: []int64{}})
	var first [2][]int64
	for pass := range 2 {
		for step, err := range steps {
			if err != nil {
				t.Fatal(err)
			}
			first[pass] = step.Tokens
			break
		}
	}
	if diff := cmp.Diff(first[0], first[1]); diff != "" {
		t.Errorf("the second range differs: %s", diff)
	}
}

func TestClose(t *testing.T) {
	model := build(t, spec{encoding: "nope"})
	for _, provider := range []string{"cpu", "go"} {
		t.Run(provider, func(t *testing.T) {
			s := open(t, model, runtime.Options{Provider: provider})
			steps := 0
			var last error
			for _, err := range s.Generate(t.Context(), ragged(), runtime.GenerateOptions{MaxNew: 9, Stop: []int64{}}) {
				last = err
				if steps++; steps == 2 {
					if err := s.Close(); err != nil {
						t.Error(err)
					}
				}
			}
			if !errors.Is(last, runtime.ErrClosed) || steps != 3 {
				t.Errorf("step %d: %v, want %v at step 3", steps, last, runtime.ErrClosed)
			}
			if _, err := s.Logits(t.Context(), ragged()); !errors.Is(err, runtime.ErrClosed) {
				t.Errorf("logits: %v", err)
			}
		})
	}
}

// TestGenerateAllocations: a call allocates, a token does not.
func TestGenerateAllocations(t *testing.T) {
	if goruntime.GOOS != "linux" && goruntime.GOOS != "darwin" {
		t.Skip("ONNX Runtime's binding allocates with every run on this system")
	}
	every := runtime.Sampling{Temperature: 1, TopK: 40, TopP: .95, MinP: .01, RepetitionPenalty: 1.1, FrequencyPenalty: .1,
		PresencePenalty: .1, LogitBias: map[int64]float64{3: 1, 4: -1}}
	for name, opt := range map[string]runtime.GenerateOptions{
		"greedy": {}, "everything": {Sampling: every, LogProbs: true, TopLogProbs: 5},
	} {
		everyKind(t, spec{encoding: "rope"}, "", func(t *testing.T, model []byte, provider string) {
			s := open(t, model, runtime.Options{Provider: provider})
			var allocs []float64
			for _, tokens := range []int{150, 10} { // the first makes room for the second
				opt.MaxNew, opt.Stop = tokens, []int64{}
				least := math.Inf(1)
				for range 8 { // a garbage collection, and the race detector at random, may take the memory of the call before
					least = min(least, testing.AllocsPerRun(1, func() {
						for _, err := range s.Generate(t.Context(), ragged(), opt) {
							if err != nil {
								t.Fatal(err)
							}
						}
					}))
				}
				allocs = append(allocs, least)
			}
			if more := allocs[0] - allocs[1]; more > 50 { // far less than one for each token
				t.Errorf("%s: 150 tokens take %v allocations, 10 take %v", name, allocs[0], allocs[1])
			}
		})
	}
}

// TestGenerateCarries: a row that has ended at the model's last position stays
// in the batch for some steps, at no position beyond it.
func TestGenerateCarries(t *testing.T) {
	for _, provider := range []string{"cpu", "go"} {
		s := open(t, build(t, spec{encoding: "learned"}), runtime.Options{Provider: provider})
		prompts := [][]int64{make([]int64, s.Info().Card.MaxLength), {3}, {4}, {5}, {6}}
		limits := []int{1, 6, 6, 6, 6}
		together := generate(t, s, prompts, runtime.GenerateOptions{Limits: limits, Stop: []int64{}})
		for i, p := range prompts {
			alone := generate(t, s, [][]int64{p}, runtime.GenerateOptions{MaxNew: limits[i], Stop: []int64{}})
			if diff := cmp.Diff(alone[0], together[i]); diff != "" {
				t.Errorf("%s, row %d (-alone +together): %s", provider, i, diff)
			}
		}
	}
}
