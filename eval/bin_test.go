package eval_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/internal/tasktest"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
)

// asked measures a length or bin with a model that is right, and returns the row and the
// lengths of the prompts, which are copying's, by prompt.
func asked(t *testing.T, cfg sweeping, at task.Span) (eval.Row, map[string]int) {
	t.Helper()
	f := &fake{answer: perfect, logProb: -5}
	row, err := eval.Measure(t.Context(), f, copyCard(t), cfg.Config, at)
	if err != nil {
		t.Fatal(err)
	}
	lengths := map[string]int{}
	for _, p := range f.prompts {
		key := make([]rune, len(p))
		for i, id := range p {
			key[i] = rune(id)
		}
		lengths[string(key)] = len(gold(p))
	}
	return row, lengths
}

// The lengths of a bin's samples are drawn evenly, all prompts are different, and the
// same seed gives the same ones.
func TestBin(t *testing.T) {
	cfg := config(t)
	cfg.N, cfg.Batch = 2000, 500
	bin := task.Span{Min: 31, Max: 50}
	row, lengths := asked(t, cfg, bin)
	if len(lengths) != cfg.N || row.N != cfg.N || row.Distinct != cfg.N || row.Correct != cfg.N {
		t.Fatalf("%d prompts; row %+v", len(lengths), row)
	}
	if row.Length != 50 || row.LengthMin != 31 || row.Span() != bin || !row.Untimed || row.Timed() {
		t.Errorf("row of %d to %d, untimed %v", row.LengthMin, row.Length, row.Untimed)
	}
	counts := map[int]int{}
	for _, n := range lengths {
		counts[n]++
	}
	squares := 0.0 // 19 degrees of freedom: above 43.8 with a probability of 0.001
	for n := 31; n <= 50; n++ {
		squares += math.Pow(float64(counts[n]-100), 2) / 100
	}
	if len(counts) != 20 || squares > 43.8 {
		t.Errorf("counts %v, χ² = %.1f", counts, squares)
	}
	chance := 0.0
	for n := 31; n <= 50; n++ {
		chance += cfg.Task.Chance(n) / 20
	}
	if math.Abs(row.Chance-chance) > 1e-15*chance {
		t.Errorf("chance %g, want the mean %g", row.Chance, chance)
	}

	_, again := asked(t, cfg, bin)
	if diff := cmp.Diff(lengths, again); diff != "" {
		t.Error("the same seed gives other samples")
	}
	cfg.Seed = 2
	if _, other := asked(t, cfg, bin); cmp.Equal(lengths, other) {
		t.Error("another seed gives the same samples")
	}
	cfg.Seed, cfg.Untimed = 1, true
	_, alone := asked(t, cfg, task.At(40))
	for prompt, n := range lengths {
		if _, ok := alone[prompt]; n == 40 && !ok {
			t.Errorf("a prompt of length 40 is not one of those of the length alone: %q", prompt)
		}
	}
}

// Short lengths of a bin give all the prompts that they have.
func TestBinOfFewPrompts(t *testing.T) {
	k, err := task.Lookup("parity")
	if err != nil {
		t.Fatal(err)
	}
	cfg, c := config(t), copyCard(t)
	cfg.Task, cfg.N, cfg.Batch = k, 1000, 200
	c.Tokenizer, c.Task, c.Trained = tasktest.Vocabulary(k), "parity", card.Lengths{Min: 20, Max: 40}
	row, err := eval.Measure(t.Context(), &fake{logProb: -0.1}, c, cfg.Config, task.Span{Min: 1, Max: 6})
	if err != nil {
		t.Fatal(err)
	}
	all := 2 + 4 + 8 + 16 + 32 + 64
	if row.N != all || row.Distinct != all || row.Prompts != all || row.Asked != 1000 || !row.Whole || row.NotHeldOut() {
		t.Errorf("%d of %d prompts, %d different, whole %v", row.N, row.Prompts, row.Distinct, row.Whole)
	}
	// Across the trained lengths it is those that tell whether anything is held out.
	for _, tc := range []struct {
		trained card.Lengths
		whole   bool
	}{{card.Lengths{Min: 4, Max: 6}, true}, {card.Lengths{Min: 10, Max: 12}, false}} {
		c.Trained = tc.trained
		row, err := eval.Measure(t.Context(), &fake{logProb: -0.1}, c, cfg.Config, task.Span{Min: 1, Max: 10})
		if err != nil || row.Whole != tc.whole || row.NotHeldOut() != tc.whole {
			t.Errorf("trained on %v: whole %v, %v", tc.trained, row.Whole, err)
		}
	}
}

// A bin is measured whole or not at all.
func TestBinNotAvailable(t *testing.T) {
	k := copyTask(t)
	k.Lengths.Max = 40
	k.Has = func(length int) bool { return length%10 != 0 }
	for _, tc := range []struct {
		name      string
		positions int
		at        task.Span
		want      string // of the reason; "" for a row with measurements
	}{
		{"some lengths have no prompts", 0, task.Span{Min: 8, Max: 40}, ""},
		{"all of it below the task's", 0, task.Span{Min: 10, Max: 20}, ""},
		{"beyond the task's lengths", 0, task.Span{Min: 8, Max: 41}, "the bin 8–41 goes beyond its lengths"},
		{"the longest fits", 39 + 3 + 39, task.Span{Min: 8, Max: 40}, ""},
		{"the longest does not", 39 + 3 + 39 - 1, task.Span{Min: 8, Max: 40}, "81 positions needed, at most 80 declared"},
	} {
		cfg, c := config(t), copyCard(t)
		cfg.Task, cfg.N, c.MaxLength = k, 3, tc.positions // three samples seldom have the greatest length
		row, err := eval.Measure(t.Context(), &fake{answer: perfect, logProb: -5}, c, cfg.Config, tc.at)
		if err != nil || row.NA != (tc.want != "") || !strings.Contains(row.Reason, tc.want) {
			t.Errorf("%s: NA %v, reason %q, error %v", tc.name, row.NA, row.Reason, err)
		}
		before, err := eval.Measure(t.Context(), nil, c, cfg.Config, tc.at)
		if err != nil || before.NA != (tc.want != "") {
			t.Errorf("%s: known before: %+v, %v", tc.name, before, err)
		}
		var b strings.Builder
		if err := eval.Write(&b, row); err != nil {
			t.Fatal(err)
		}
		again, err := eval.ReadJSONL(strings.NewReader(b.String()))
		if diff := cmp.Diff([]eval.Row{row}, again); err != nil || diff != "" {
			t.Errorf("%s: read again: %v (-want +got):\n%s", tc.name, err, diff)
		}
	}
}

// honest is a fake whose scores are of what it writes: certain of its own tokens
// for as long as a sequence is what it would have written, and of no other.
type honest struct {
	answer func(gold []int64) []int64
	tokens int // generated
}

// split parts a prompt, of copying or else of any task, where answers begin.
func (h *honest) split(p []int64) (prompt, written []int64) {
	at := slices.Index(p, sep) + 1
	return p[:at], p[at:]
}

func (h *honest) Generate(
	ctx context.Context, prompts [][]int64, limits []int, stop int64, onStep func(),
) ([][]int64, error) {
	out := make([][]int64, len(prompts))
	for i, p := range prompts {
		prompt, written := h.split(p)
		out[i] = h.answer(gold(prompt))[len(written):]
		out[i] = out[i][:min(len(out[i]), limits[i])]
		h.tokens += len(out[i])
	}
	onStep()
	return out, ctx.Err()
}

func (h *honest) Score(ctx context.Context, ids [][]int64, from []int) ([][]float64, error) {
	out := make([][]float64, len(ids))
	for i, sequence := range ids {
		prompt, target := sequence[:from[i]], sequence[from[i]:]
		own, same := h.answer(gold(prompt)), true
		for k, id := range target {
			p := 0.6
			if same = same && k < len(own) && own[k] == id; !same {
				p = 0.1
			}
			out[i] = append(out[i], math.Log(p))
		}
	}
	return out, ctx.Err()
}

// TestUntimedProgress: a target counts once when it was read and once when it is written, which
// those that are certain are at once.
func TestUntimedProgress(t *testing.T) {
	wrong := func(g []int64) []int64 { g[2] = colon; return append(g, eos) }
	for _, tc := range []struct {
		name   string
		answer func([]int64) []int64
		want   []int
	}{
		{"all certain", perfect, []int{4, 8, 10, 20}},
		{"none", wrong, []int{4, 8, 10, 10, 14, 18, 20}},
	} {
		cfg := config(t, 5)
		cfg.Untimed = true
		var done []int
		cfg.OnBatch = func(d, total int) {
			if total != 20 {
				t.Errorf("%s: %d in all, want 20", tc.name, total)
			}
			done = append(done, d)
		}
		if _, err := sweep(t.Context(), &honest{answer: tc.answer}, copyCard(t), cfg); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tc.want, done); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
	}
}

// Without times everything about answers is what generation gives, and what is certain
// is not generated.
func TestUntimed(t *testing.T) {
	for _, tc := range []struct {
		name   string
		answer func([]int64) []int64
		tokens int // generated of 10 samples of 5 words
	}{
		{"right", perfect, 0},
		{"the third word is wrong", func(g []int64) []int64 { g[2] = colon; return append(g, eos) }, 10 * 4},
		{"one word more", func(g []int64) []int64 { return append(g, sep, eos) }, 10 * 2},
		{"ends early", func(g []int64) []int64 { return append(g[:3], eos) }, 10},
		{"runs on", func(g []int64) []int64 { return append(g, slices.Repeat([]int64{sep}, 100)...) }, 10 * 9},
		{"now right, now wrong", func(g []int64) []int64 {
			if g[0]%2 == 0 {
				g[4] = colon
			}
			return append(g, eos)
		}, -1},
	} {
		cfg := config(t, 5)
		timed, err := sweep(t.Context(), &honest{answer: tc.answer}, copyCard(t), cfg)
		if err != nil {
			t.Fatal(err)
		}
		cfg.Untimed = true
		h := &honest{answer: tc.answer}
		untimed, err := sweep(t.Context(), h, copyCard(t), cfg)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(timed[0].Score, untimed[0].Score); diff != "" {
			t.Errorf("%s (-timed +untimed):\n%s", tc.name, diff)
		}
		if h.tokens != tc.tokens && tc.tokens >= 0 {
			t.Errorf("%s: %d tokens were generated, want %d", tc.name, h.tokens, tc.tokens)
		}
		if cmp.Diff(eval.Speed{}, untimed[0].Speed) != "" || !untimed[0].Untimed || timed[0].Untimed {
			t.Errorf("%s: times %+v", tc.name, untimed[0].Speed)
		}
		if key := eval.KeyOf(copyCard(t), cfg.Config, task.At(5)); key != untimed[0].Key() || key == timed[0].Key() {
			t.Errorf("%s: the key is %+v", tc.name, key)
		}
	}
}

// A token that another comes near is generated.
func TestNotCertain(t *testing.T) {
	for p, want := range map[float64]int{0.9: 0, 0.5: 1, math.NaN(): 1} {
		cfg := config(t, 5)
		cfg.Untimed, cfg.N = true, 4
		f := &fake{answer: perfect, logProb: math.Log(p)}
		if _, err := sweep(t.Context(), f, copyCard(t), cfg); err != nil || f.generated != want {
			t.Errorf("probability %v: %d calls of Generate, want %d; %v", p, f.generated, want, err)
		}
	}
}
