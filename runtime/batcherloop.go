package runtime

import (
	"errors"
	"fmt"
	"slices"

	"github.com/nopezoo/zoo/runtime/engine"
)

// member is a row of a call of a Batcher.
type member struct {
	*row
	call   *batcherCall
	prefix *Prefix
	unread int // tokens of the prompt that have not run
}

// start returns how many tokens of the prompt the prefix has read.
func (m *member) start() int {
	if m.prefix == nil {
		return 0
	}
	return m.prefix.filled
}

// next returns the token that runs next.
func (m *member) next() int64 {
	if m.unread > 0 {
		return m.prompt[len(m.prompt)-m.unread]
	}
	return m.id
}

// done reports whether nothing more is to be computed for the row.
func (m *member) done() bool { return m.ended() || m.call.over.Load() }

// cohort is members that run, or are read, together.
type cohort struct {
	*batch
	rows   []*member // as in the batch, and while they are read behind them the sharers
	shared []int     // of each sharer, the row that is read for it
	tight  bool      // what has ended, and what all rows pad, is to go at once: others need the room
}

// share puts the members to the end whose prompt another one of their call has too, and which
// that one is read for.
func (c *cohort) share() {
	var readers, sharers []*member
	for _, m := range c.rows {
		at := slices.IndexFunc(readers, func(r *member) bool { return r.call == m.call && slices.Equal(r.prompt, m.prompt) })
		if at < 0 {
			readers = append(readers, m)
			continue
		}
		sharers, c.shared = append(sharers, m), append(c.shared, at)
	}
	c.rows = append(readers, sharers...)
}

// part gives each sharer a row of its own, with what has been read for it.
func (c *cohort) part() error {
	if len(c.shared) == 0 {
		return nil
	}
	places := make([]int, len(c.shared))
	for i := range places {
		places[i] = len(c.pads) + i
	}
	err := c.batch.join(c.batch, c.shared, places)
	c.shared = nil
	return err
}

// newest returns the logits that follow what a member has.
func (c *cohort) newest(row int) []float32 {
	if k := row - len(c.pads); k >= 0 {
		row = c.shared[k]
	}
	return c.last(row, 0)
}

// batcherLoop is what a Batcher's loop works on. No one else touches it.
type batcherLoop struct {
	turn    int     // counts the times that tokens were chosen
	running *cohort // answers that go on
	reading *cohort // prompts that are read
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
		for _, m := range b.waiting {
			m.call.fail(ErrClosed)
		}
		b.inside -= len(b.waiting)
		b.waiting = nil
		b.dismiss(&b.running, ErrClosed)
		b.dismiss(&b.reading, ErrClosed)
	}
	for _, c := range [...]**cohort{&b.running, &b.reading} {
		if *c != nil && !slices.ContainsFunc((*c).rows, func(m *member) bool { return !m.done() }) {
			b.dismiss(c, nil)
		}
	}
	if b.reading == nil {
		b.recruit()
	}
	b.count()
	b.looping = b.reading != nil || b.running != nil
	return b.looping
}

// dismiss ends a cohort; the calls of its rows fail unless the error is nil.
func (b *Batcher) dismiss(at **cohort, err error) {
	c := *at
	if c == nil {
		return
	}
	if *at = nil; err != nil {
		for _, m := range c.rows {
			if !m.done() {
				m.call.fail(err)
			}
		}
	}
	if c.batch != nil {
		c.batch.damaged = errors.Is(err, ErrPanic)
		_ = engine.Guard(c.batch.close) // the calls are over; it costs at most some memory
	}
}

// count brings the numbers up to date.
func (b *Batcher) count() {
	b.stats.Running, b.stats.Reading, b.stats.Bytes = 0, 0, 0
	for _, c := range [...]*cohort{b.running, b.reading} {
		if c == nil {
			continue
		}
		for _, m := range c.rows {
			switch {
			case m.done():
			case m.unread > 0:
				b.stats.Reading++
			default:
				b.stats.Running++
			}
		}
		if c.batch != nil {
			b.stats.Bytes += b.bytes(len(c.rows), max(c.room, c.slots))
		}
	}
	b.stats.Peak = max(b.stats.Peak, b.stats.Bytes)
	b.inside = len(b.waiting) + b.stats.Running + b.stats.Reading
}

// recruit lets the first prompts of the queue be read together: as many as there is room for,
// and as can run together without much padding.
func (b *Batcher) recruit() {
	b.waiting = slices.DeleteFunc(b.waiting, func(m *member) bool { return m.done() })
	if len(b.waiting) == 0 || b.running != nil && !b.s.pads() {
		return
	}
	first := b.waiting[0]
	direct := b.s.tokenwise()
	equal := !direct && (b.s.contract.Mask < 0 || !b.s.pads() || first.prefix != nil)
	n, width, sum, left := 0, 0, 0, 0
	for _, m := range b.waiting {
		length := len(m.prompt)
		w, l := max(width, length), max(left, m.left)
		switch {
		case m.prefix != first.prefix, equal && length != len(first.prompt), n > 0 && b.s.contract.AtOnce:
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
	b.reading = &cohort{rows: slices.Clone(b.waiting[:n])}
	b.waiting = slices.Delete(b.waiting, 0, n)
}

// fits reports whether so many new rows of so many tokens, with so many more to come, find room
// beside those that run.
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

// survey returns how many rows go on, how many slots all of them pad, and how many tokens one
// of them may still get.
func (c *cohort) survey() (live, pad, left int) {
	pad = c.slots
	for i, m := range c.rows {
		if !m.done() {
			live++
			pad, left = min(pad, c.pads[i]), max(left, m.left)
		}
	}
	return live, pad, left
}

// chunk returns how many tokens of each of so many new prompts one turn reads.
func (b *Batcher) chunk(rows int) int {
	n := b.s.opt.Chunk(rows)
	if b.running != nil {
		n = min(n, max(b.opt.Chunk/rows, 1))
	}
	return n
}

// read reads a chunk of the new prompts. When it was the last one they join those that run.
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
		b.dismiss(&b.reading, b.failure(err))
		return
	}
	if !done {
		return
	}
	if b.running == nil {
		b.running, b.reading = b.reading, nil
		b.running.settle()
		return
	}
	if err := engine.Guard(b.join); err != nil {
		b.dismiss(&b.running, b.failure(err))
		b.dismiss(&b.reading, b.failure(err))
		return
	}
	b.dismiss(&b.reading, nil)
}

// readChunk reports whether the prompts can join those that run: when they have been read, and
// at once where each token of theirs may be a row of any run.
func (b *Batcher) readChunk(c *cohort) (done bool, err error) {
	direct := b.s.tokenwise()
	if c.batch == nil {
		if !direct {
			c.share()
		}
		prompts := make([][]int64, len(c.rows)-len(c.shared))
		for i := range prompts {
			m := c.rows[i]
			if prompts[i] = m.prompt; direct { // of one length, of which nothing runs
				prompts[i] = m.prompt[:m.start()+1]
			}
		}
		if c.batch, err = newBatch(b.ctx, b.s, prompts, 0, c.rows[0].prefix); err != nil {
			return false, err
		}
	}
	if direct {
		return true, nil
	}
	c.findLive(c.done)
	n, runs := min(b.chunk(len(c.ended)), c.width-c.slots), 1
	if b.s.contract.OneToken {
		n, runs = 1, n
	}
	for range runs {
		if err := c.run(n, 1, c.token); err != nil {
			return false, err
		}
	}
	if c.slots < c.width {
		return false, nil
	}
	for _, m := range c.rows {
		m.unread = 0
	}
	b.choose(c)
	return true, b.s.fault(c.part())
}

// failure is what is wrong with all rows of a run.
func (b *Batcher) failure(err error) error {
	if b.ctx.Err() != nil {
		return ErrClosed
	}
	return err
}

// step makes a token of every answer.
func (b *Batcher) step() {
	if b.running == nil {
		return
	}
	if err := engine.Guard(b.stepRunning); err != nil {
		b.dismiss(&b.running, b.failure(err))
	}
}

func (b *Batcher) stepRunning() error {
	c := b.running
	if err := c.compact(b.s.pads()); err != nil {
		return err
	}
	if len(c.live) == 0 {
		return nil // begin dismisses it
	}
	if err := c.run(1, 1, func(i, _ int) int64 { return c.rows[i].next() }); err != nil {
		return err
	}
	for _, m := range c.rows {
		m.unread = max(m.unread-1, 0)
	}
	b.choose(c)
	return nil
}

// choose takes a token for each row of a run, and tells the callers.
func (b *Batcher) choose(c *cohort) {
	b.turn++
	made := int64(0)
	for i, m := range c.rows {
		if m.done() || m.unread > 0 {
			continue
		}
		if err := m.take(c.newest(i)); err != nil {
			m.call.fail(fmt.Errorf("prompt %d: %w", m.index, err))
			continue
		}
		m.call.add(b.turn, m.row)
		made++
	}
	b.mu.Lock()
	b.stats.Tokens += made
	b.count() // so that who takes the last token of an answer can ask again at once
	b.mu.Unlock()
	for _, m := range c.rows {
		m.call.tell()
	}
}

// settle makes a cohort that has been read one that runs.
func (c *cohort) settle() {
	c.known, c.width, c.reserve = nil, 0, 0
	c.bound()
}

// bound sets how many slots the cohort needs at most.
func (c *cohort) bound() {
	_, _, left := c.survey()
	c.limit = max(c.slots+left, c.room)
}

// done reports whether nothing more is to be computed for a row.
func (c *cohort) done(row int) bool { return c.rows[row].done() }

// compact drops rows that are done (see batch.carry), and the slots that all others pad, as soon as
// they are the greater part, or others need the room, which states in place then have no more of than
// what is to come.
func (c *cohort) compact(pads bool) error {
	tight := c.tight
	c.tight = false
	c.findLive(c.done)
	if drop := c.carry(); drop || tight && len(c.live) < len(c.pads) && len(c.live) > 0 {
		if err := c.retain(); err != nil {
			return err
		}
	}
	if _, pad, left := c.survey(); pads && (tight || 2*pad > c.slots) && len(c.live) > 0 {
		if err := c.trim(pad, c.slots-pad+left); err != nil {
			return err
		}
	}
	c.bound()
	return nil
}

// retain drops the rows that are not live.
func (c *cohort) retain() error {
	if err := c.keep(c.live); err != nil {
		return err
	}
	c.rows = pick(c.rows, c.live)
	for i := range c.live {
		c.live[i] = i
	}
	return nil
}

// join puts the prompts that have been read beside the answers that go on: in the places of rows
// that are done, and else in new ones.
func (b *Batcher) join() error {
	c, other := b.running, b.reading
	var from, places []int
	for i, m := range other.rows {
		if !m.done() {
			from = append(from, i)
		}
	}
	if len(from) == 0 {
		return nil
	}
	c.findLive(c.done)
	live, pad, left := c.survey()
	if live == 0 {
		b.running, b.reading = other, c
		other.settle()
		return nil
	}
	_, _, more := other.survey()
	rows := max(len(c.rows), live+len(from))
	left = max(left, more)
	if b.bytes(rows, max(c.room, max(c.slots, other.slots)+left)) > b.opt.MaxBytes {
		if err := errors.Join(c.retain(), c.trim(pad, max(c.slots-pad, other.slots)+left)); err != nil {
			return err
		}
	}
	for i, m := range c.rows {
		if m.done() && len(places) < len(from) {
			places = append(places, i)
		}
	}
	for n := len(c.rows); len(places) < len(from); n++ {
		places = append(places, n)
	}
	if err := c.batch.join(other.batch, from, places); err != nil {
		return b.s.fault(err)
	}
	for k, place := range places {
		if place == len(c.rows) {
			c.rows = append(c.rows, nil)
		}
		c.rows[place] = other.rows[from[k]]
	}
	c.bound()
	return nil
}
