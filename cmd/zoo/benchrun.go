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
	meter *meter
	done  int64 // work of the cells that are finished
}

// measureAll measures the cells that have no row yet, and keeps each row at once.
func (a *app) measureAll(ctx context.Context, p *benchPlan, log *benchLog) error {
	var todo []*benchGroup
	b := &benchmark{app: a, plan: p, log: log}
	var total int64
	for _, c := range p.cells() {
		total += c.work()
		if c.row != nil {
			b.done += c.work()
		} else if !slices.Contains(todo, c.group) {
			todo = append(todo, c.group)
		}
	}
	if err := checkProviders(todo); err != nil {
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
func checkProviders(groups []*benchGroup) error {
	uses := func(provider string) bool {
		return slices.ContainsFunc(groups, func(g *benchGroup) bool { return g.engine.provider == provider })
	}
	if !uses("cpu") && !uses("cuda") {
		return nil
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
	b.meter.close() // a bar would stand on the same line; it comes back
	b.note("measuring %s", g.describe(b.plan))
	debug.FreeOSMemory() // what earlier groups used is not this one's
	session, data, err := g.engine.open(g.source)
	if err != nil {
		return err
	}
	defer session.Close()
	if hash(data) != g.env.ModelSHA256 {
		return fmt.Errorf("%s has changed since the command began: start it again", g.from)
	}
	for _, c := range g.cells {
		if c.row != nil {
			continue
		}
		if err := b.cell(ctx, session, c); err != nil {
			return err
		}
	}
	return nil
}

func (b *benchmark) cell(ctx context.Context, session *runtime.Session, c *benchCell) error {
	cfg := c.cfg
	if info := session.Info(); info.Engine == "onnxruntime" {
		cfg.Environment.ORTVersion = info.Version
	}
	cfg.OnBatch = func(_, done, total int) {
		b.meter.update(b.done+c.work()*int64(done)/int64(total), c.String)
	}
	row, err := eval.MeasureLength(ctx, measured{session}, c.group.card, cfg, c.len)
	if err != nil {
		return err
	}
	if err := b.log.add(row); err != nil {
		return err
	}
	c.row = &row
	b.done += c.work()
	return nil
}

// String names the cell while it is measured.
func (c *benchCell) String() string {
	return fmt.Sprintf("%s, %s at length %d", c.group.label, c.cfg.Task.Name, c.len)
}

// describe names the group, with what differs from others of the plan.
func (g *benchGroup) describe(p *benchPlan) string {
	text := g.from
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
