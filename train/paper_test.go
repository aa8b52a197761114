package train_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/graphtest"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/train/runfile"
)

// paperRun is a run of the preset paper on a task, with the micro model.
func paperRun(t testing.TB, name string) runfile.Config {
	t.Helper()
	c := micro("txl", 1)
	c.Model.Settings, c.Train = "faithful", preset(t, "paper").Train
	c.Train.Task, c.Train.Lengths, c.Train.EvalEvery, c.Train.Threads = name, "", 0, 2
	return c
}

// Every step has 64 sequences, drawn at random: their lengths differ from step to
// step as a random draw's do. Sequences that are dealt by length differ less.
func TestPaperBatches(t *testing.T) {
	c := paperRun(t, "copy+paper")
	// Uniform in 2..20 words twice, [SEP] and what is constant: the standard deviation
	// of a step's sum is 2·√(64·(19²−1)/12).
	want := 2 * math.Sqrt(64*(19*19-1)/12.)
	var steps []int
	for i := range 60 {
		steps = append(steps, i)
	}
	deviation := func(c runfile.Config) float64 {
		all, err := train.DrawAll(c, steps...)
		if err != nil {
			t.Fatal(err)
		}
		var sums []float64
		mean := 0.0
		for step, batches := range all {
			n, tokens := 0, 0
			for _, b := range batches {
				n += b.IDs.Shape()[0]
				tokens += b.Tokens
			}
			if n != 64 && c.Train.PoolSteps == 0 {
				t.Errorf("step %d has %d sequences", step, n)
			}
			sums = append(sums, float64(tokens))
			mean += float64(tokens) / float64(len(all))
		}
		squares := 0.0
		for _, s := range sums {
			squares += (s - mean) * (s - mean)
		}
		return math.Sqrt(squares / float64(len(sums)-1))
	}
	if got := deviation(c); got < 0.6*want || got > 1.4*want { // five standard errors are 0.46
		t.Errorf("the tokens of a step deviate by %.1f, want about %.1f", got, want)
	}
	c.Train.PoolSteps = 8
	if got := deviation(c); got > 0.6*want {
		t.Errorf("dealt by length the tokens of a step deviate by %.1f; the test shows nothing", got)
	}
}

// The first update has the learning rate 0 and leaves every weight as it was drawn;
// the second does not.
func TestPaperFirstUpdate(t *testing.T) {
	for steps := 1; steps <= 2; steps++ {
		c := paperRun(t, "copy+paper")
		c.Train.Lengths, c.Train.Batch, c.Train.Steps, c.Train.CheckpointEvery = "2..4", 4, steps, 1
		// at the preset's own the second moves a gain of 1 by less than float32 shows
		c.Train.LR, c.Train.Warmup = 1e-2, 4
		dir := t.TempDir()
		r := start(t, dir, c)
		losses(t, r)
		m, err := models.New(r.Config().Model)
		if err != nil {
			t.Fatal(err)
		}
		moved := 0
		for name, w := range models.InitWeights(m.Params(), c.Train.Seed) {
			if !tensor.Equal(w, final(t, dir).Weights[name]) {
				moved++
			}
		}
		if want := (steps - 1) * len(m.Params()); moved != want {
			t.Errorf("after %d updates %d of %d weights have moved, want %d", steps, moved, len(m.Params()), want)
		}
	}
}

func TestWarmupFrom(t *testing.T) {
	c := micro("nope", 1)
	c.Train.WarmupFrom = "one"
	if _, err := c.Resolve(); err == nil || !strings.Contains(err.Error(), `train.warmup_from "one": want zero`) {
		t.Errorf("error %v", err)
	}
}

// An epoch of SCAN is each of 15,997 short commands once, and none of the other 1,777.
func TestPaperSCAN(t *testing.T) {
	c := paperRun(t, "scan+paper")
	c.Train.Examples, c.Train.MicroTokens, c.Train.Batch = 15997, 0, 15997
	all := texts(t, c, 1)
	slices.Sort(all)
	if n := len(slices.Compact(slices.Clone(all))); n != 15997 {
		t.Errorf("an epoch has %d different commands", n)
	}
	k, err := task.Lookup("scan+paper")
	if err != nil {
		t.Fatal(err)
	}
	rest := 0
	for s := range k.Each {
		if _, found := slices.BinarySearch(all, s.Prompt+s.Target); !found && s.Length <= 25 {
			rest++
		}
	}
	if rest != 1777 {
		t.Errorf("%d short commands are held out", rest)
	}
	c.Train.Examples = 100_000
	if _, err := train.Draw(c, 0); err == nil || !strings.Contains(err.Error(),
		"train.examples 100000: task scan+paper has 15997 different ones at the lengths 1..25; give at most 15997") {
		t.Errorf("error %v", err)
	}
}

// txl drops out the sinusoids: one draw for all layers and sequences, however a batch
// is cut, at the rate that is asked for.
func TestDropoutOfDistances(t *testing.T) {
	cfg := paperRun(t, "copy+paper")
	cfg.Train.MicroTokens = 0
	cfg, _, g := dropped(t, cfg, 0.3)
	const name = models.DropoutPrefix + "distances"
	if in := g.Input(name); in == nil || in.Type() != "uint8[seq,32]" {
		t.Fatalf("input %v", in)
	}
	whole, err := train.Draw(cfg, 5)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Train.MicroTokens = 200
	parts, err := train.Draw(cfg, 5)
	if err != nil {
		t.Fatal(err)
	}
	all := tensor.Data[uint8](masks(t, g, 0.3, 9, whole[0])[name])
	zeros, differs := 0, false
	for _, f := range all {
		if f == 0 {
			zeros++
		}
	}
	if share, n := float64(zeros)/float64(len(all)), float64(len(all)); math.Abs(share-0.3) > 5*math.Sqrt(0.3*0.7/n) {
		t.Errorf("a share of %v is dropped", share)
	}
	for _, part := range parts { // the last rows are the nearest distances
		some := tensor.Data[uint8](masks(t, g, 0.3, 9, part)[name])
		differs = differs || len(some) < len(all)
		if !slices.Equal(some, all[len(all)-len(some):]) {
			t.Errorf("a part of %v has another mask than the whole", part.IDs.Shape())
		}
	}
	if !differs {
		t.Error("no part is narrower than the batch; the test shows nothing")
	}
	later := whole[0]
	later.Step++
	if slices.Equal(all, tensor.Data[uint8](masks(t, g, 0.3, 9, later)[name])) {
		t.Error("two steps drop the same")
	}
}

// Its gradients, with the masks held fixed.
func TestDropoutOfDistancesGradient(t *testing.T) {
	cfg := paperRun(t, "copy+paper")
	cfg.Model.Activation = "gelu" // relu's kink would spoil differences
	cfg.Train.Batch, cfg.Train.Lengths, cfg.Train.MicroTokens = 3, "2..3", 0
	cfg, m, g := dropped(t, cfg, 0.3)
	batches, err := train.Draw(cfg, 0)
	if err != nil {
		t.Fatal(err)
	}
	in := feed(g, batches[0])
	for name, f := range masks(t, g, 0.3, 1, batches[0]) {
		in[name] = f
	}
	graphtest.CheckGrad(t, func(b *graph.Builder) (*graph.Node, []*graph.Node) {
		return train.StepLoss(b, m, models.Mode{Dropout: 0.3})
	}, in, perturbed(m))
}
