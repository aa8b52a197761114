package runtime

import (
	"context"
	"fmt"
	"slices"

	"github.com/nopezoo/zoo/internal/lists"
)

// group is rows that run as one batch, of a Session's call or a Batcher's calls. Rows that are done are
// carried along for a while.
type group struct {
	*batch        // nil before the first run
	rows   []*row // as in the batch, and while prompts are read, behind them the rows that share a prompt
	shared []int  // of each of these, the row that is read for it
	tight  bool   // the slots of done rows and of common padding are to go at once: others need the room
}

// prompts returns what is to be read.
func (g *group) prompts() [][]int64 {
	return lists.Make(len(g.rows)-len(g.shared), func(i int) []int64 { return g.rows[i].prompt })
}

// open prepares to run prompts of the rows and so many tokens more.
func (g *group) open(ctx context.Context, s *Session, prompts [][]int64, more int) (err error) {
	g.batch, err = newBatch(ctx, s, prompts, more, g.rows[0].prefix)
	return err
}

// close gives the batch back.
func (g *group) close() error {
	if g.batch == nil {
		return nil
	}
	b := g.batch
	g.batch, g.rows = nil, nil
	return b.close()
}

// dedupePrompts puts the rows to the end whose prompt another row of their call has too: that one is read
// for them.
func (g *group) dedupePrompts() {
	var readers, sharers []*row
	for _, r := range g.rows {
		at := slices.IndexFunc(readers, func(o *row) bool { return o.call == r.call && slices.Equal(o.prompt, r.prompt) })
		if at < 0 {
			readers = append(readers, r)
			continue
		}
		sharers, g.shared = append(sharers, r), append(g.shared, at)
	}
	g.rows = append(readers, sharers...)
}

// fanOut copies the states of a prompt that several rows share into a row of the batch for each of them.
func (g *group) fanOut() error {
	if len(g.shared) == 0 {
		return nil
	}
	places := lists.Make(len(g.shared), func(i int) int { return len(g.pads) + i })
	err := g.batch.join(g.batch, g.shared, places)
	g.shared = nil
	return err
}

// step runs one token of each row.
func (g *group) step() error {
	if err := g.run(1, 1, func(i, _ int) int64 { return g.rows[i].next() }); err != nil {
		return err
	}
	for _, r := range g.rows {
		r.unread = max(r.unread-1, 0)
	}
	return nil
}

// haveRead notes that all prompts have been read.
func (g *group) haveRead() {
	for _, r := range g.rows {
		r.unread = 0
	}
}

// choose takes a token for each row that goes on and has been read, and shows the row. Where that fails, a Batcher's
// call fails, and else the group.
func (g *group) choose(see func(*row)) error {
	for i, r := range g.rows {
		if r.done() || r.unread > 0 {
			continue
		}
		if err := r.take(g.newest(i)); err != nil {
			err = fmt.Errorf("prompt %d: %w", r.index, err)
			if r.call == nil {
				return err
			}
			r.call.fail(err)
			continue
		}
		see(r)
	}
	return nil
}

// newest returns the logits that follow what a row has.
func (g *group) newest(row int) []float32 {
	if k := row - len(g.pads); k >= 0 {
		row = g.shared[k]
	}
	return g.last(row, 0)
}

// done reports whether nothing more is to be computed for a row.
func (g *group) done(row int) bool { return g.rows[row].done() }

// allDone reports whether nothing more is to be computed.
func (g *group) allDone() bool {
	return !slices.ContainsFunc(g.rows, func(r *row) bool { return !r.done() })
}

// drop drops rows that are done: at once, or when carrying them has cost enough (see batch.carry).
func (g *group) drop(atOnce bool) error {
	g.findLive(g.done)
	if enough := g.carry(); enough || atOnce && len(g.live) < len(g.pads) && len(g.live) > 0 {
		return g.retain()
	}
	return nil
}

// retain drops the rows that are not live.
func (g *group) retain() error {
	if err := g.keep(g.live); err != nil {
		return err
	}
	g.rows = pick(g.rows, g.live)
	for i := range g.live {
		g.live[i] = i
	}
	return nil
}

// survey returns how many rows go on, how many slots all of them pad, and how many tokens one
// of them may still get.
func (g *group) survey() (live, pad, left int) {
	pad = g.slots
	for i, r := range g.rows {
		if !r.done() {
			live++
			pad, left = min(pad, g.pads[i]), max(left, r.left)
		}
	}
	return live, pad, left
}

// start makes a group that has been read one that runs.
func (g *group) start() {
	g.known, g.width, g.reserve = nil, 0, 0
	g.bound()
}

// bound sets how many slots the group needs at most.
func (g *group) bound() {
	_, _, left := g.survey()
	g.limit = max(g.slots+left, g.room)
}

// compact drops rows that are done, and the slots that all others pad as soon as they are the greater part, or
// others need the room: states in place then have room for no more than what is to come.
func (g *group) compact(pads bool) error {
	tight := g.tight
	g.tight = false
	if err := g.drop(tight); err != nil {
		return err
	}
	if _, pad, left := g.survey(); pads && (tight || 2*pad > g.slots) && len(g.live) > 0 {
		if err := g.trim(pad, g.slots-pad+left); err != nil {
			return err
		}
	}
	g.bound()
	return nil
}
