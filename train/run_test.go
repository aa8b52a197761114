package train_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/train/journal"
	"github.com/nopezoo/zoo/train/runfile"
)

// micro is a run of a few milliseconds a step.
func micro(encoding string, steps int) runfile.Config {
	return runfile.Config{
		Model: models.Config{Encoding: encoding, DModel: 32, NLayers: 2, NHeads: 2, DFF: 64},
		Train: runfile.Recipe{Task: "copy", Lengths: "1..6", Seed: 3, Steps: steps, Batch: 8, LR: 1e-2, Warmup: 4,
			WeightDecay: 0.01, Beta1: 0.9, Beta2: 0.98, Eps: 1e-8, Clip: 1, CheckpointEvery: 4, KeepCheckpoints: 2,
			Threads: 2},
	}
}

func start(t testing.TB, dir string, cfg runfile.Config) *train.Trainer {
	t.Helper()
	orttest.Require(t)
	r, err := train.New(dir, cfg, train.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

// losses trains to the end and returns the loss of every step.
func losses(t testing.TB, r *train.Trainer) []float64 {
	t.Helper()
	var out []float64
	if err := r.Run(t.Context(), func(s journal.Stats) { out = append(out, s.Loss) }); err != nil {
		t.Fatal(err)
	}
	return out
}

// final returns the bits of the last checkpoint.
func final(t testing.TB, dir string) *runfile.Checkpoint {
	t.Helper()
	c, skipped, err := runfile.Latest(dir)
	if err != nil || len(skipped) != 0 {
		t.Fatal(err, skipped)
	}
	return c
}

// notedSteps returns the updates in the metrics of a run.
func notedSteps(t testing.TB, dir string) []journal.Stats {
	t.Helper()
	m, err := journal.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	return m.Steps
}

// notedEvaluations returns the evaluations in the metrics of a run.
func notedEvaluations(t testing.TB, dir string) []journal.Evaluation {
	t.Helper()
	m, err := journal.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	return m.Evaluations
}

// bestOf reads the checkpoint of a run's best evaluation.
func bestOf(dir string) (*runfile.Checkpoint, []error, error) {
	c, skipped, err := runfile.Latest(dir)
	if err != nil {
		return nil, skipped, err
	}
	c, err = runfile.ReadCheckpoint(runfile.Path(dir, c.Progress.BestStep))
	return c, skipped, err
}

func sameWeights(t testing.TB, a, b *runfile.Checkpoint) {
	t.Helper()
	if a.Step != b.Step || a.Loss != b.Loss || len(a.Weights) != len(b.Weights) {
		t.Errorf("step %d, loss %v, %d weights; want %d, %v, %d",
			a.Step, a.Loss, len(a.Weights), b.Step, b.Loss, len(b.Weights))
	}
	for name, w := range a.Weights {
		if b.Weights[name] == nil || !tensor.Equal(w, b.Weights[name]) {
			t.Errorf("%s differs", name)
		}
	}
}

// The first ten losses are stored: a change of data, initialisation, graph,
// gradient or optimizer shows here. Kernels differ between processors, hence the
// tolerance of 1e-4.
func TestFirstLosses(t *testing.T) {
	got := losses(t, start(t, t.TempDir(), micro("rope", 10)))
	want := []float64{4.687102, 4.644132, 4.583255, 4.500696, 4.497655, 4.305128, 4.357224, 4.432960, 4.312957,
		4.308955}
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-4*want[i] {
			t.Errorf("step %d: loss %.6f, want %.6f", i+1, got[i], want[i])
		}
	}
	if len(got) != len(want) {
		t.Errorf("losses %.6f", got)
	}
}

// Micro-batches, in any number of lanes, give the same training up to the rounding of
// sums, with dropout too.
func TestMicroBatches(t *testing.T) {
	for _, rate := range []float64{0, 0.1} {
		cfg := micro("alibi", 6)
		cfg.Train.Dropout, cfg.Train.Threads = rate, 3
		whole := losses(t, start(t, t.TempDir(), cfg))
		cfg.Train.MicroTokens = 24
		for _, cfg.Train.Lanes = range []int{1, 2, 3} {
			parts := losses(t, start(t, t.TempDir(), cfg))
			for i := range whole {
				if math.Abs(whole[i]-parts[i]) > 1e-4*whole[i] {
					t.Errorf("dropout %v, %d lanes, step %d: loss %.6f in micro-batches, %.6f at once",
						rate, cfg.Train.Lanes, i+1, parts[i], whole[i])
				}
			}
		}
	}
}

// Dropout is at work in training.
func TestDropoutRun(t *testing.T) {
	cfg := micro("t5", 3)
	without := losses(t, start(t, t.TempDir(), cfg))
	cfg.Train.Dropout = 0.2
	with := losses(t, start(t, t.TempDir(), cfg))
	if with[0] == without[0] {
		t.Error("the first loss is the same with and without dropout")
	}
}

// Interrupted twice, once between checkpoints, and resumed: the same bits as an
// uninterrupted run.
func TestResumeIsExact(t *testing.T) {
	plain, dropout, pooled := micro("nope", 11), micro("t5", 11), micro("nope", 11)
	dropout.Train.Dropout, dropout.Train.MicroTokens = 0.1, 24
	pooled.Train.PoolSteps, pooled.Train.MicroTokens = 4, 24
	t.Run("plain", func(t *testing.T) { testResume(t, plain) })
	t.Run("dropout, micro-batches", func(t *testing.T) { testResume(t, dropout) })
	t.Run("pooled", func(t *testing.T) { testResume(t, pooled) })
}

func testResume(t *testing.T, cfg runfile.Config) {
	whole, parts := t.TempDir(), t.TempDir()
	losses(t, start(t, whole, cfg))
	r := start(t, parts, cfg)
	for _, stop := range []int{3, 9, 0} {
		ctx, cancel := context.WithCancel(t.Context())
		err := r.Run(ctx, func(s journal.Stats) {
			if s.Step == stop {
				cancel()
			}
		})
		cancel()
		if stop == 0 {
			if err != nil {
				t.Fatal(err)
			}
			break
		}
		if !errors.Is(err, train.ErrInterrupted) {
			t.Fatalf("interrupted run ends with %v", err)
		}
		r.Close()
		if r, err = train.Resume(parts, train.Options{}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(r.Close)
		if r.Step() != stop {
			t.Fatalf("resumed at step %d, want %d", r.Step(), stop)
		}
	}
	sameWeights(t, final(t, parts), final(t, whole))
	a, b := notedSteps(t, whole), notedSteps(t, parts)
	for _, all := range [][]journal.Stats{a, b} {
		for i := range all {
			all[i].Seconds = 0
		}
	}
	if diff := cmp.Diff(a, b); diff != "" {
		t.Errorf("metrics of the resumed run differ (-whole +parts):\n%s", diff)
	}
}

// A run killed after a checkpoint does the steps after it again.
func TestResumeAfterKill(t *testing.T) {
	whole, killed := t.TempDir(), t.TempDir()
	losses(t, start(t, whole, micro("nope", 8)))
	first := start(t, killed, micro("nope", 8))
	losses(t, first)
	first.Close()
	if err := os.Remove(filepath.Join(killed, "checkpoint-00000008.safetensors")); err != nil {
		t.Fatal(err)
	}
	r, err := train.Resume(killed, train.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if r.Step() != 4 {
		t.Fatalf("resumed at step %d, want 4", r.Step())
	}
	losses(t, r)
	sameWeights(t, final(t, killed), final(t, whole))
	if n := len(notedSteps(t, killed)); n != 8 {
		t.Errorf("%d lines of metrics, want 8", n)
	}
}

// One batch can be learned by heart: the whole chain of gradients works.
func TestOverfit(t *testing.T) {
	cfg := micro("nope", 300)
	cfg.Train.Lengths = "3..3"
	cfg.Train.Batch = 4
	cfg.Train.CheckpointEvery = 1000
	dir := t.TempDir()
	r := start(t, dir, cfg)
	train.RepeatFirstBatch(r)
	got := losses(t, r)
	if last := got[len(got)-1]; !(last < 1e-3) {
		t.Errorf("loss %v after 300 steps on one batch, want below 1e-3", last)
	}
}

func TestDamagedCheckpoint(t *testing.T) {
	dir := t.TempDir()
	first := start(t, dir, micro("nope", 8))
	losses(t, first)
	first.Close()
	newest := filepath.Join(dir, "checkpoint-00000008.safetensors")
	data, err := os.ReadFile(newest)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(newest, data[:len(data)/2], 0o644); err != nil {
		t.Fatal(err)
	}
	r, err := train.Resume(dir, train.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	r.Close()
	if r.Step() != 4 || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0].Error(), "checkpoint-00000008") {
		t.Errorf("resumed at step %d with the warnings %v, want step 4 and the damaged file named", r.Step(),
			r.Warnings)
	}
	if err := os.WriteFile(filepath.Join(dir, "checkpoint-00000004.safetensors"), []byte("no"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := train.Resume(dir, train.Options{}); !errors.Is(err, runfile.ErrNoCheckpoint) {
		t.Errorf("with all checkpoints damaged the error is %v, want ErrNoCheckpoint", err)
	}
}

func TestWrongShapeInCheckpoint(t *testing.T) {
	dir := t.TempDir()
	losses(t, start(t, dir, micro("nope", 4)))
	path := filepath.Join(dir, "checkpoint-00000004.safetensors")
	stored, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	all, meta, err := tensor.ReadSafetensors(bytes.NewReader(stored), int64(len(stored)))
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		change func(map[string]*tensor.Tensor)
		want   string
	}{
		{func(m map[string]*tensor.Tensor) { m["norm.weight"] = tensor.New(tensor.Float32, 31) },
			"norm.weight is float32[31]"},
		{func(m map[string]*tensor.Tensor) { delete(m, "optimizer.v.norm.weight") },
			"lacks the tensor optimizer.v.norm.weight"},
		{func(m map[string]*tensor.Tensor) { m["extra"] = tensor.New(tensor.Float32, 1) }, "holds the tensor extra"},
	} {
		changed := map[string]*tensor.Tensor{}
		for k, v := range all {
			changed[k] = v
		}
		tc.change(changed)
		bad := filepath.Join(t.TempDir(), "bad.safetensors")
		var written bytes.Buffer
		if err := errors.Join(tensor.WriteSafetensors(&written, changed, meta), os.WriteFile(bad, written.Bytes(), 0o600)); err != nil {
			t.Fatal(err)
		}
		if _, err := runfile.ReadCheckpoint(bad); err == nil ||
			!strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), bad) {
			t.Errorf("error %v, want one about %s with the path", err, tc.want)
		}
	}
}

func TestNewRefusesAnExistingRun(t *testing.T) {
	dir := t.TempDir()
	start(t, dir, micro("nope", 4))
	if _, err := train.New(dir, micro("nope", 4), train.Options{}); !errors.Is(err, train.ErrExists) {
		t.Errorf("error %v, want ErrExists", err)
	}
}

// Lengths beyond the model's maximum are refused before the run begins, although most
// of those it trains on are within; a run that has begun refuses the sequence.
func TestMaximumLength(t *testing.T) {
	cfg := micro("learned", 4)
	cfg.Train.Lengths = "2..6" // of 2n+4 tokens, of which the last is a label
	cfg.Model.EncodingParams = json.RawMessage(`{"max_length":12}`)
	dir := filepath.Join(t.TempDir(), "run")
	_, err := train.New(dir, cfg, train.Options{})
	if err == nil || !strings.Contains(err.Error(),
		"sequences of 13 tokens at length 5, and the encoding learned ends at 12; lower train.lengths") {
		t.Errorf("error %v, want one that names the length, the maximum and the remedy", err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("a refused run left its directory behind")
	}
	orttest.Require(t)
	resolved, err := cfg.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := train.Prepare(dir, resolved, 1, 0, true); err != nil {
		t.Fatal(err)
	}
	r, err := train.Resume(dir, train.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.Run(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "ends at 12") ||
		!strings.Contains(err.Error(), "train.lengths") {
		t.Errorf("error %v, want one that names the maximum and the remedy", err)
	}
}

func TestDivergence(t *testing.T) {
	cfg := micro("nope", 60)
	cfg.Train.LR, cfg.Train.Clip, cfg.Train.Warmup = 1, 0, 0
	cfg.Train.WeightDecay = 1 // the weights blow up within a few steps
	cfg.Model.Activation = "relu2"
	cfg.Train.Beta2 = 0
	cfg.Train.CheckpointEvery = 1
	dir := t.TempDir()
	err := start(t, dir, cfg).Run(t.Context(), nil)
	good := "the last good checkpoint is " + dir
	if !errors.Is(err, train.ErrDiverged) || !strings.Contains(err.Error(), good) ||
		!strings.Contains(err.Error(), "train.lr") {
		t.Errorf("error %v, want ErrDiverged with a checkpoint in %s and what to try", err, dir)
	}
	final(t, dir)
}

// A loss that stays finite but explodes ends a run too, and what was good before
// is what is left.
func TestExplosion(t *testing.T) {
	cfg := micro("nope", 400)
	cfg.Train.CheckpointEvery = 1
	dir := t.TempDir()
	r := start(t, dir, cfg)
	err := r.Run(t.Context(), func(s journal.Stats) {
		if s.Step == 5 {
			train.PretendLoss(r, 0.1) // compared with which the losses to come are an explosion
		}
	})
	if !errors.Is(err, train.ErrDiverged) || !strings.Contains(err.Error(), "has exploded") ||
		!strings.Contains(err.Error(), "checkpoint-00000005") {
		t.Fatalf("error %v, want ErrDiverged with the checkpoint of step 5", err)
	}
	m := notedSteps(t, dir)
	if c := final(t, dir); c.Step != len(m)-100 {
		t.Errorf("ended after step %d, and the newest checkpoint is of step %d, want the one before the 100 bad ones",
			len(m), c.Step)
	}
}

func TestConfigErrors(t *testing.T) {
	for _, tc := range []struct {
		change func(*runfile.Config)
		want   string
	}{
		{func(c *runfile.Config) { c.Train.Steps = 0 }, "train.steps 0"},
		{func(c *runfile.Config) { c.Train.Examples = 1 << 31 }, "train.examples 2147483648: want at most 2147483647"},
		{func(c *runfile.Config) { c.Train.Batch = math.MaxInt64 }, "train.batch 9223372036854775807: want at most"},
		{func(c *runfile.Config) { c.Train.PoolSteps, c.Train.MicroTokens = 1<<40, 64 },
			"train.pool_steps 1099511627776: want at most"},
		{func(c *runfile.Config) { c.Train.LR = math.NaN() }, "train.lr NaN"},
		{func(c *runfile.Config) { c.Train.LR = -1 }, "train.lr -1"},
		{func(c *runfile.Config) { c.Train.Beta1 = 1 }, "train.beta1 1"},
		{func(c *runfile.Config) { c.Train.Dropout = 1 }, "train.dropout 1"},
		{func(c *runfile.Config) { c.Train.Dropout = -0.1 }, "train.dropout -0.1"},
		{func(c *runfile.Config) { c.Train.Dropout = 1e-6 }, "train.dropout 1e-06"},
		{func(c *runfile.Config) { c.Train.Task = "cpoy" }, "cpoy"},
		{func(c *runfile.Config) { c.Train.Lengths = "20..2" }, "train.lengths"},
		{func(c *runfile.Config) { c.Train.Lengths = "0..2" }, "train.lengths"},
		{func(c *runfile.Config) { c.Model.VocabSize = 5 }, "model.vocab_size 5"},
		{func(c *runfile.Config) { c.Model.Encoding = "ropes" }, `"ropes"`},
	} {
		cfg := micro("nope", 4)
		tc.change(&cfg)
		dir := filepath.Join(t.TempDir(), "run")
		if _, err := train.New(dir, cfg, train.Options{}); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("error %v, want one about %s", err, tc.want)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%s: a refused run left its directory behind", tc.want)
		}
	}
}

// Two trainings never write into one directory.
func TestLock(t *testing.T) {
	dir := t.TempDir()
	first := start(t, dir, micro("nope", 4))
	if _, err := train.Resume(dir, train.Options{}); !errors.Is(err, train.ErrLocked) ||
		!strings.Contains(err.Error(), dir) {
		t.Errorf("error %v, want ErrLocked with the directory", err)
	}
	first.Close()
	r, err := train.Resume(dir, train.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
}

func TestNilContext(t *testing.T) {
	var none context.Context
	if err := new(train.Trainer).Run(none, nil); err == nil || !strings.Contains(err.Error(), "the context is nil") {
		t.Errorf("error %v", err)
	}
}
