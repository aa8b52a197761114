package eval_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/internal/tasktest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
)

// Ten samples of five words: 50 words and 10 end tokens.
func TestMeasureScores(t *testing.T) {
	next := func(id int64) int64 { return word + (id-word+1)%100 }
	chance := 1e-10
	low, high := eval.Wilson(1.0, 10)
	right := eval.Score{N: 10, Asked: 10, Distinct: 10, Correct: 10, Accuracy: 1, AccuracyLow: low, AccuracyHigh: high,
		Chance:          chance,
		SequenceCorrect: 10, SequenceAccuracy: 1, Tokens: 60, TokensCorrect: 60, TokenAccuracy: 1, Loss: new(0.5)}
	low, high = eval.Wilson(0.0, 10)
	wrong := func(tokens int, distance float64) eval.Score {
		return eval.Score{N: 10, Asked: 10, Distinct: 10, AccuracyLow: low, AccuracyHigh: high, Chance: chance,
			Tokens: 60, TokensCorrect: tokens, TokenAccuracy: float64(tokens) / 60, EditDistance: distance,
			Loss: new(0.5)}
	}
	noEnd := right
	noEnd.SequenceCorrect, noEnd.SequenceAccuracy, noEnd.TokensCorrect, noEnd.TokenAccuracy = 0, 0, 50, 50.0/60

	for _, tc := range []struct {
		reason string
		answer func(gold []int64) []int64
		want   eval.Score
	}{
		{"perfect", perfect, right},
		{"every word wrong", func(g []int64) []int64 {
			for i := range g {
				g[i] = next(g[i])
			}
			return append(g, eos)
		}, wrong(10, 1)},
		{"last word wrong", func(g []int64) []int64 { g[4] = next(g[4]); return append(g, eos) }, wrong(50, 0.2)},
		{"last word missing", func(g []int64) []int64 { return append(g[:4], eos) }, wrong(40, 0.2)},
		{"nothing but the end", func([]int64) []int64 { return []int64{eos} }, wrong(0, 1)},
		{"runs on, cut off 8 tokens late", func(g []int64) []int64 {
			return append(g,
				slices.Repeat([]int64{sep}, 1000)...)
		},
			wrong(50, 9.0/14)},
		{"pads instead of ending: the text is right, the sequence is not", func(g []int64) []int64 {
			return append(g, slices.Repeat([]int64{pad}, 1000)...)
		}, noEndDistance(noEnd, 9.0/14)},
		{"id outside the vocabulary", func(g []int64) []int64 { g[0] = 9999; return append(g, eos) }, wrong(50, 0.2)},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			rows, err := sweep(t.Context(), &fake{answer: tc.answer, logProb: -0.5}, copyCard(t), config(t, 5))
			if err != nil {
				t.Fatal(err)
			}
			approx := cmpopts.EquateApprox(1e-12, 0) // sums of a few dozen terms
			if diff := cmp.Diff(tc.want, rows[0].Score, approx); diff != "" {
				t.Errorf("score (-want +got):\n%s", diff)
			}
		})
	}
}

func noEndDistance(s eval.Score, d float64) eval.Score { s.EditDistance = d; return s }

func TestMeasureRow(t *testing.T) {
	cfg := config(t, 3)
	cfg.Warmup = 2
	f := &fake{answer: perfect, logProb: -1}
	rows, err := sweep(t.Context(), f, copyCard(t), cfg)
	if err != nil {
		t.Fatal(err)
	}
	want := eval.Row{
		Schema: 2, Measure: eval.MeasureAccuracy, Environment: cfg.Environment,
		Architecture: "decoder", Encoding: "none", Positions: "contiguous", Profile: "portable", ConfigHash: "c0ffee",
		TrainSeed: 7, DataSeed: 9, TrainSteps: 100, FittedStep: new(60), TrainProvider: "cuda", TrainMin: 2, TrainMax: 20, Parameters: 1234,
		Task: "copy", TaskVersion: 1, Split: "test", Length: 3, Seed: 1, Batch: 4,
	}
	if diff := cmp.Diff(want, rows[0], cmpopts.IgnoreFields(eval.Row{}, "Score", "Speed")); diff != "" {
		t.Errorf("row (-want +got):\n%s", diff)
	}
	// 10 samples in batches of 4: two full ones are timed, the third is not; a
	// sequence is 3 prompt words and 3 others, 3 target words and the end.
	s := rows[0].Speed
	got := []int{s.Warmup, s.TimedBatches, s.TimedBatch, s.DecodeSteps, s.GeneratedTokens, s.SequenceTokens}
	if diff := cmp.Diff([]int{2, 2, 4, 2 * 3, 2 * 4 * 4, 10}, got); diff != "" {
		t.Errorf("speed counts (-want +got):\n%s", diff)
	}
	if f.generated != 2+3 || f.scored != 3 {
		t.Errorf("%d calls of Generate and %d of Score, want 5 and 3", f.generated, f.scored)
	}
}

// A batch larger than n is one batch of n, and it is timed.
func TestMeasureSmallN(t *testing.T) {
	cfg := config(t, 3)
	cfg.N, cfg.Batch = 3, 100
	rows, err := sweep(t.Context(), &fake{answer: perfect}, copyCard(t), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if s := rows[0].Speed; s.TimedBatches != 1 || s.TimedBatch != 3 {
		t.Errorf("%d timed batches of %d, want 1 of 3", s.TimedBatches, s.TimedBatch)
	}
}

// The samples of a length do not depend on other lengths, nor on the batch size,
// and change with the seed; they are all of the split.
func TestMeasureSamples(t *testing.T) {
	ask := func(change func(*sweeping)) [][]int64 {
		cfg := config(t, 6)
		change(&cfg)
		f := &fake{answer: perfect}
		if _, err := sweep(t.Context(), f, copyCard(t), cfg); err != nil {
			t.Fatal(err)
		}
		return slices.DeleteFunc(f.prompts, func(p []int64) bool { return len(p) != 6+3 })
	}
	base := ask(func(*sweeping) {})
	if len(base) != 10 {
		t.Fatalf("%d prompts, want 10", len(base))
	}
	if diff := cmp.Diff(base, ask(func(c *sweeping) { c.Lengths, c.Batch = []int{3, 9, 6}, 7 })); diff != "" {
		t.Errorf("other lengths or batches change the samples:\n%s", diff)
	}
	if diff := cmp.Diff(base, ask(func(c *sweeping) { c.N = 20 })[:10]); diff != "" {
		t.Errorf("more samples change the first ones:\n%s", diff)
	}
	if cmp.Equal(base, ask(func(c *sweeping) { c.Seed = 2 })) {
		t.Error("another seed gives the same samples")
	}
	if cmp.Equal(base, ask(func(c *sweeping) { c.Split = task.Validation })) {
		t.Error("another split gives the same samples")
	}
	words := tasktest.Vocabulary(copyTask(t))
	for _, p := range base {
		var b strings.Builder
		for _, id := range p {
			b.WriteString(words[id])
		}
		if prompt := b.String() + " "; task.SplitOf(prompt) != task.Test {
			t.Errorf("%q is no test prompt", prompt)
		}
	}
}

func TestMeasureTooLong(t *testing.T) {
	c := copyCard(t)
	c.MaxLength = 23 // the positions of length 10: 10+3 prompt tokens, 11 target tokens, the last not read
	declared := &fake{answer: perfect, positions: 23}
	refused := &fake{answer: perfect, positions: 31} // with room for the slack at length 10
	for name, tc := range map[string]struct {
		model *fake
		card  card.Card
	}{"by the card": {declared, c}, "by the model": {refused, copyCard(t)}} {
		t.Run(name, func(t *testing.T) {
			rows, err := sweep(t.Context(), tc.model, tc.card, config(t, 10, 40, 5))
			if err != nil {
				t.Fatal(err)
			}
			if len(rows) != 3 || rows[0].NA || !rows[1].NA || rows[2].NA {
				t.Fatalf("rows %+v", rows)
			}
			if rows[0].Accuracy != 1 || rows[1].N > 0 || rows[1].Timed() {
				t.Errorf("measurements %v, %v", rows[0].Score, rows[1].Score)
			}
			if !strings.Contains(rows[1].Reason, eval.ErrTooLong.Error()) {
				t.Errorf("reason %q", rows[1].Reason)
			}
		})
	}
	c.MaxLength = 22
	rows, err := sweep(t.Context(), declared, c, config(t, 10))
	if err != nil || !rows[0].NA || !strings.Contains(rows[0].Reason, "23 positions needed, at most 22 declared") {
		t.Errorf("one position short: %+v, %v", rows, err)
	}
}

func TestMeasureNoSplit(t *testing.T) {
	cfg := config(t, 2)
	cfg.Task.Generate = func(*rand.Rand, int) task.Sample {
		return task.Sample{Prompt: "Copy: 1 1 [SEP] ", Target: "1 1", Length: 2}
	}
	if task.SplitOf("Copy: 1 1 [SEP] ") == task.Test {
		t.Fatal("the only prompt is a test prompt; the test shows nothing")
	}
	rows, err := sweep(t.Context(), &fake{answer: perfect}, copyCard(t), cfg)
	if err != nil || !rows[0].NA || !strings.Contains(rows[0].Reason, "no prompt of this split") {
		t.Errorf("%+v, %v", rows, err)
	}
	cfg.Split = task.Whole
	rows, err = sweep(t.Context(), &fake{answer: perfect}, copyCard(t), cfg)
	if err != nil || rows[0].NA || rows[0].Distinct != 1 || rows[0].N != 1 || rows[0].Asked != 10 ||
		rows[0].Prompts != 1 {
		t.Errorf("%+v, %v", rows, err)
	}
}

func TestMeasureCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	f := &fake{answer: perfect, onGenerate: func(call int) {
		if call == 5 { // three batches a length: in the middle of the second
			cancel()
		}
	}}
	rows, err := sweep(ctx, f, copyCard(t), config(t, 4, 8, 12))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v is not the context's", err)
	}
	if len(rows) != 1 || rows[0].Length != 4 || rows[0].Correct != 10 {
		t.Errorf("rows %+v", rows)
	}
	if f.generated != 5 {
		t.Errorf("%d calls of Generate, want 5", f.generated)
	}
}

func TestMeasureNonfinite(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(-1)} {
		rows, err := sweep(t.Context(), &fake{answer: perfect, logProb: bad}, copyCard(t), config(t, 4))
		if err != nil {
			t.Fatal(err)
		}
		if s := rows[0].Score; s.Loss != nil || s.NonfiniteTokens != 50 || s.Correct != 10 {
			t.Errorf("%v: %+v", bad, s)
		}
		var b strings.Builder
		if err := eval.Write(&b, rows...); err != nil || !strings.Contains(b.String(), `"loss":null`) {
			t.Errorf("%v: %v %s", bad, err, b.String())
		}
	}
}

// A model that breaks the interface's contract is reported, not measured.
func TestMeasureContract(t *testing.T) {
	for _, tc := range []struct {
		reason string
		model  eval.Model
		want   string
	}{
		{"stops early", &fake{answer: func(g []int64) []int64 { return g }}, "without the stop token"},
		{"goes on after the end", &fake{answer: func(g []int64) []int64 { return append(g, eos, pad) }},
			"1 tokens follow the stop token"},
		{"no steps", &fake{answer: perfect, noSteps: true}, "without calling onStep"},
		{"lost outputs", broken{&fake{answer: perfect}, 1, 0}, "3 outputs for 4 prompts"},
		{"lost scores", broken{&fake{answer: perfect}, 0, 1}, "scored 3 sequences of 4"},
	} {
		if _, err := sweep(t.Context(), tc.model, copyCard(t), config(t, 4)); err == nil ||
			!strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: error %v does not contain %q", tc.reason, err, tc.want)
		}
	}
}

// broken loses some of what its model returns.
type broken struct {
	*fake
	outputs, scores int
}

func (b broken) Generate(ctx context.Context, prompts [][]int64, limits []int, stop int64, onStep func()) ([][]int64,
	error) {
	out, err := b.fake.Generate(ctx, prompts, limits, stop, onStep)
	return out[b.outputs:], err
}

func (b broken) Score(ctx context.Context, ids [][]int64, from []int) ([][]float64, error) {
	out, err := b.fake.Score(ctx, ids, from)
	return out[b.scores:], err
}

func TestMeasureConfigErrors(t *testing.T) {
	for _, tc := range []struct {
		reason string
		change func(*sweeping, *card.Card)
		want   string
	}{
		{"task", func(c *sweeping, _ *card.Card) { c.Task = task.Task{} }, "no task"},
		{"split", func(c *sweeping, _ *card.Card) { c.Split = "" }, "no split"},
		{"n", func(c *sweeping, _ *card.Card) { c.N = 0 }, "n is 0"},
		{"absurd n", func(c *sweeping, _ *card.Card) { c.N = 99999999999999999 },
			"n is 99999999999999999, expected 1 to 1048576"},
		{"absurd batch", func(c *sweeping, _ *card.Card) { c.Batch = 1 << 40 },
			"batch is 1099511627776, expected 1 to 1048576"},
		{"absurd repeat", func(c *sweeping, _ *card.Card) { c.Repeat = 1 << 40 }, "repeat is " +
			"1099511627776, expected 0 to 1000"},
		{"batch", func(c *sweeping, _ *card.Card) { c.Batch = -1 }, "batch is -1"},
		{"warmup", func(c *sweeping, _ *card.Card) { c.Warmup = -1 }, "warmup is -1"},
		{"no tokenizer", func(_ *sweeping, k *card.Card) { k.Tokenizer = nil }, "model fake: " +
			"task copy: length 4: tokenizer"},
		{"foreign tokenizer", func(_ *sweeping, k *card.Card) { k.Tokenizer = []string{"<pad>", "</s>", "Copy"} },
			`unknown piece ":"`},
	} {
		cfg, c := config(t, 4), copyCard(t)
		tc.change(&cfg, &c)
		f := &fake{answer: perfect}
		if _, err := sweep(t.Context(), f, c, cfg); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: error %v does not contain %q", tc.reason, err, tc.want)
		}
		if f.generated > 0 {
			t.Errorf("%s: the model was run", tc.reason)
		}
	}
}

func TestMeasureProgressAndMemory(t *testing.T) {
	cfg := config(t, 4)
	var done []int
	cfg.OnBatch = func(d, total int) {
		if total != 20 {
			t.Errorf("%d in all, want 20", total)
		}
		done = append(done, d)
	}
	m := &meter{}
	cfg.Memory = m
	rows, err := sweep(t.Context(), &fake{answer: perfect}, copyCard(t), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{4, 8, 10, 14, 18, 20}, done); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
	if s := rows[0].Speed; s.PeakMemory != 1<<20 || s.PeakMemoryOf != eval.PeakOfLength || m.resets != 1 {
		t.Errorf("peak memory %d of %q after %d resets", s.PeakMemory, s.PeakMemoryOf, m.resets)
	}
}

type meter struct{ resets int }

func (m *meter) Reset()                       { m.resets++ }
func (m *meter) Peak() (int64, string, error) { return 1 << 20, eval.PeakOfLength, nil }

func TestNilContext(t *testing.T) {
	var none context.Context
	_, several := sweep(none, &fake{}, copyCard(t), config(t, 3))
	_, one := eval.Measure(none, &fake{}, copyCard(t), config(t, 3).Config, task.At(3))
	_, speed := eval.Measure(none, &runner{}, copyCard(t), speedConfig(), task.At(30))
	for name, err := range map[string]error{"sweep": several, "one length": one, "speed": speed} {
		if err == nil || !strings.Contains(err.Error(), "the context is nil") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
