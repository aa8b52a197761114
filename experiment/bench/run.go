package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/internal/rowlog"
	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/runtime/engine"
)

// Watch is told how measuring goes on. Its functions may be nil, and are called one at a time.
type Watch struct {
	// Resumed is called first where the file holds rows of the plan, or where its end was
	// repaired; repaired says how, "" for not at all.
	Resumed  func(rows int, repaired string)
	Begin    func()                               // before anything is done for cells that are left
	Done     func(what string, rows []eval.Row)   // after the cells of a model, of tasks or of one length of speed: the model and what differs from others
	Progress func(cell string, done, total int64) // while a cell is measured: "copy-rope at length 20, copy"; in units that go with the time
	// Task is given the rows of a task as soon as none is missing, once: at the start of
	// tasks that were measured before. An error ends measuring.
	Task func(rows []eval.Row) error
}

// log is the format of a file of result rows that grows as cells are finished.
func log() rowlog.Format[eval.Row] {
	return rowlog.Format[eval.Row]{Holds: "results", MaxBytes: eval.MaxResults, Read: eval.ReadPartial[eval.Row], Write: eval.Write[eval.Row]}
}

// resumeFrom gives the cells the rows that a file holds, and returns how many have one. The
// file is neither changed nor locked; "" is none.
func (p *Plan) resumeFrom(path string) (found int, err error) {
	l, err := rowlog.Read(path, log())
	if err != nil {
		return 0, err
	}
	return p.resume(l.Records), nil
}

// running is a plan being measured.
type running struct {
	*Plan
	log         *rowlog.Log[eval.Row]
	watch       Watch
	done, total int64              // work of the cells that are finished, and of all
	left        map[string]int     // cells without a row, by task
	shown       map[string]bool    // tasks that were given to the watch
	peaks       map[int]eval.Peaks // by threads
	mu          sync.Mutex         // of all above but the peaks, which groups that run alone have
}

// session is an open model, with the peaks of the machine.
type session struct {
	*runtime.Session
	peaks eval.Peaks
}

// describe notes the engine of the session in a row's environment.
func (s session) describe(e *eval.Environment) {
	info := s.Info()
	if e.Adapter = info.Adapter; info.Engine == "onnxruntime" {
		e.ORTVersion = info.Version
	}
}

// Run measures the cells that have no row yet, and keeps each row in a file at once, from
// which it goes on; "" keeps them in the plan alone. It returns
// all rows there are, in the order of the plan, and with an error too: rows of finished cells stay when ctx ends.
func (p *Plan) Run(ctx context.Context, path string, w Watch) ([]eval.Row, error) {
	err := p.run(ctx, path, w)
	return p.rows(), err
}

func (p *Plan) run(ctx context.Context, path string, w Watch) error {
	l, err := rowlog.Open(path, log())
	if err != nil {
		return err
	}
	defer l.Close()
	if found := p.resume(l.Records); w.Resumed != nil && (found > 0 || l.Repaired != "") {
		w.Resumed(found, l.Repaired)
	}
	if w.Begin != nil && slices.ContainsFunc(p.groups, (*group).toRun) {
		w.Begin()
	}
	if err := p.ready(ctx); err != nil {
		return err
	}
	r := &running{Plan: p, log: l, watch: w, left: map[string]int{}, shown: map[string]bool{}, peaks: map[int]eval.Peaks{}}
	for _, c := range p.Cells {
		r.total += c.work()
		if c.Measured {
			r.done += c.work()
		} else {
			r.left[c.Task]++
		}
	}
	for _, c := range p.Cells {
		if err := r.complete(c.Task); err != nil {
			return err
		}
	}
	for _, part := range p.parts() {
		if err := r.sideBySide(ctx, part.groups, part.workers); err != nil {
			return err
		}
	}
	return nil
}

// part is groups that so many workers measure.
type part struct {
	groups  []*group
	workers int
}

// parts are the groups of tasks that run alone; those without times, of which some run side by side, as many as there are
// cores and memory for; and those of speed. Times come first, so that what is said of a model at its end is of all its
// lengths.
func (p *Plan) parts() []part {
	var alone, untimed, ofSpeed []*group
	workers := max(1, p.machine.Cores)
	need := int64(1)
	for _, g := range p.groups {
		if g.ofSpeed() {
			ofSpeed = append(ofSpeed, g)
			continue
		}
		if slices.ContainsFunc(g.cells, (*Cell).timed) || engine.OnDevice(g.runtime.Provider) {
			alone = append(alone, g)
			continue
		}
		untimed, need = append(untimed, g), max(need, g.need)
		workers = min(workers, max(1, p.machine.Cores/max(1, g.runtime.Threads)))
	}
	if free := p.machine.MemoryFree; free > 0 {
		workers = min(workers, int(free/need))
	}
	workers = max(1, min(workers, len(untimed)))
	for _, g := range untimed {
		g.runtime.Threads = cmp.Or(g.runtime.Threads, max(1, p.machine.Cores/workers))
	}
	return []part{{alone, 1}, {untimed, workers}, {ofSpeed, 1}}
}

// complete gives the watch a task, once, unless cells are left.
func (r *running) complete(task string) error {
	if r.watch.Task == nil || task == "" || r.left[task] > 0 || r.shown[task] { // speed has no task
		return nil
	}
	r.shown[task] = true
	return r.watch.Task(slices.DeleteFunc(r.rows(), func(row eval.Row) bool { return row.Task != task }))
}

// keep keeps a cell's row, and tells of its model and of its task if that was the last one.
func (r *running) keep(c *Cell, row eval.Row) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.log.Add(row); err != nil {
		return err
	}
	c.keep(&row)
	r.left[c.Task]--
	cells := slices.Concat(c.group.cells, c.group.rest)
	left := slices.ContainsFunc(cells, func(c *Cell) bool { return !c.Measured })
	if !left && r.watch.Done != nil && slices.ContainsFunc(cells, func(c *Cell) bool { return c.unavailable == nil }) {
		r.watch.Done(c.group.describe(r.options), rowsOf(cells))
	}
	return r.complete(c.Task)
}

func (r *running) measure(ctx context.Context, s session, c *Cell) (eval.Row, error) {
	if c.unavailable != nil {
		return *c.unavailable, nil
	}
	before := int64(0) // of the cell's work
	return c.measurement.run(ctx, c, s, func(done, total int) {
		r.mu.Lock()
		defer r.mu.Unlock()
		now := c.work() * int64(done) / int64(total)
		r.done, before = r.done+now-before, now
		if r.watch.Progress != nil {
			r.watch.Progress(c.name(), r.done, r.total)
		}
	})
}

// ofSpeed reports whether the cells of a group measure speed.
func (g *group) ofSpeed() bool {
	_, is := g.cells[0].measurement.(speed)
	return is
}

// measurePeaks measures the machine for a group of speed, again before each; the
// best so far counts, since other programs can only slow it down. The peaks of an
// accelerator are not known; and the pure-Go engine is measured against what ONNX
// Runtime reaches, where the program links it and there is a library.
func (r *running) measurePeaks(ctx context.Context, g *group) (best eval.Peaks, err error) {
	onnxruntime, notLinked := engine.Find(engine.CPU)
	if !g.ofSpeed() || engine.OnDevice(g.runtime.Provider) || notLinked != nil {
		return best, nil
	}
	now, err := measurePeaks(ctx, onnxruntime, g.runtime.Threads, g.runtime.Library)
	switch {
	case errors.Is(err, runtime.ErrNoRuntime) || errors.Is(err, runtime.ErrNoCgo):
		return best, nil // for the go engine; others fail when the model is opened
	case err != nil:
		return best, err
	}
	best = r.peaks[g.runtime.Threads]
	best.FLOPS, best.Bandwidth = max(best.FLOPS, now.FLOPS), max(best.Bandwidth, now.Bandwidth)
	r.peaks[g.runtime.Threads] = best
	return best, nil
}

// describe names the group by its model, and by the options that differ in the plan.
func (g *group) describe(o Options) string {
	text := g.model.Label
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
