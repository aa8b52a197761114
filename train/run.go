package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/runtime/engine"
	"github.com/nopezoo/zoo/train/journal"
	"github.com/nopezoo/zoo/train/runfile"
)

// Errors that callers branch on.
var (
	// ErrExists means that the directory of a new run holds one already.
	ErrExists = errors.New("a run is there already")
	// ErrInterrupted means that training stopped at the caller's wish after
	// saving a checkpoint.
	ErrInterrupted = errors.New("training interrupted")
	// ErrDiverged means that the loss or a gradient is not finite, or that the
	// loss has exploded.
	ErrDiverged = errors.New("training diverged")
)

// Options are what a run needs in addition to its configuration.
type Options struct {
	// Library is the ONNX Runtime library, "" to search.
	Library string
	// ProfilePrefix makes ONNX Runtime write a trace of its operators.
	ProfilePrefix string

	// Provider is ONNX Runtime's: "" or "cpu", or one of a device (engine.OnDevice), in whose
	// memory weights, moments and gradients then stay from step to step. It is no part of a
	// configuration: a run may be resumed with another, and its metrics say which made a
	// step. Runs of one configuration are the same to the bit on one processor only.
	Provider string
	// ProviderOptions are as in runtime.Options.
	ProviderOptions map[string]string
	// AllowCPUNodes is as in runtime.Options.
	AllowCPUNodes bool
	// Memory is how many bytes of main memory are free; 0 where nobody knows. A run on the CPU that takes more
	// is refused, with the setting that would do.
	Memory int64

	// GraphOptimizer makes the updates by the update graph (see updateGraph) in ONNX Runtime
	// instead of in Go. It is the same AdamW up to rounding, and a run may be resumed with
	// either; its metrics say which made a step. It keeps weights, moments and gradients a
	// second time, apart from what a checkpoint is written of, and is slower on the CPU; on a
	// device it is what makes them in any case.
	GraphOptimizer bool

	// Evaluate is needed where train.eval_every is not 0, and not used elsewhere. It measures a model by
	// greedy generation on held-out samples, at the lengths of Recipe.EvalLengths. The weights are the
	// run's own, by name: they are to be read only, and only until it returns. Equal weights must give
	// equal results, or a resumed run is not exact.
	Evaluate func(ctx context.Context, step int, weights map[string]*tensor.Tensor) ([]journal.Result, error)
	// Evaluated, when not nil, is told of each evaluation.
	Evaluated func(journal.Evaluation)
	// Warn is told what could not be saved while the run goes on. Without it, such
	// an error ends the run.
	Warn func(error)
}

// Trainer is a run in progress. Close it.
type Trainer struct {
	dir         string
	now         *runfile.Checkpoint // the run as it is; its tensors are so after opt.download
	model       models.Model
	draw        func(step int) ([]batch, error) // the batches of a step
	engine      *stepEngine
	opt         optimizer
	options     Options
	named       bool                      // the provider and the device of this start, after its first step
	saved       bool                      // the newest checkpoint is the run as it is
	unsavedBest *runfile.Checkpoint       // of the best evaluation, where it could not be saved
	through     func(io.Writer) io.Writer // what tests put before all files; nil for nothing
	lock        *os.File                  // nil until the run has its directory
	// Warnings are what Resume found wrong and could go on with, such as damaged
	// checkpoints that it passed over.
	Warnings []error
	// Origin says in words which weights a second phase begins with, where this is its
	// beginning; else it is "".
	Origin string
}

// New starts a run in an empty or new directory, with checkpoint and metrics
// files to come. The configuration is resolved and stored first, with the threads of this
// machine where it leaves them open.
func New(dir string, cfg runfile.Config, o Options) (*Trainer, error) {
	cfg, err := cfg.Resolve()
	if err != nil {
		return nil, err
	}
	cfg = withThreads(cfg, goruntime.NumCPU())
	if err := engine.CheckThreads(cfg.Train.Threads); err != nil {
		return nil, fmt.Errorf("train.%w", err)
	}
	if err := checkLongest(cfg); err != nil {
		return nil, err
	}
	if err := absent(dir); err != nil {
		return nil, err
	}
	t, err := newTrainer(dir, &runfile.Checkpoint{Config: cfg}, o)
	if err != nil {
		return nil, err
	}
	if err := t.begin(); err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// begin makes the directory of a new run and stores its configuration there.
func (t *Trainer) begin() (err error) {
	if err := os.MkdirAll(t.dir, 0o755); err != nil {
		return err
	}
	if t.lock, err = acquire(t.dir); err != nil {
		return err
	}
	if err := absent(t.dir); err != nil { // another process was faster
		return err
	}
	return t.now.Config.Write(t.dir)
}

// absent reports a run that is in the directory already.
func absent(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, runfile.ConfigFile)); err == nil {
		return fmt.Errorf("%s: %w; continue it, or choose another directory", dir, ErrExists)
	}
	return nil
}

// Resume continues a run from its newest usable checkpoint, or from its start
// when it was stopped before the first.
func Resume(dir string, o Options) (*Trainer, error) {
	cfg, err := runfile.ReadConfig(dir)
	if err != nil {
		return nil, err
	}
	lock, err := acquire(dir)
	if err != nil {
		return nil, err
	}
	t, err := resume(dir, cfg, o)
	if err != nil {
		lock.Close()
		return nil, err
	}
	t.lock = lock
	return t, nil
}

// resume does the work of Resume under the lock.
func resume(dir string, cfg runfile.Config, o Options) (*Trainer, error) {
	if err := sweepTemporary(dir); err != nil {
		return nil, err
	}
	c, skipped, err := runfile.Latest(dir)
	if errors.Is(err, runfile.ErrNoCheckpoint) && len(skipped) == 0 {
		c = &runfile.Checkpoint{Config: cfg}
	} else if err != nil {
		return nil, err
	}
	if c.Config.Hash() != cfg.Hash() {
		return nil, fmt.Errorf("%s: the newest checkpoint was made with another configuration than %s says", dir,
			runfile.ConfigFile)
	}
	if n := cfg.Train.Threads; n > engine.MaxThreads() {
		return nil, fmt.Errorf("%s: the run began with %d threads, on which its bits depend, and this machine's "+
			"%d processors bear %d at most; go on with it where there are more", dir, n, goruntime.NumCPU(),
			engine.MaxThreads())
	}
	t, err := newTrainer(dir, c, o)
	if err != nil {
		return nil, err
	}
	for _, damaged := range skipped {
		t.Warnings = append(t.Warnings, fmt.Errorf("passed over a damaged checkpoint: %w", damaged))
	}
	t.Warnings = append(t.Warnings, warnThreads(cfg.Train, c.Step)...)
	lost, err := journal.Cut(dir, c.Step, c.Progress.Evaluated)
	if err != nil {
		t.Close()
		return nil, err
	}
	t.Warnings = append(t.Warnings, lost...)
	return t, nil
}

// newTrainer prepares to go on from c, whose tensors it takes over; without any it is
// the beginning of the run.
func newTrainer(dir string, c *runfile.Checkpoint, o Options) (*Trainer, error) {
	r := c.Config.Train
	if r.EvalEvery > 0 && o.Evaluate == nil {
		return nil, fmt.Errorf("train.eval_every %d: there is no evaluator; "+
			"hand one in as Options.Evaluate, or set 0", r.EvalEvery)
	}
	onDevice := engine.OnDevice(o.Provider)
	if !onDevice { // whose memory is not known
		if err := checkMemory(c.Config, o.Memory); err != nil {
			return nil, err
		}
	}
	src, err := newSource(c.Config)
	if err != nil {
		return nil, err
	}
	m, err := models.New(c.Config.Model)
	if err != nil {
		return nil, err
	}
	origin := ""
	if c.Weights == nil {
		if c.Weights, origin, err = begin(c.Config); err != nil {
			return nil, err
		}
		c.M, c.V = zeros(m.Params()), zeros(m.Params())
	}
	if onDevice {
		r.Lanes = 1 // it is one device
	}
	sessions := engine.Options{
		Library: o.Library, Provider: o.Provider, ProviderOptions: o.ProviderOptions, AllowCPUNodes: o.AllowCPUNodes,
		Threads: r.Threads, ProfilePrefix: o.ProfilePrefix, Training: true,
	}
	e, err := newEngine(m, r, sessions)
	if err != nil {
		return nil, err
	}
	opt, err := newOptimizer(c, m.Params(), r, o.GraphOptimizer || onDevice, sessions, e.loaded())
	if err != nil {
		e.close()
		return nil, err
	}
	before := c.Config.UpdatesBefore()
	draw := func(step int) ([]batch, error) { return src.at(before + step) }
	t := &Trainer{dir: dir, now: c, model: m, draw: draw, engine: e, opt: opt, options: o, saved: true, Origin: origin}
	if err := opt.upload(); err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// Close releases the engine and the directory. Nothing is saved. Closing again
// does nothing.
func (t *Trainer) Close() {
	if t.engine == nil {
		return
	}
	t.engine.close()
	t.opt.close()
	t.engine = nil
	if t.lock != nil {
		t.lock.Close()
	}
}

type prepared struct {
	batches []batch
	err     error
}

// prefetch draws the batches of a step while the one before is computed.
func (t *Trainer) prefetch(step int) <-chan prepared {
	c := make(chan prepared, 1)
	go func() {
		b, err := t.draw(step)
		c <- prepared{b, err}
	}()
	return c
}

// update makes one step of the optimizer, or none: when ctx ends while gradients are computed, the weights are as they
// were.
func (t *Trainer) update(ctx context.Context, batches []batch) (journal.Stats, error) {
	for _, b := range batches {
		if n, limit := b.IDs.Shape()[1], t.model.MaxLength(); limit > 0 && n > limit {
			return journal.Stats{}, fmt.Errorf("train: step %d has a sequence of %d tokens, "+
				"and the encoding %s ends at %d; "+
				"lower train.lengths or raise the encoding's maximum", t.now.Step+1, n, t.now.Config.Model.Encoding,
				limit)
		}
	}
	loss, lanes, err := t.engine.run(ctx, batches, t.opt.values())
	if err != nil {
		return journal.Stats{}, err
	}
	if !finite(loss) {
		return journal.Stats{}, t.diverged(t.now.Step+1, fmt.Sprintf("loss %v", loss))
	}
	r := t.now.Config.Train
	lr := rate(r, t.now.Step)
	norm, err := t.opt.apply(update{number: t.now.Step + 1, rate: lr, lanes: lanes})
	if err != nil {
		return journal.Stats{}, fmt.Errorf("train: update %d: %w", t.now.Step+1, err)
	}
	if !finite(norm) {
		return journal.Stats{}, t.diverged(t.now.Step+1, fmt.Sprintf("loss %v, gradient norm %v", loss, norm))
	}
	t.now.Step++
	t.now.Loss = loss
	s := journal.Stats{Step: t.now.Step, Steps: r.Steps, Loss: loss, LR: lr, GradNorm: norm, Optimizer: t.opt.name()}
	if engine.OnDevice(t.options.Provider) {
		s.Provider = t.options.Provider
	}
	if !t.named {
		t.named, t.now.Progress.Provider = true, madeBy(t.now.Progress.Provider, cmp.Or(t.options.Provider, engine.CPU))
		if d, ok := t.engine.loaded().(engine.DeviceModel); ok {
			s.Device = d.Adapter()
		}
	}
	for _, b := range batches {
		s.Tokens += b.Tokens
		s.Slots += b.IDs.Len()
	}
	return s, nil
}

// madeBy adds a provider to those that made a run's steps.
func madeBy(before, provider string) string {
	switch {
	case before == "":
		return provider
	case slices.Contains(strings.Split(before, "+"), provider):
		return before
	}
	return before + "+" + provider
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
