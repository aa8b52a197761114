package eval_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/runtime"
	_ "github.com/nopezoo/zoo/runtime/ort"
	"github.com/nopezoo/zoo/runtime/ort/orttest"
	"github.com/nopezoo/zoo/zoo"
)

// swept is what a sweep counts.
func swept(t testing.TB, m eval.Model, c card.Card, cfg eval.Config) (out []eval.Counts) {
	t.Helper()
	rows, err := eval.Sweep(t.Context(), m, c, cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		out = append(out, eval.Counts{Length: r.Length, N: r.N, Correct: r.Correct, SequenceCorrect: r.SequenceCorrect})
	}
	return out
}

func counted(t testing.TB, m eval.Model, c card.Card, cfg eval.Config) []eval.Counts {
	t.Helper()
	out, err := eval.Count(t.Context(), m, c, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// trained is a model of the catalogue.
func trained(t testing.TB, name, provider string) (eval.Model, card.Card) {
	t.Helper()
	file, err := zoo.ONNX(name, card.Portable)
	if err != nil {
		t.Fatal(err)
	}
	s, err := runtime.OpenBytes(file, runtime.Options{Provider: provider, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return eval.Of(s), s.Info().Card
}

// Models that are right at some lengths, wrong at others and not always in between.
func TestCountAsSweep(t *testing.T) {
	for _, name := range []string{"copy-alibi", "copy-learned"} {
		m, c := trained(t, name, "go")
		cfg := config(t, 5, 20, 22, 24, 28)
		if c.MaxLength > 0 {
			cfg.Lengths = append(cfg.Lengths, c.MaxLength) // too long: nothing is counted
		}
		cfg.N, cfg.Batch = 12, 5
		want := swept(t, m, c, cfg)
		if diff := cmp.Diff(want, counted(t, m, c, cfg)); diff != "" {
			t.Errorf("%s (-swept +counted):\n%s", name, diff)
		}
		right, n := 0, 0
		for _, w := range want {
			right, n = right+w.SequenceCorrect, n+w.N
		}
		if right == 0 || right == n {
			t.Errorf("%s is right %d times of %d: it compares nothing", name, right, n)
		}
	}
}

// What scoring tells is not generated, and where it tells little no more is scored.
func TestCountCalls(t *testing.T) {
	for _, tc := range []struct {
		name              string
		fake              fake
		generated, scored int
		right             int
	}{
		{"sure and right", fake{answer: perfect, logProb: -0.1}, 0, 3, 10}, // batches of 4
		{"right by little", fake{answer: perfect, logProb: -0.69}, 3, 1, 10},
		{"wrong", fake{answer: func(g []int64) []int64 { return append(g, word, eos) }, logProb: -1}, 3, 1, 0},
	} {
		got := counted(t, &tc.fake, copyCard(t), config(t, 5))
		if want := []eval.Counts{{Length: 5, N: 10, Correct: tc.right, SequenceCorrect: tc.right}}; !cmp.Equal(want, got) ||
			tc.fake.generated != tc.generated || tc.fake.scored != tc.scored {
			t.Errorf("%s: %+v after %d calls of Generate and %d of Score, want %+v after %d and %d", tc.name, got,
				tc.fake.generated, tc.fake.scored, want, tc.generated, tc.scored)
		}
	}
}

func TestCountErrors(t *testing.T) {
	cfg := config(t, 5)
	cfg.N = 0
	if _, err := eval.Count(t.Context(), &fake{}, copyCard(t), cfg); err == nil {
		t.Error("no samples: no error")
	}
	if _, err := eval.Count(t.Context(), &fake{}, copyCard(t), config(t, 1<<30)); !errors.Is(err, task.ErrNoLength) {
		t.Errorf("no length that the task has: %v", err)
	}
	f := &fake{answer: func([]int64) []int64 { return nil }, logProb: -1}
	if _, err := eval.Count(t.Context(), f, copyCard(t), config(t, 5)); err == nil {
		t.Error("an answer that breaks off: no error")
	}
}

// BenchmarkCount compares Count with Sweep where a model is right and where it is wrong.
func BenchmarkCount(b *testing.B) {
	orttest.Require(b)
	m, c := trained(b, "copy-alibi", "cpu")
	for name, lengths := range map[string][]int{"right": {2, 4, 6, 8, 10, 12, 14, 16, 18, 20}, "wrong": {40}} {
		cfg := config(b, lengths...)
		cfg.N, cfg.Batch, cfg.Split = 64, 32, task.Validation
		b.Run(name+"/sweep", func(b *testing.B) {
			for b.Loop() {
				swept(b, m, c, cfg)
			}
		})
		b.Run(name+"/count", func(b *testing.B) {
			for b.Loop() {
				counted(b, m, c, cfg)
			}
		})
	}
}
