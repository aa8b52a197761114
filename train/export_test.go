package train

import (
	"context"
	"io"
	"math/rand/v2"
	"slices"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/runtime/engine"

	"github.com/nopezoo/zoo/tokenizer"
	"github.com/nopezoo/zoo/train/journal"
	"github.com/nopezoo/zoo/train/runfile"
)

// What tests outside need of the package's own.
type MemoryError = memoryError

var (
	StepGraph   = hostStepGraph
	CheckMemory = checkMemory
	FitLanes    = fitLanes
	WithThreads = withThreads
	Begin       = begin
	StartOf     = startOf
)

// Sums counts how often f hashes weights.
func Sums(f func()) (n int) {
	defer func() { summing = func() {} }()
	summing = func() { n++ }
	f()
	return n
}

// Config returns the resolved configuration.
func (t *Trainer) Config() runfile.Config { return t.now.Config }

// Step returns the number of updates done.
func (t *Trainer) Step() int { return t.now.Step }

// Fit says for people whether the run has fitted its data so far.
func (t *Trainer) Fit() (string, error) { return Fit(t.now) }

// Batch is one run of the step graph.
type Batch = batch

// RepeatFirstBatch makes every step see the data of the first.
func RepeatFirstBatch(t *Trainer) {
	draw := t.draw
	t.draw = func(int) ([]batch, error) { return draw(0) }
}

// StepLoss is the loss of the training step, for gradient checks.
func StepLoss(b *graph.Builder, m models.Model, mode models.Mode) (loss *graph.Node, weights []*graph.Node) {
	return stepLoss(b, m, mode, logProbability)
}

// Draw returns the batches of a step.
func Draw(c runfile.Config, step int) ([]batch, error) {
	src, err := newSource(c)
	if err != nil {
		return nil, err
	}
	return src.at(step)
}

// DrawAll returns the batches of several steps from one source.
func DrawAll(c runfile.Config, steps ...int) (out [][]batch, err error) {
	src, err := newSource(c)
	if err != nil {
		return nil, err
	}
	for _, step := range steps {
		b, err := src.at(step)
		if err != nil {
			return nil, err
		}
		out = append(out, b)
	}
	return out, nil
}

// Decode returns the text of every sequence of a step, without padding and the
// end token.
func Decode(c runfile.Config, step int) ([]string, error) {
	src, err := newSource(c)
	if err != nil {
		return nil, err
	}
	batches, err := src.at(step)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, b := range batches {
		width := b.IDs.Shape()[1]
		all := tensor.Data[int64](b.IDs)
		for i := range b.IDs.Shape()[0] {
			row := slices.DeleteFunc(slices.Clone(all[i*width:(i+1)*width]),
				func(id int64) bool { return id == tokenizer.Pad })
			text, err := src.tok.Decode(row)
			if err != nil {
				return nil, err
			}
			out = append(out, text)
		}
	}
	return out, nil
}

// Update makes one step on given batches.
func Update(t *Trainer, batches []batch) (journal.Stats, error) {
	return t.update(context.Background(), batches)
}

// Masks returns the dropout masks of a batch, by input of the step graph.
func Masks(g *graph.Graph, rate float64, seed uint64, b batch) (map[string]*tensor.Tensor, error) {
	return newDropout(g, rate, seed).masks(b)
}

// Prune removes old checkpoints.
var Prune = prune

// Through puts something between a run and all its files.
func Through(t *Trainer, f func(io.Writer) io.Writer) { t.through = f }

// Exploded counts the steps after which a sequence of losses counts as exploded; 0
// if it does not.
func Exploded(losses []float64) int {
	var w watch
	for i, loss := range losses {
		if w.see(loss) {
			return i + 1
		}
	}
	return 0
}

// PretendLoss makes a run believe that its loss was steady so far.
func PretendLoss(t *Trainer, loss float64) {
	*(*watch)(&t.now.Progress.Watch) = watch{Start: loss, Smooth: loss, Best: loss}
}

// SweepTemporary removes what killed writes left behind.
var SweepTemporary = sweepTemporary

// LeaveThreadsOpen makes the files of a run, from now on, an earlier
// version, which stored train.threads 0.
func LeaveThreadsOpen(t *Trainer) error {
	t.now.Config.Train.Threads = 0
	return t.now.Config.Write(t.dir)
}

// Rate is the learning rate of a step.
func Rate(r runfile.Recipe, step int) float64 { return rate(r, step) }

// Positions draws the position ids of a sequence of n tokens.
func Positions(kind string, n, below int, seed uint64) []int64 {
	return positions{kind: kind, below: below}.ids(n, rand.New(rand.NewPCG(seed, 0)))
}

// Drawn returns the batches of a run's step.
func Drawn(t *Trainer, step int) ([]batch, error) { return t.draw(step) }

// SaveWithoutFit writes the checkpoint of a run as versions before fitted_step did.
func SaveWithoutFit(t *Trainer) error {
	t.now.Progress.Fitted, t.now.Progress.Prompts = nil, 0
	return t.store(t.now)
}

// Updates returns what makes an update of a model's weights, of the number given, with either
// optimizer, from gradients of its own in every lane, which may be any. Both work on the
// same configuration, each on memory of its own. Call done at the end.
func Updates(c runfile.Config, m models.Model) (inGo, inGraph func(number int) error, done func(), err error) {
	params := m.Params()
	state := &runfile.Checkpoint{Config: c, Weights: models.InitWeights(params, 1), M: zeros(params), V: zeros(params)}
	graph, err := newGraphOptimizer(state, params, c.Train, engine.Options{Threads: c.Train.Threads, Training: true})
	if err != nil {
		return nil, nil, nil, err
	}
	host, err := newHostOptimizer(state, params, graph.session)
	if err != nil {
		graph.close()
		return nil, nil, nil, err
	}
	done = func() { host.close(); graph.close() }
	rng := rand.New(rand.NewPCG(1, 1))
	for lane, sum := range host.sums {
		for name, g := range sum {
			for i := range tensor.Data[float32](g) {
				tensor.Data[float32](g)[i] = rng.Float32() - 0.5
			}
			if err := graph.buffers[gradOf(lane)+name].write(g); err != nil {
				done()
				return nil, nil, nil, err
			}
		}
	}
	apply := func(o optimizer) func(int) error {
		return func(number int) error {
			_, err := o.apply(update{number: number, rate: 1e-6, lanes: lanes(c.Train)})
			return err
		}
	}
	return apply(host), apply(graph), done, graph.upload()
}
