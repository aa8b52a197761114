package eval_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
)

// runner generates as many tokens as asked for, and remembers what it was asked.
type runner struct {
	calls   int
	prompts [][]int64
	limits  []int
	stop    int64
	short   bool // one token too few
	err     error
}

func (r *runner) Generate(ctx context.Context, prompts [][]int64, limits []int, stop int64, onStep func()) ([][]int64,
	error) {
	r.calls++
	r.prompts, r.limits, r.stop = prompts, limits, stop
	out := make([][]int64, len(prompts))
	for i, n := range limits {
		if r.short {
			n--
		}
		out[i] = make([]int64, n)
	}
	for range limits[0] {
		onStep()
	}
	return out, errors.Join(r.err, ctx.Err())
}

func (r *runner) Score(context.Context, [][]int64, []int) ([][]float64, error) {
	return nil, errors.New("speed needs no scores")
}

func speedConfig() eval.SpeedConfig {
	return eval.SpeedConfig{Batch: 3, NewTokens: 5, Chunk: 16, Vocab: 40, Warmup: 1, Repeat: 2, Memory: &meter{},
		Cost:        eval.Cost{PrefillFLOPs: 1, PrefillBytes: 2, DecodeFLOPs: 3, DecodeBytes: 4, MemoryEstimate: 9},
		Environment: eval.Environment{Model: "m", Machine: "here"}}
}

func TestMeasureSpeedAt(t *testing.T) {
	r, cfg := &runner{}, speedConfig()
	var passes []int
	cfg.OnPass = func(done, total int) { passes = append(passes, done, total) }
	row, err := eval.Measure(t.Context(), r, copyCard(t), cfg, task.At(30))
	if err != nil {
		t.Fatal(err)
	}
	if r.calls != 3 || len(r.prompts) != 3 || len(r.prompts[2]) != 30 || r.stop != eval.NoStop {
		t.Errorf("%d calls, the last with %d prompts and the stop token %d", r.calls, len(r.prompts), r.stop)
	}
	if diff := cmp.Diff([]int{1, 3, 2, 3, 3, 3}, passes); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
	want := eval.Speed{Warmup: 1, TimedBatches: 2, TimedBatch: 3, SequenceTokens: 35, Repeats: 2, DecodeSteps: 8,
		GeneratedTokens: 30,
		SDOf:            eval.SDOfRepeats, PeakMemory: 1 << 20, PeakMemoryOf: eval.PeakOfLength}
	counts := cmpopts.IgnoreFields(eval.Speed{}, "PrefillMS", "PrefillP95MS", "PrefillP99MS", "FirstTokenMS",
		"DecodeP50MS", "DecodeP95MS", "DecodeP99MS",
		"GenerateSeconds", "TokensPerSecond", "TokensPerSecondSD", "PrefillSDMS", "DecodeSDMS", "RepeatRates",
		"RepeatPrefillMS", "RepeatDecodeMS")
	if diff := cmp.Diff(want, row.Speed, counts); diff != "" {
		t.Errorf("speed (-want +got):\n%s", diff)
	}
	c := row.Cost
	if c.Chunk != 16 || c.NewTokens != 5 || c.PrefillFLOPs != 1 || c.DecodeBytes != 4 || c.MemoryEstimate != 9 ||
		c.PrefillRoofline != 0 {
		t.Errorf("cost %+v", c)
	}
	find := eval.Finder([]eval.Row{row})
	if find(eval.KeyOf(card.Card{Profile: "portable"}, cfg, task.At(30))) == nil ||
		find(eval.KeyOf(card.Card{Profile: "portable"}, cfg, task.At(31))) != nil ||
		find(eval.KeyOf(card.Card{Profile: "fused"}, cfg, task.At(30))) != nil {
		t.Error("the row does not answer its own question alone")
	}

	// The tokens are the same for every model, and it can be read back.
	first := r.prompts
	if _, err := eval.Measure(t.Context(), r, copyCard(t), cfg, task.At(30)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first, r.prompts); diff != "" {
		t.Errorf("tokens (-first +second):\n%s", diff)
	}
	var b strings.Builder
	if err := eval.Write(&b, row); err != nil {
		t.Fatal(err)
	}
	back, err := eval.ReadJSONL(strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]eval.Row{row}, back); diff != "" {
		t.Errorf("read back (-want +got):\n%s", diff)
	}
}

func TestMeasureSpeedBeyondTheMaximum(t *testing.T) {
	c := copyCard(t)
	c.MaxLength = 33
	r := &runner{}
	row, err := eval.Measure(t.Context(), r, c, speedConfig(), task.At(30)) // the last token needs no position
	if err != nil || !row.NA || r.calls > 0 || !strings.Contains(row.Reason, "34 positions needed, at most 33") {
		t.Errorf("row %+v, error %v", row, err)
	}
	if row, err := eval.Measure(t.Context(), r, c, speedConfig(), task.At(29)); err != nil || row.NA {
		t.Errorf("what fits is not measured: %v", err)
	}
	c.MaxLength = 1
	if row, err := eval.Measure(t.Context(), r, c, speedConfig(), task.At(1)); err != nil || !row.NA {
		t.Errorf("a model of one position is measured: %v", err)
	}
}

func TestMeasureSpeedErrors(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tc := range []struct {
		reason string
		ctx    context.Context
		length int
		r      runner
		change func(*eval.SpeedConfig)
		want   string
	}{
		{"length", t.Context(), 0, runner{}, nil, "length is 0"},
		{"batch", t.Context(), 4, runner{}, func(c *eval.SpeedConfig) { c.Batch = 0 }, "batch is 0"},
		{"new tokens", t.Context(), 4, runner{}, func(c *eval.SpeedConfig) { c.NewTokens = 1 }, "new tokens is 1"},
		{"absurd new tokens", t.Context(), 4, runner{}, func(c *eval.SpeedConfig) { c.NewTokens = 1 << 40 },
			"new tokens is 1099511627776, expected 2 to 1048576"},
		{"absurd batch", t.Context(), 4, runner{}, func(c *eval.SpeedConfig) { c.Batch = 1 << 40 },
			"batch is 1099511627776"},
		{"vocabulary", t.Context(), 4, runner{}, func(c *eval.SpeedConfig) { c.Vocab = 0 }, "0 ids"},
		{"chunk", t.Context(), 4, runner{}, func(c *eval.SpeedConfig) { c.Chunk = 0 }, "chunk is 0"},
		{"repeat", t.Context(), 4, runner{}, func(c *eval.SpeedConfig) { c.Repeat = -1 }, "repeat is -1"},
		{"a model that stops early", t.Context(), 4, runner{short: true}, nil, "it ends after 4 of 5 tokens"},
		{"a model that fails", t.Context(), 4, runner{err: errors.New("broken")}, nil, "broken"},
		{"interrupted", cancelled, 4, runner{}, nil, "context canceled"},
	} {
		cfg := speedConfig()
		if tc.change != nil {
			tc.change(&cfg)
		}
		if _, err := eval.Measure(tc.ctx, &tc.r, copyCard(t), cfg, task.At(tc.length)); err == nil ||
			!strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: error %v does not contain %q", tc.reason, err, tc.want)
		}
	}
}

func TestRoofline(t *testing.T) {
	p := eval.Peaks{FLOPS: 100, Bandwidth: 10} // the ridge lies at 10 FLOPs a byte
	for _, tc := range []struct {
		reason                      string
		flops, bytes, seconds, want float64
	}{
		{"computing bound, at half the peak", 200, 10, 4, 0.5},
		{"memory bound, at the roof", 200, 40, 4, 1},
		{"at the ridge", 100, 10, 1, 1},
		{"no time", 100, 10, 0, 0},
	} {
		if got := p.Roofline(tc.flops, tc.bytes, tc.seconds); math.Abs(got-tc.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", tc.reason, got, tc.want)
		}
		if got := p.Least(tc.flops, tc.bytes); math.Abs(got-tc.want*tc.seconds) > 1e-12 && tc.seconds > 0 {
			t.Errorf("%s: at least %v s, want %v", tc.reason, got, tc.want*tc.seconds)
		}
	}
	for _, p := range []eval.Peaks{{}, {FLOPS: 1}, {Bandwidth: 1}} {
		if p.Roofline(1, 1, 1) != 0 || p.Least(1, 1) != 0 {
			t.Errorf("by the peaks %+v: %v, at least %v s", p, p.Roofline(1, 1, 1), p.Least(1, 1))
		}
	}
}
