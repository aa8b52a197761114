package bench

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/runtime/engine"
)

// Watch is told how measuring goes on. Its functions may be nil.
type Watch struct {
	Session  func(what string)         // before another session is opened: its model and what differs from others
	Progress func(c *Cell, done int64) // while a cell is measured; done is in the units of Plan.Work
	// Task is given the rows of a task as soon as none is missing, once: at the start of
	// tasks that were measured before. An error ends measuring.
	Task func(rows []eval.Row) error
}

// running is a plan being measured.
type running struct {
	*Plan
	log   *Log
	watch Watch
	done  int64           // work of the cells that are finished
	left  map[string]int  // cells without a row, by task
	told  map[string]bool // tasks that the watch was told of
	said  string
	peaks map[int]eval.Peaks // by threads
}

// Run measures the cells that have no row yet and keeps each row in the log at
// once; a nil log keeps them in the plan alone. When ctx ends, the rows of what was
// finished before stay.
func (p *Plan) Run(ctx context.Context, log *Log, w Watch) error {
	if err := p.check(); err != nil {
		return err
	}
	if log == nil {
		log = &Log{}
	}
	r := &running{
		Plan: p, log: log, watch: w, left: map[string]int{}, told: map[string]bool{}, peaks: map[int]eval.Peaks{},
	}
	r.done, _ = p.Work()
	for _, c := range p.Cells() {
		if !c.Measured {
			r.left[c.Task]++
		}
	}
	for _, c := range p.Cells() {
		if err := r.complete(c.Task); err != nil {
			return err
		}
	}
	for _, g := range p.groups {
		if err := r.group(ctx, g); err != nil {
			return err
		}
	}
	return nil
}

// complete tells of a task, once, unless cells are left.
func (r *running) complete(task string) error {
	if r.watch.Task == nil || task == "" || r.left[task] > 0 || r.told[task] { // speed has no task
		return nil
	}
	r.told[task] = true
	return r.watch.Task(slices.DeleteFunc(r.Rows(), func(row eval.Row) bool { return row.Task != task }))
}

// group measures the cells of one session.
func (r *running) group(ctx context.Context, g *group) error {
	if !g.toRun() {
		return r.cells(ctx, nil, g)
	}
	if text := g.describe(r.options); text != r.said {
		if r.watch.Session != nil {
			r.watch.Session(text)
		}
		r.said = text
	}
	debug.FreeOSMemory() // what earlier groups used is not this one's
	if err := r.measurePeaks(ctx, g); err != nil {
		return err
	}
	session, err := g.open()
	if err != nil {
		return err
	}
	defer session.Close()
	debug.FreeOSMemory() // nor is what validating the file took
	return r.cells(ctx, session, g)
}

// cells measures those of a group; without a session there are only such as are known
// to be not available.
func (r *running) cells(ctx context.Context, session *runtime.Session, g *group) error {
	for _, c := range g.cells {
		if c.Measured {
			continue
		}
		row, err := r.measure(ctx, session, c)
		if err != nil {
			return err
		}
		if err := r.log.Add(row); err != nil {
			return err
		}
		c.keep(&row)
		r.done += c.work()
		r.left[c.Task]--
		if err := r.complete(c.Task); err != nil {
			return err
		}
	}
	return nil
}

func (r *running) measure(ctx context.Context, session *runtime.Session, c *Cell) (eval.Row, error) {
	switch {
	case c.na != nil:
		return *c.na, nil
	case c.text != nil:
		cfg := *c.text
		cfg.Environment.ORTVersion, cfg.Environment.Adapter = ortVersion(session), session.Info().Adapter
		cfg.OnBatch = func(done, total int) { r.progress(c, done, total) }
		return eval.MeasureTextAt(ctx, eval.Of(session), c.group.card, cfg, c.Length)
	case c.speed == nil:
		cfg := c.accuracy
		cfg.Environment.ORTVersion, cfg.Environment.Adapter = ortVersion(session), session.Info().Adapter
		cfg.OnBatch = func(_ task.Span, done, total int) { r.progress(c, done, total) }
		return eval.MeasureLength(ctx, eval.Of(session), c.group.card, cfg, c.at)
	}
	cfg := *c.speed
	cfg.Environment.ORTVersion, cfg.Environment.Adapter = ortVersion(session), session.Info().Adapter
	cfg.OnPass = func(done, total int) { r.progress(c, done, total) }
	if !engine.OnDevice(c.Provider) {
		cfg.Peaks = r.peaks[c.Threads]
	}
	return eval.MeasureSpeedAt(ctx, eval.Of(session), c.group.card, cfg, c.Length)
}

func (r *running) progress(c *Cell, done, total int) {
	if r.watch.Progress != nil {
		r.watch.Progress(c, r.done+c.work()*int64(done)/int64(total))
	}
}

// measurePeaks measures the machine for a group of speed, again before each; the
// best so far counts, since other programs can only slow it down. The peaks of an
// accelerator are not known; and the pure-Go engine is measured against what ONNX
// Runtime reaches, where the program links it and there is a library.
func (r *running) measurePeaks(ctx context.Context, g *group) error {
	onnxruntime, notLinked := engine.Find(engine.CPU)
	if g.cells[0].speed == nil || engine.OnDevice(g.runtime.Provider) || notLinked != nil {
		return nil
	}
	now, err := measurePeaks(ctx, onnxruntime, g.runtime.Threads, g.runtime.Library)
	switch {
	case errors.Is(err, runtime.ErrNoRuntime) || errors.Is(err, runtime.ErrNoCgo):
		return nil // for the go engine; others fail when the model is opened
	case err != nil:
		return err
	}
	best := r.peaks[g.runtime.Threads]
	best.FLOPS, best.Bandwidth = max(best.FLOPS, now.FLOPS), max(best.Bandwidth, now.Bandwidth)
	r.peaks[g.runtime.Threads] = best
	return nil
}

func ortVersion(s *runtime.Session) string {
	if info := s.Info(); info.Engine == "onnxruntime" {
		return info.Version
	}
	return ""
}

// describe names the group, with what differs from others of the plan.
func (g *group) describe(o Options) string {
	text := g.model.From
	if len(o.Profiles) > 1 {
		text += ", profile " + g.card.Profile
	}
	if len(o.Providers) > 1 {
		text += ", provider " + g.runtime.Provider
	}
	if len(o.Threads) > 1 {
		text += fmt.Sprintf(", threads %d", g.runtime.Threads)
	}
	if len(o.Batches) > 1 {
		text += fmt.Sprintf(", batch %d", g.batch)
	}
	return text
}
