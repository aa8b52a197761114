package main

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/runtime/ort"
)

// benchmark is a plan being measured.
type benchmark struct {
	*app
	plan  *benchPlan
	log   *benchLog
	out   *benchPrinter
	meter *meter
	done  int64 // work of the cells that are finished
	said  string
	peaks map[int]eval.Peaks // by threads
}

// measureAll measures the cells that have no row yet, keeps each row at once, and shows
// what is complete.
func (a *app) measureAll(ctx context.Context, p *benchPlan, log *benchLog, out *benchPrinter) error {
	todo := p.unmeasured()
	b := &benchmark{app: a, plan: p, log: log, out: out, peaks: map[int]eval.Peaks{}}
	var total int64
	for _, c := range p.cells() {
		total += c.work()
		if c.row != nil {
			b.done += c.work()
		}
	}
	if err := a.checkProviders(ctx, p.toRun()); err != nil {
		return err
	}
	b.meter = a.newMeter("measuring", b.done, total)
	defer b.meter.close()
	for _, g := range todo {
		if err := b.group(ctx, g); err != nil {
			return b.stopped(ctx, err)
		}
	}
	return nil
}

// checkProviders wants that this machine has what the groups run on.
func (a *app) checkProviders(ctx context.Context, groups []*benchGroup) error {
	uses := func(provider string) bool {
		return slices.ContainsFunc(groups, func(g *benchGroup) bool { return g.engine.provider == provider })
	}
	if !uses("cpu") && !uses("cuda") {
		return nil
	}
	if uses("cpu") {
		if err := a.needProvider(ctx, "cpu"); err != nil {
			return err
		}
	}
	_, state, err := ort.Probe("")
	if err != nil {
		return withoutLibrary(err)
	}
	for _, provider := range []string{"cpu", "cuda"} {
		if err := state[provider]; err != nil && uses(provider) {
			return fmt.Errorf("--provider %s: this machine cannot: %w", provider, err)
		}
	}
	return nil
}

// stopped says what is kept and how to go on.
func (b *benchmark) stopped(ctx context.Context, err error) error {
	if ctx.Err() == nil || !errors.Is(err, context.Canceled) {
		return err
	}
	text := fmt.Sprintf("interrupted with %d of %d cells measured", len(b.plan.rows()), len(b.plan.cells()))
	if b.log.file == nil {
		return errors.New(text + "; with -o FILE they would be kept, and the same command would go on")
	}
	return fmt.Errorf("%s; they are kept; go on with: zoo %s", text, strings.Join(each(b.args, shellWord), " "))
}

// group measures the cells of one session.
func (b *benchmark) group(ctx context.Context, g *benchGroup) error {
	if !g.toRun() {
		return b.cells(ctx, nil, g)
	}
	if text := g.describe(b.plan); text != b.said {
		b.meter.close() // a bar would stand on the same line; it comes back
		b.note("measuring %s", text)
		b.said = text
	}
	debug.FreeOSMemory() // what earlier groups used is not this one's
	if err := b.measurePeaks(ctx, g); err != nil {
		return err
	}
	session, data, err := g.engine.open(g.Model)
	if err != nil {
		return err
	}
	defer session.Close()
	if hash(data) != g.env.ModelSHA256 {
		return fmt.Errorf("%s has changed since the command began: start it again", g.From)
	}
	debug.FreeOSMemory() // nor is what validating the file took
	return b.cells(ctx, session, g)
}

// cells measures those of a group; without a session there are only such as are known
// to be not available.
func (b *benchmark) cells(ctx context.Context, session *runtime.Session, g *benchGroup) error {
	for _, c := range g.cells {
		if c.row != nil {
			continue
		}
		if err := b.keep(ctx, session, c); err != nil {
			return err
		}
	}
	return nil
}

// keep measures a cell and keeps its row.
func (b *benchmark) keep(ctx context.Context, session *runtime.Session, c *benchCell) error {
	measure := b.accuracy
	switch {
	case c.na != nil:
		measure = func(context.Context, *runtime.Session, *benchCell) (eval.Row, error) { return *c.na, nil }
	case c.speed != nil:
		measure = b.speed
	}
	row, err := measure(ctx, session, c)
	if err != nil {
		return err
	}
	if err := b.log.add(row); err != nil {
		return err
	}
	c.row = &row
	b.done += c.work()
	if b.out.completes(c) {
		b.meter.close() // a bar would stand among the tables
	}
	return b.out.measured(c)
}

func (b *benchmark) accuracy(ctx context.Context, session *runtime.Session, c *benchCell) (eval.Row, error) {
	cfg := c.accuracy
	cfg.Environment.ORTVersion = ortVersion(session)
	cfg.OnBatch = func(_, done, total int) { b.progress(c, done, total) }
	return eval.MeasureLength(ctx, measured{session}, c.group.card, cfg, c.length)
}

func (b *benchmark) speed(ctx context.Context, session *runtime.Session, c *benchCell) (eval.Row, error) {
	cfg := *c.speed
	cfg.Environment.ORTVersion = ortVersion(session)
	cfg.OnPass = func(done, total int) { b.progress(c, done, total) }
	cfg.Peaks = b.peaks[c.group.engine.threads]
	if c.group.engine.provider == "cuda" {
		cfg.Peaks = eval.Peaks{}
	}
	return eval.MeasureSpeedAt(ctx, measured{session}, c.group.card, cfg, c.length)
}

func (b *benchmark) progress(c *benchCell, done, total int) {
	b.meter.update(b.done+c.work()*int64(done)/int64(total), c.String)
}

// measurePeaks measures the machine for a group of speed, again before each; the
// best so far counts, since other programs can only slow it down. The peaks of an
// accelerator are not known; and the pure-Go engine is measured against what ONNX
// Runtime reaches, where there is one.
func (b *benchmark) measurePeaks(ctx context.Context, g *benchGroup) error {
	if g.cells[0].speed == nil || g.engine.provider == "cuda" {
		return nil
	}
	now, err := measurePeaks(ctx, g.engine.threads)
	switch {
	case errors.Is(err, ort.ErrNoRuntime) || errors.Is(err, ort.ErrNoCgo):
		return nil // for the go engine; others have been checked
	case err != nil:
		return err
	}
	best := b.peaks[g.engine.threads]
	best.FLOPS, best.Bandwidth = max(best.FLOPS, now.FLOPS), max(best.Bandwidth, now.Bandwidth)
	b.peaks[g.engine.threads] = best
	return nil
}

func ortVersion(s *runtime.Session) string {
	if info := s.Info(); info.Engine == "onnxruntime" {
		return info.Version
	}
	return ""
}

// String names the cell while it is measured.
func (c *benchCell) String() string {
	if c.speed != nil {
		return fmt.Sprintf("%s, speed at length %d", c.group.Label, c.length)
	}
	return fmt.Sprintf("%s, %s at length %d", c.group.Label, c.accuracy.Task.Name, c.length)
}

// describe names the group, with what differs from others of the plan.
func (g *benchGroup) describe(p *benchPlan) string {
	text := g.From
	if len(p.o.profiles) > 1 {
		text += ", profile " + g.card.Profile
	}
	if len(p.o.providers) > 1 {
		text += ", provider " + g.engine.provider
	}
	if len(p.o.threads) > 1 && g.engine.provider != "go" {
		text += fmt.Sprintf(", threads %d", g.engine.threads)
	}
	if len(p.o.batches) > 1 {
		text += fmt.Sprintf(", batch %d", g.batch)
	}
	return text
}
