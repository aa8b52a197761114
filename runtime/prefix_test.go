package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/models/pe"
	"github.com/nopezoo/zoo/runtime"
)

// prefill reads a prefix that is closed at the end of the test.
func prefill(t *testing.T, s *runtime.Session, ids []int64) *runtime.Prefix {
	t.Helper()
	p, err := s.Prefill(t.Context(), ids)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// told is what Generate tells of prompts: the tokens, and the log-probabilities of all others.
func told(t *testing.T, s *runtime.Session, prompts [][]int64, opt runtime.GenerateOptions) (tokens [][]int64, all []float64) {
	t.Helper()
	opt.LogProbs, opt.TopLogProbs, opt.Stop = true, 50, []int64{}
	tokens = make([][]int64, len(prompts))
	for step, err := range s.Generate(t.Context(), prompts, opt) {
		if err != nil {
			t.Fatal(err)
		}
		for i, id := range step.Tokens {
			if id == runtime.NoToken {
				continue
			}
			tokens[i] = append(tokens[i], id)
			byID := make([]float64, 50)
			for _, p := range step.LogProbs[i].Top {
				byID[p.ID] = p.LogProb
			}
			all = append(all, byID...)
		}
	}
	return tokens, all
}

// testPrefix generates from prompts with a prefix of every kind, and wants what they give
// without.
func testPrefix(t *testing.T, s *runtime.Session, vocab int64) {
	base := prompt(23)
	for i := range base {
		base[i] %= vocab
	}
	more := func(n int, first int64) []int64 {
		ids := slices.Clone(base)
		for i := range n {
			ids = append(ids, (first+3*int64(i))%vocab)
		}
		return ids
	}
	prompts := [][]int64{more(5, 1), more(0, 0), more(2, 4), more(5, 2), more(30, 5)}
	opt := runtime.GenerateOptions{Limits: []int{9, 4, 12, 2, 5}}
	want, wantAll := told(t, s, prompts, opt)
	starts := slices.Repeat([]int{len(base)}, len(prompts))
	wantScores, err := s.Score(t.Context(), prompts, starts, nil)
	if err != nil {
		t.Fatal(err)
	}
	whole := prefill(t, s, base)
	part := prefill(t, s, base[:9])
	extended, err := part.Extend(t.Context(), base[9:])
	if err != nil {
		t.Fatal(err)
	}
	defer extended.Close()
	for name, p := range map[string]*runtime.Prefix{"whole": whole, "part": part, "extended": extended,
		"one token": prefill(t, s, base[:1])} {
		opt.Prefix = p
		for range 2 { // using it leaves it as it is
			got, gotAll := told(t, s, prompts, opt)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: tokens (-without prefix +with): %s", name, diff)
			} else if diff := cmp.Diff(wantAll, gotAll, close64); diff != "" {
				t.Errorf("%s: log-probabilities (-without prefix +with): %s", name, diff)
			}
			if got, err := s.Score(t.Context(), prompts, starts, p); err != nil {
				t.Error(err)
			} else if diff := cmp.Diff(wantScores, got, close64); diff != "" {
				t.Errorf("%s: scores (-without prefix +with): %s", name, diff)
			}
		}
	}
}

// TestPrefix: every encoding, and every kind of state on every engine, gives the same with a
// prefix as without.
func TestPrefix(t *testing.T) {
	for _, row := range pe.Table() {
		t.Run(row.Name, func(t *testing.T) {
			testPrefix(t, open(t, build(t, spec{encoding: row.Name}), runtime.Options{ChunkSize: 7}), 50)
		})
	}
	everyKind(t, spec{encoding: "txl", fused: true}, spied, func(t *testing.T, model []byte, provider string) {
		testPrefix(t, open(t, model, runtime.Options{Provider: provider, ChunkSize: 7}), 50)
	})
	everyWindow(t, func(t *testing.T, model []byte, provider string) {
		testPrefix(t, open(t, model, runtime.Options{Provider: provider, ChunkSize: 7}), 50)
	})
	model, _, _ := recurrent(t)
	for _, provider := range []string{"cpu", "go"} {
		t.Run("recurrent/"+provider, func(t *testing.T) {
			testPrefix(t, open(t, model, runtime.Options{Provider: spied + provider}), 7)
		})
	}
}

// TestPrefixIsNotReadAgain: what a prefix has is not run, and a fork of it neither.
func TestPrefixIsNotReadAgain(t *testing.T) {
	s := open(t, build(t, spec{encoding: "rope"}), runtime.Options{Provider: spied + "go", ChunkSize: 10})
	runs := func(f func()) int {
		before := spyOf(s).runs
		f()
		return spyOf(s).runs - before
	}
	var p, longer *runtime.Prefix
	for _, tt := range []struct {
		what string
		want int
		f    func()
	}{
		{"101 tokens but the last, by 10", 10, func() { p = prefill(t, s, prompt(101)) }},
		{"the last and 9 more", 1, func() {
			generate(t, s, [][]int64{prompt(110), prompt(110)}, runtime.GenerateOptions{MaxNew: 1, Prefix: p})
		}},
		{"the last of p and 9 more, which are scored", 1, func() {
			if _, err := s.Score(t.Context(), [][]int64{prompt(111)}, []int{101}, p); err != nil {
				t.Fatal(err)
			}
		}},
		{"the last of p and 19 more, but the last of them", 2, func() {
			var err error
			if longer, err = p.Extend(t.Context(), prompt(120)[101:]); err != nil {
				t.Fatal(err)
			}
			defer longer.Close()
		}},
		{"the last of p, for three answers of two tokens through a batcher", 2, func() {
			choices := runtime.GenerateOptions{MaxNew: 2, Stop: []int64{}, Prefix: p, PerRow: []runtime.Sampling{{}, {}, {}}}
			for i := range choices.PerRow {
				choices.PerRow[i] = runtime.Sampling{Temperature: 1, Seed: uint64(i)}
			}
			if _, err := runtime.Tokens(batcher(t, s, runtime.BatcherOptions{}).Generate(t.Context(), slices.Repeat([][]int64{p.IDs}, 3), choices)); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		if got := runs(tt.f); got != tt.want {
			t.Errorf("%s: %d runs, want %d", tt.what, got, tt.want)
		}
	}
	if got, want := p.Bytes, int64(2*2*4*100*8*4); got != want { // layers, keys and values, heads, slots, width, float32
		t.Errorf("the prefix holds %d bytes, want %d", got, want)
	}
}

// TestPrefixForks: many calls share a prefix at once, and closing it disturbs none that has begun.
func TestPrefixForks(t *testing.T) {
	everyKind(t, spec{encoding: "rope"}, "", func(t *testing.T, model []byte, provider string) {
		s := open(t, model, runtime.Options{Provider: provider})
		p := prefill(t, s, prompt(40))
		opt := runtime.GenerateOptions{MaxNew: 6, Stop: []int64{}}
		var group sync.WaitGroup
		for i := range 8 {
			group.Go(func() {
				mine := append(prompt(40), int64(i))
				want, err := runtime.Tokens(s.Generate(t.Context(), [][]int64{mine, mine}, opt))
				if err != nil {
					t.Error(err)
				}
				with := opt
				with.Prefix = p
				got, err := runtime.Tokens(s.Generate(t.Context(), [][]int64{mine, mine}, with))
				if diff := cmp.Diff(want, got); err != nil || diff != "" {
					t.Errorf("%d: %v (-without prefix +with): %s", i, err, diff)
				}
			})
		}
		group.Wait()
		opt.Prefix = p
		steps := 0
		for _, err := range s.Generate(t.Context(), [][]int64{prompt(41)}, opt) {
			if err != nil {
				t.Fatal(err)
			}
			if steps++; steps == 2 {
				if err := p.Close(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if steps != 6 {
			t.Errorf("%d steps, want 6", steps)
		}
	})
}

func TestPrefixErrors(t *testing.T) {
	model := build(t, spec{encoding: "nope", maxLength: 60})
	s := open(t, model, runtime.Options{Provider: "go", PrefixBytes: 3 * 2 * 2 * 4 * 9 * 8 * 4}) // three of ten tokens
	other := open(t, model, runtime.Options{Provider: "go"})
	base := prompt(10)
	p := prefill(t, s, base)
	with := func(s *runtime.Session, p *runtime.Prefix, prompts ...[]int64) error {
		_, err := runtime.Tokens(s.Generate(t.Context(), prompts, runtime.GenerateOptions{MaxNew: 1, Prefix: p}))
		return err
	}
	try := func(ids []int64) error { _, err := s.Prefill(t.Context(), ids); return err }
	wrong := slices.Clone(base)
	wrong[4]++
	_, extend := p.Extend(t.Context(), []int64{50})
	_, within := s.Score(t.Context(), [][]int64{base}, []int{9}, p)
	_, besides := s.Score(t.Context(), [][]int64{wrong}, []int{10}, p)
	ended, end := context.WithCancel(t.Context())
	end()
	_, cancelled := s.Prefill(ended, base)
	for _, tt := range []struct {
		err   error
		is    error
		words string
	}{
		{try(nil), runtime.ErrInput, "runtime: prefill: prefix 0 is empty"},
		{try([]int64{1, 77}), runtime.ErrInput, "token id 77 at index 1"},
		{try(make([]int64, 61)), runtime.ErrTooLong, "it takes 61 positions, the model has 60"},
		{try(make([]int64, 61)), runtime.ErrInput, ""},
		{extend, runtime.ErrInput, "runtime: extend prefix: prefix 0 has token id 50 at index 10"},
		{with(other, p, base), runtime.ErrInput, "the prefix is of another session"},
		{with(s, p, base, base[:9]), runtime.ErrInput, "prompt 1 has 9 tokens, and the prefix that it is to begin with 10"},
		{with(s, p, base, wrong), runtime.ErrInput, fmt.Sprintf("prompt 1 does not begin with the prefix: it has token id %d at index 4, the prefix %d", wrong[4], base[4])},
		{within, runtime.ErrInput, "runtime: score: sequence 0 is to be scored from index 9, within the prefix of 10 tokens"},
		{besides, runtime.ErrInput, "prompt 0 does not begin with the prefix"},
		{cancelled, context.Canceled, ""},
	} {
		if !errors.Is(tt.err, tt.is) || !strings.Contains(tt.err.Error(), tt.words) {
			t.Errorf("error is %v, want %v with %q", tt.err, tt.is, tt.words)
		}
	}
	// Those that failed hold no memory: two more find room, and a third does when one is closed.
	spare := prefill(t, s, base)
	last := prefill(t, s, base)
	if err := try(base); !errors.Is(err, runtime.ErrMemory) || errors.Is(err, runtime.ErrInput) ||
		!strings.Contains(err.Error(), "the prefix takes 4608 bytes, the session's others 13824, and PrefixBytes is 13824") {
		t.Errorf("the fourth prefix: %v", err)
	}
	for range 2 {
		if err := last.Close(); err != nil {
			t.Error(err)
		}
	}
	prefill(t, s, base)
	if err := with(s, last, base); !errors.Is(err, runtime.ErrClosed) {
		t.Errorf("a closed prefix: %v", err)
	}
	one := prefill(t, s, base[:1])
	if err := one.Close(); err != nil {
		t.Error(err)
	}
	if err := with(s, one, base); !errors.Is(err, runtime.ErrClosed) {
		t.Errorf("a closed prefix of one token: %v", err)
	}
	if err := spare.Close(); err != nil {
		t.Error(err)
	}
	if _, err := one.Extend(t.Context(), base[:3]); !errors.Is(err, runtime.ErrClosed) {
		t.Errorf("a closed prefix is extended: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := try(base); !errors.Is(err, runtime.ErrClosed) {
		t.Errorf("a closed session: %v", err)
	}
	if err := with(s, p, base); !errors.Is(err, runtime.ErrClosed) {
		t.Errorf("a closed session: %v", err)
	}
}

// TestPrefixMemory: a prefix is read in memory of the slots that it fills, and of none beyond them.
func TestPrefixMemory(t *testing.T) {
	model := build(t, spec{encoding: "rope"})
	for _, provider := range []string{"cpu", "go"} {
		s := open(t, model, runtime.Options{Provider: spied + provider})
		prefill(t, s, prompt(10)) // which has not read the last token
		seen := spyOf(s)
		if diff := cmp.Diff([]int{9 * 4 * 8}, seen.memory); diff != "" {
			t.Errorf("%s: memory (-want +got):\n%s", provider, diff)
		}
		if diff := cmp.Diff([]int{9}, seen.rooms); diff != "" {
			t.Errorf("%s: rooms (-want +got):\n%s", provider, diff)
		}
	}
}
