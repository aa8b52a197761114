package bench

import (
	"context"
	"runtime/debug"
	"slices"
	"sync"
)

// shared is a group being measured, in one session for all workers.
type shared struct {
	*group
	left    []*Cell // that nobody has begun
	workers int     // that measure a cell of it

	opening sync.Mutex
	session session // without a model before the first cell that needs one
}

// sideBySide measures groups by so many workers; one has a group at a time. The first error ends them all.
func (r *running) sideBySide(ctx context.Context, groups []*group, workers int) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var all []*shared
	for _, g := range groups {
		left := slices.DeleteFunc(slices.Clone(g.cells), func(c *Cell) bool { return c.Measured })
		s := &shared{group: g, left: left}
		defer s.close()
		all = append(all, s)
	}
	var choosing sync.Mutex // of left and workers
	var wait sync.WaitGroup
	for range workers {
		wait.Go(func() {
			choosing.Lock()
			defer choosing.Unlock()
			for g := next(all); g != nil && ctx.Err() == nil; g = next(all) {
				c := g.left[0]
				g.left, g.workers = g.left[1:], g.workers+1
				choosing.Unlock()
				err := r.cell(ctx, g, c)
				choosing.Lock()
				if g.workers--; g.workers == 0 && len(g.left) == 0 {
					g.close()
				}
				if err != nil {
					cancel(err)
				}
			}
		})
	}
	wait.Wait()
	return context.Cause(ctx)
}

// next is the first group with cells left that nobody measures, else the one that the fewest do; nil for none.
func next(groups []*shared) (out *shared) {
	for _, g := range groups {
		if len(g.left) > 0 && (out == nil || g.workers < out.workers) {
			out = g
		}
	}
	return out
}

// cell measures a cell of a group and keeps its row.
func (r *running) cell(ctx context.Context, g *shared, c *Cell) (err error) {
	s := session{}
	if c.toRun() {
		if s, err = r.use(ctx, g); err != nil {
			return err
		}
	}
	row, err := r.measure(ctx, s, c)
	if err != nil {
		return err
	}
	return r.keep(c, row)
}

// use gives the session of a group, which the first cell opens.
func (r *running) use(ctx context.Context, g *shared) (s session, err error) {
	g.opening.Lock()
	defer g.opening.Unlock()
	if g.session.Session != nil {
		return g.session, nil
	}
	debug.FreeOSMemory() // memory of earlier groups is not this one's
	if s.peaks, err = r.measurePeaks(ctx, g.group); err != nil {
		return s, err
	}
	if s.Session, err = g.open(); err != nil {
		return s, err
	}
	debug.FreeOSMemory() // nor is the memory that validating the file took
	g.session = s
	return s, nil
}

func (g *shared) close() {
	if g.session.Session != nil {
		_ = g.session.Close()
		g.session = session{}
	}
}
