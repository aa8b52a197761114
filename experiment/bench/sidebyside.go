package bench

import (
	"context"
	"slices"
	"sync"

	"github.com/nopezoo/zoo/runtime"
)

// shared is a group measured side by side with others, in one session for all workers.
type shared struct {
	*group
	left    []*Cell // that nobody has begun
	workers int     // that measure a cell of it

	opening sync.Mutex
	session *runtime.Session // nil before the first cell that needs one
}

// sideBySide measures groups by so many workers. The first error ends them all.
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
				err := r.sharedCell(ctx, g, c)
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

// sharedCell measures a cell of a group and keeps its row.
func (r *running) sharedCell(ctx context.Context, g *shared, c *Cell) (err error) {
	s := session{}
	if c.toRun() {
		if s.Session, err = g.use(); err != nil {
			return err
		}
	}
	return r.cell(ctx, s, c)
}

// use gives the session of the group, which the first cell opens.
func (g *shared) use() (*runtime.Session, error) {
	g.opening.Lock()
	defer g.opening.Unlock()
	var err error
	if g.session == nil {
		g.session, err = g.open()
	}
	return g.session, err
}

func (g *shared) close() {
	if g.session != nil {
		_ = g.session.Close()
		g.session = nil
	}
}
