package runtime

import (
	"errors"
	"slices"

	"github.com/nopezoo/zoo/runtime/engine"
)

// batcherLoop is what a Batcher's loop works on. No one else touches it.
type batcherLoop struct {
	turn    int    // counts the times that tokens were chosen
	running *group // completions that go on
	reading *group // prompts that are read
}

// loop makes turns until nothing is left to do.
func (b *Batcher) loop() {
	for b.begin() {
		b.read()
		b.step()
	}
}

// begin takes prompts from the queue, and reports whether there is something to do.
func (b *Batcher) begin() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.count() // before what is done goes
	if b.closed {
		for _, r := range b.waiting {
			r.call.fail(ErrClosed)
		}
		b.inside -= len(b.waiting)
		b.waiting = nil
		b.finish(&b.running, ErrClosed)
		b.finish(&b.reading, ErrClosed)
	}
	for _, g := range [...]**group{&b.running, &b.reading} {
		if *g != nil && (*g).allDone() {
			b.finish(g, nil)
		}
	}
	if b.reading == nil {
		b.admit()
	}
	b.count()
	b.looping = b.reading != nil || b.running != nil
	return b.looping
}

// finish ends a group; the calls of its rows fail unless the error is nil.
func (b *Batcher) finish(group **group, err error) {
	g := *group
	if g == nil {
		return
	}
	if *group = nil; err != nil {
		for _, r := range g.rows {
			if !r.done() {
				r.call.fail(err)
			}
		}
	}
	if g.batch != nil {
		g.damaged = errors.Is(err, ErrPanic)
		_ = engine.Guard(g.close) // the calls are over; it costs at most some memory
	}
}

// count brings the numbers up to date.
func (b *Batcher) count() {
	b.stats.Running, b.stats.Reading, b.stats.Bytes = 0, 0, 0
	for _, g := range [...]*group{b.running, b.reading} {
		if g == nil {
			continue
		}
		for _, r := range g.rows {
			switch {
			case r.done():
			case r.unread > 0:
				b.stats.Reading++
			default:
				b.stats.Running++
			}
		}
		if g.batch != nil {
			b.stats.Bytes += b.bytes(len(g.rows), max(g.room, g.slots))
		}
	}
	b.stats.Peak = max(b.stats.Peak, b.stats.Bytes)
	b.inside = len(b.waiting) + b.stats.Running + b.stats.Reading
}

// admit lets the first prompts of the queue be read together: as many as there is room for,
// and as can run together without much padding.
func (b *Batcher) admit() {
	b.waiting = slices.DeleteFunc(b.waiting, (*row).done)
	if len(b.waiting) == 0 || b.running != nil && !b.s.pads() {
		return
	}
	first := b.waiting[0]
	direct := b.s.tokenwise()
	equal := !direct && (b.s.contract.Mask < 0 || !b.s.pads() || first.prefix != nil)
	n, width, sum, left := 0, 0, 0, 0
	for _, r := range b.waiting {
		length := len(r.prompt)
		w, l := max(width, length), max(left, r.left)
		switch {
		case r.prefix != first.prefix, equal && length != len(first.prompt), n > 0 && b.s.contract.AtOnce:
		case !direct && n > 0 && (n+1)*w > 2*(sum+length)+b.opt.Chunk: // mostly padding
		case !b.fits(n+1, w, l):
		default:
			n, width, sum, left = n+1, w, sum+length, l
			continue
		}
		break
	}
	if n == 0 {
		return
	}
	b.reading = &group{rows: slices.Clone(b.waiting[:n])}
	b.waiting = slices.Delete(b.waiting, 0, n)
}

// fits reports whether so many new rows of so many tokens, with so many more to come, find room
// next to the rows that run.
func (b *Batcher) fits(rows, width, left int) bool {
	if b.running == nil {
		return rows <= b.opt.MaxRows && b.bytes(rows, width+left-1) <= b.opt.MaxBytes
	}
	live, pad, more := b.running.survey()
	turns := (width + b.chunk(rows) - 1) / b.chunk(rows) // until they are read
	slots := max(b.running.slots-pad+turns, width)
	end := slots + max(left-1, more)
	if live+rows > b.opt.MaxRows || b.bytes(live+rows, end)+b.bytes(rows, width) > b.opt.MaxBytes {
		return false
	}
	// While they are read, what runs has what compact has not dropped yet, too. Without that it has no
	// more than was counted above.
	b.running.tight = b.bytes(len(b.running.rows), b.running.roomWithin(turns))+b.bytes(rows, width) > b.opt.MaxBytes
	return !b.running.tight
}

// chunk returns how many tokens of each of so many new prompts one turn reads.
func (b *Batcher) chunk(rows int) int {
	n := b.s.chunk(rows)
	if b.running != nil && !b.s.oneRun {
		n = min(n, max(b.opt.Chunk/rows, 1))
	}
	return n
}

// read reads a chunk of the new prompts. After the last one they join the rows that run.
func (b *Batcher) read() {
	if b.reading == nil {
		return
	}
	done := false
	err := engine.Guard(func() (err error) {
		done, err = b.readChunk(b.reading)
		return err
	})
	if err != nil {
		b.finish(&b.reading, b.failure(err))
		return
	}
	if !done {
		return
	}
	if b.running == nil {
		b.running, b.reading = b.reading, nil
		b.running.start()
		return
	}
	if err := engine.Guard(b.join); err != nil {
		b.finish(&b.running, b.failure(err))
		b.finish(&b.reading, b.failure(err))
		return
	}
	b.finish(&b.reading, nil)
}

// readChunk reports whether the prompts can join the rows that run: when they have been read, and
// at once where each of their tokens may be a row of any run.
func (b *Batcher) readChunk(g *group) (done bool, err error) {
	direct := b.s.tokenwise()
	if g.batch == nil {
		if !direct {
			g.dedupePrompts()
		}
		prompts := g.prompts()
		for i, r := range g.rows[:len(prompts)] {
			if direct { // of one length, of which nothing runs
				prompts[i] = r.prompt[:r.prefix.read()+1]
			}
		}
		if err := g.open(b.ctx, b.s, prompts, 0); err != nil {
			return false, err
		}
	}
	if direct {
		return true, nil
	}
	g.findLive(g.done)
	n, runs := min(b.chunk(len(g.ended)), g.width-g.slots), 1
	if b.s.contract.OneToken {
		n, runs = 1, n
	}
	for range runs {
		if err := g.run(n, 1, g.token); err != nil {
			return false, err
		}
	}
	if g.slots < g.width {
		return false, nil
	}
	g.haveRead()
	b.choose(g)
	return true, b.s.fault(g.fanOut())
}

// failure is what is wrong with all rows of a run.
func (b *Batcher) failure(err error) error {
	if b.ctx.Err() != nil {
		return ErrClosed
	}
	return err
}

// step makes a token of every completion.
func (b *Batcher) step() {
	if b.running == nil {
		return
	}
	if err := engine.Guard(b.stepRunning); err != nil {
		b.finish(&b.running, b.failure(err))
	}
}

func (b *Batcher) stepRunning() error {
	g := b.running
	if err := g.compact(b.s.pads()); err != nil {
		return err
	}
	if len(g.live) == 0 {
		return nil // begin ends it
	}
	if err := g.step(); err != nil {
		return err
	}
	b.choose(g)
	return nil
}

// choose takes a token for each row of a run, and tells the callers.
func (b *Batcher) choose(g *group) {
	b.turn++
	made := int64(0)
	_ = g.choose(func(r *row) { // what fails is told to the calls
		r.call.add(b.turn, r)
		made++
	})
	b.mu.Lock()
	b.stats.Tokens += made
	b.count() // so that who takes the last token of a completion can ask again at once
	b.mu.Unlock()
	for _, r := range g.rows {
		r.call.handOver()
	}
}

// join puts the rows that have been read among the rows that run: in the places of rows
// that are done, and else in new ones.
func (b *Batcher) join() error {
	g, other := b.running, b.reading
	var from, places []int
	for i, r := range other.rows {
		if !r.done() {
			from = append(from, i)
		}
	}
	if len(from) == 0 {
		return nil
	}
	g.findLive(g.done)
	live, pad, left := g.survey()
	if live == 0 {
		b.running, b.reading = other, g
		other.start()
		return nil
	}
	_, _, more := other.survey()
	rows := max(len(g.rows), live+len(from))
	left = max(left, more)
	if b.bytes(rows, max(g.room, max(g.slots, other.slots)+left)) > b.opt.MaxBytes {
		if err := errors.Join(g.retain(), g.trim(pad, max(g.slots-pad, other.slots)+left)); err != nil {
			return err
		}
	}
	for i, r := range g.rows {
		if r.done() && len(places) < len(from) {
			places = append(places, i)
		}
	}
	for n := len(g.rows); len(places) < len(from); n++ {
		places = append(places, n)
	}
	if err := g.batch.join(other.batch, from, places); err != nil {
		return b.s.fault(err)
	}
	for k, place := range places {
		if place == len(g.rows) {
			g.rows = append(g.rows, nil)
		}
		g.rows[place] = other.rows[from[k]]
	}
	g.bound()
	return nil
}
