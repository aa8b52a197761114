package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/runtime/engine"

	"github.com/nopezoo/zoo/train/runfile"
)

// stepEngine runs the step graph through ONNX Runtime, on the values of an optimizer.
//
// The runs of an update are dealt to lanes, which work side by side: where operators
// are small, two threads with a run each are much faster than two threads in each
// operator. The gradients are summed in an order that is always the same.
type stepEngine struct {
	model    models.Model
	recipe   runfile.Recipe
	unrolled bool
	lanes    []*lane
}

// lane makes one run at a time, with sessions and memory of its own: they would get
// into each other's way in ONNX Runtime's allocator.
type lane struct {
	engine *stepEngine
	opt    engine.Options
	steps  map[int]*step // by stepEngine.known
	loss   float64       // of the lane's runs
}

// newEngine prepares and compiles the step of m.
func newEngine(m models.Model, r runfile.Recipe, opt engine.Options) (*stepEngine, error) {
	arch, err := models.ArchitectureOf(m.Config())
	if err != nil {
		return nil, err
	}
	e := &stepEngine{model: m, recipe: r, unrolled: arch.Unrolled}
	for i := range lanes(r) {
		l := &lane{engine: e, opt: opt, steps: map[int]*step{}}
		if n := lanes(r); n > 1 {
			l.opt.Threads = threads(r) / n
			if i > 0 {
				l.opt.ProfilePrefix = ""
			}
		}
		e.lanes = append(e.lanes, l)
		first := windowLength(r)
		if e.unrolled {
			first = runfile.UnrolledBucket // the others as they come up; what is wrong shows now
		}
		if _, err := l.step(first); err != nil {
			e.close()
			return nil, err
		}
	}
	return e, nil
}

// run computes loss and gradients of the batches that make one update. The gradients are
// left in the sums of as many lanes as it says.
func (e *stepEngine) run(ctx context.Context, batches []batch, on values) (loss float64, lanes int, err error) {
	errs := make([]error, len(e.lanes))
	var wg sync.WaitGroup
	for i, l := range e.lanes {
		wg.Go(func() { errs[i] = l.run(ctx, batches, i, on) })
	}
	wg.Wait()
	lanes = min(len(e.lanes), len(batches))
	for _, l := range e.lanes[:lanes] {
		loss += l.loss
	}
	return loss, lanes, errors.Join(errs...)
}

// loaded returns one of the compiled steps, of which there is always one.
func (e *stepEngine) loaded() engine.Model {
	for _, s := range e.lanes[0].steps {
		return s.Model
	}
	return nil
}

func (e *stepEngine) close() {
	for _, l := range e.lanes {
		for _, s := range l.steps {
			s.Close()
		}
	}
}

// run makes the lane's runs of an update: every so many-th, from its own number on.
func (l *lane) run(ctx context.Context, batches []batch, number int, on values) error {
	l.loss = 0
	for i := number; i < len(batches); i += len(l.engine.lanes) {
		s, err := l.step(l.engine.known(batches[i].IDs.Shape()[1]))
		if err != nil {
			return err
		}
		sum := on.sums[number]
		earlier := sum
		if i == number {
			earlier = on.nothing
		}
		loss, err := s.run(ctx, batches[i], on.weights, earlier, sum)
		if err != nil {
			return err
		}
		l.loss += loss
	}
	return nil
}

// known is the length that a step graph is made for, for a batch of such a width: of unrolled models, and of windows of text
// so long that attention in blocks of queries takes less memory and time. Others take any, 0.
func (e *stepEngine) known(width int) int {
	if e.unrolled || windowLength(e.recipe) > 0 {
		return width
	}
	return 0
}

// step returns the compiled step for sequences of n tokens; 0 is any.
func (l *lane) step(n int) (*step, error) {
	if s := l.steps[n]; s != nil {
		return s, nil
	}
	s, err := compile(l, n)
	if err != nil {
		return nil, fmt.Errorf("train: %w", err)
	}
	l.steps[n] = s
	return s, nil
}

// step is one compiled step graph.
type step struct {
	*session
	dropout *dropout // nil without
}

func compile(l *lane, steps int) (*step, error) {
	r := l.engine.recipe
	mode := models.Mode{Steps: steps, Dropout: drawnRate(r.Dropout), Positions: r.Positions}
	build := hostStepGraph
	if engine.OnDevice(l.opt.Provider) {
		build = deviceStepGraph
	}
	g, err := build(l.engine.model, mode)
	if err != nil {
		return nil, err
	}
	session, err := newSession(g, l.opt)
	if err != nil {
		return nil, err
	}
	s := &step{session: session}
	if r.Dropout > 0 {
		s.dropout = newDropout(g, r.Dropout, r.Seed)
	}
	return s, nil
}

// run computes the loss of a batch, and leaves in sum its gradients added to earlier ones,
// which may be sum itself. All three go by the weights' names.
func (s *step) run(ctx context.Context, b batch, weights, earlier, sum map[string]engine.Value) (loss float64, err error) {
	lossValue := tensor.New(tensor.Float32, 1)
	feed := map[string]*tensor.Tensor{
		card.InputIDs.Name: b.IDs, card.PositionIDs.Name: b.Positions, labelsInput: b.Labels, weightsInput: b.Weights,
		lossOutput: lossValue, oneInput: tensor.Of([]float32{1}, 1),
	}
	if s.dropout != nil {
		masks, err := s.dropout.masks(b)
		if err != nil {
			return 0, err
		}
		maps.Copy(feed, masks)
	}
	fed, err := bind(s, feed)
	defer closeAll(fed)
	if err != nil {
		return 0, fmt.Errorf("train: %w", err)
	}
	var inputs, outputs []engine.Value
	for _, in := range s.inputs {
		v := cmp.Or(fed[in], weights[in])
		if name, ok := strings.CutPrefix(in, earlierPrefix); ok {
			v = earlier[name]
		}
		inputs = append(inputs, v)
	}
	for _, out := range s.outputs {
		outputs = append(outputs, cmp.Or(fed[out], sum[strings.TrimPrefix(out, gradPrefix)]))
	}
	err = engine.Run(ctx, s.session, inputs, outputs)
	return float64(tensor.Data[float32](lossValue)[0]), err
}
