package runtime

import (
	"cmp"
	"context"
	"errors"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/runtime/engine"
)

// batch runs a model over several rows of tokens, left-padded to one length,
// and keeps the state between runs.
type batch struct {
	s        *Session
	call     engine.Call
	known    [][]int64 // the tokens that read runs
	pads     []int     // slots of padding before each row
	ended    []bool    // rows that are computed in vain
	damaged  bool      // something panicked: the memory is not used again
	live     []int     // the other rows
	carried  int       // runs of ended rows since rows were dropped
	width    int       // slots that the longest row fills
	slots    int       // slots run so far
	room     int       // slots that the states of the last run had: in place, more than were run
	reserve  int       // slots to allocate for at first
	limit    int       // slots that are needed at most
	in, out  []engine.Value
	ids      buffer[int64]
	position buffer[int64]
	mask     buffer[int64]
	sent     sentMask
	newSlots buffer[int64]
	kept     buffer[int64]
	logits   buffer[float32]
	states   []state
	foreign  foreignTypes
}

// headroom is the number of slots beyond the prompt that memory is made for at
// first; more is allocated by doubling, so that a high limit costs nothing.
const headroom = 64

// ahead returns by how many slots beyond those that are filled the room of states in place is widened, about.
func ahead(slots int) int { return max(slots/8, 64) }

// newBatch prepares to run rows and so many tokens more under ctx. With a prefix, the rows
// begin with it and are of one length, and what it has read counts as run. It takes over
// the memory of a batch that was closed before, if there is one.
func newBatch(ctx context.Context, s *Session, rows [][]int64, more int, prefix *Prefix) (*batch, error) {
	b, ok := s.idle.Get().(*batch)
	if !ok {
		b = &batch{s: s, in: make([]engine.Value, len(s.contract.Inputs)), out: make([]engine.Value, len(s.contract.Outputs)),
			states: lists.Map(s.card.State, func(c card.State) state { return newState(s.model, c) })}
	}
	b.known, b.width, b.slots, b.room, b.carried = rows, 0, 0, 0, 0
	for _, r := range rows {
		b.width = max(b.width, len(r))
	}
	b.pads, b.ended = b.pads[:0], b.ended[:0]
	for _, r := range rows {
		b.pads = append(b.pads, b.width-len(r))
		b.ended = append(b.ended, false)
	}
	b.limit = b.width + more
	b.reserve = min(b.limit, b.width+headroom)
	var err error
	if b.call, err = s.model.Begin(ctx); err != nil {
		return nil, s.fault(err)
	}
	if err := b.begin(prefix); err != nil {
		return nil, errors.Join(s.fault(err), b.close())
	}
	return b, nil
}

// begin makes the states what they are after the prefix.
func (b *batch) begin(prefix *Prefix) error {
	if prefix != nil {
		if read, err := prefix.load(b.states, len(b.pads), b.reserve); read > 0 || err != nil {
			b.slots, b.room = read, read
			return err
		}
	}
	for _, state := range b.states {
		if err := state.reset(len(b.pads)); err != nil {
			return err
		}
	}
	return nil
}

// capacity returns for how many slots to allocate when so many are needed.
func (b *batch) capacity(slots int) int {
	if slots <= b.reserve {
		return b.reserve
	}
	return min(2*slots, b.limit)
}

// roomFor returns how many slots the states of a run have that fills n more. Every run
// computes over all slots of states in place, so there it is little more, and no more than
// what is known to come: as many runs like this one as make up an eighth, so that moving
// what is there costs each slot a bounded number of copies.
func (b *batch) roomFor(n int) int {
	slots, most := b.slots+n, b.limit
	switch {
	case b.s.contract.Slots < 0:
		return slots
	case slots <= b.room:
		return b.room
	case slots <= b.width: // of a prompt, which is read
		most = b.width
	}
	return min(slots+ahead(slots)/n*n, most)
}

// roomWithin returns for how many slots the states of the next runs have room, of so many runs of a
// token each, at most.
func (b *batch) roomWithin(runs int) int {
	slots := b.slots + runs
	if b.s.contract.Slots < 0 {
		return slots
	}
	return max(b.room, min(slots+ahead(slots), b.limit))
}

// token returns what the known rows have in a slot; padding is id 0.
func (b *batch) token(row, slot int) int64 {
	if i := slot - b.pads[row]; i >= 0 {
		return b.known[row][i]
	}
	return 0
}

// allAtOnce is a chunk that has every prompt.
const allAtOnce = 1 << 30

// chunk returns how many tokens of each of rows one run takes, of a model that takes several.
func (s *Session) chunk(rows int) int {
	if s.oneRun {
		return allAtOnce
	}
	return s.opt.Chunk(rows)
}

// read runs all slots of the known rows that have not run, in chunks. For each chunk, keep says
// how many of its last slots need logits, and see, unless nil, gets to see the
// chunk's slots afterwards.
func (b *batch) read(keep func(from, to int) int, see func(from, to int) error) error {
	chunk := b.s.chunk(len(b.pads))
	if atOnce := b.s.contract.AtOnce && len(b.pads) > 1; b.s.contract.OneToken || atOnce && b.slots > 0 { // behind a prefix
		chunk = 1
	} else if atOnce {
		chunk = b.width
	}
	for from := b.slots; from < b.width; from += chunk {
		to := min(from+chunk, b.width)
		if err := b.run(to-from, keep(from, to), b.token); err != nil {
			return err
		}
		if see == nil {
			continue
		}
		if err := see(from, to); err != nil {
			return err
		}
	}
	return nil
}

// run computes the next n slots of every row, with logits for the last keep of
// them, at least.
func (b *batch) run(n, keep int, token func(row, slot int) int64) error {
	if b.s.closed.Load() {
		return ErrClosed
	}
	if b.s.contract.Keep < 0 {
		keep = n // the model gives all
	}
	if err := b.prepare(n, keep); err != nil {
		return b.s.fault(err)
	}
	b.fill(n, keep, token)
	b.foreign.narrow()
	if err := b.sendMask(); err != nil {
		return b.s.fault(err)
	}
	if err := b.call.Run(b.in, b.out); err != nil {
		return b.s.fault(err)
	}
	b.foreign.widen(b.logits.data)
	for i := range b.states {
		b.states[i].swap()
	}
	b.slots += n
	return nil
}

// prepare gives every input and output its memory for n more slots.
func (b *batch) prepare(n, keep int) error {
	k, rows := &b.s.contract, len(b.pads)
	b.room = b.roomFor(n)
	capacity, masked := b.capacity(b.room), b.room
	if k.MaskNew {
		masked = n
	}
	if err := cmp.Or(
		b.feed(k.IDs, &b.ids, 0, rows, n),
		b.feed(k.Positions, &b.position, 0, rows, n),
		b.feed(k.Mask, &b.mask, rows*capacity, rows, masked),
		b.feed(k.Slots, &b.newSlots, 0, n),
		b.feed(k.Keep, &b.kept, 0, keepShape(k)...),
		b.logits.resize(b.s.model, 0, rows, keep, k.Vocab),
	); err != nil {
		return err
	}
	b.out[0] = b.logits.value
	if err := b.prepareForeign(rows, keep, k.Vocab); err != nil {
		return err
	}
	for i := range b.states {
		if err := b.states[i].advance(rows, b.slots, b.room, capacity); err != nil {
			return err
		}
		b.in[k.States[i]], b.out[1+i] = b.states[i].values()
	}
	return nil
}

// feed makes a buffer of that shape an input, if the model has it.
func (b *batch) feed(input int, x *buffer[int64], capacity int, shape ...int) error {
	if input < 0 {
		return nil
	}
	err := x.resize(b.s.model, capacity, shape...)
	b.in[input] = x.value
	if err == nil && b.s.contract.Inputs[input].DType == card.Int32 {
		b.in[input], err = b.foreign.inputAs32(b.s.model, input, x)
	}
	return err
}

// fill writes the inputs other than the state. Positions count from the first
// token of a row; positions are 0 on padding and in rows that have ended,
// which might else run beyond the model's last.
func (b *batch) fill(n, keep int, token func(row, slot int) int64) {
	k := &b.s.contract
	for row, pad := range b.pads {
		for i := range n {
			slot := b.slots + i
			b.ids.data[row*n+i] = token(row, slot)
			if k.Positions < 0 {
				continue
			}
			b.position.data[row*n+i] = 0
			if !b.ended[row] {
				b.position.data[row*n+i] = int64(max(slot-pad, 0))
			}
		}
		if k.Mask >= 0 {
			width := b.mask.shape[1]
			columns := b.mask.data[row*width:][:width]
			first := 0 // the slot of the first column
			if k.MaskNew {
				first = b.slots
			}
			end := min(max(pad-first, 0), width) // of the padding
			clear(columns[:end])
			for i := range columns[end:] {
				columns[end+i] = 1
			}
		}
	}
	if k.Slots >= 0 {
		for i := range n {
			b.newSlots.data[i] = int64(b.slots + i)
		}
	}
	if k.Keep >= 0 {
		b.kept.data[0] = int64(keep)
	}
}

// last returns the logits [V] of a row's newest slot but back; back 0 is the
// newest. They are overwritten by the next run.
func (b *batch) last(row, back int) []float32 {
	keep, vocab := b.logits.shape[1], b.logits.shape[2]
	return b.logits.data[(row*keep+keep-1-back)*vocab:][:vocab]
}

// findLive notes which rows have ended, and lists the live ones.
func (b *batch) findLive(ended func(row int) bool) {
	b.live = b.live[:0]
	for row := range b.pads {
		if b.ended[row] = ended(row); !b.ended[row] {
			b.live = append(b.live, row)
		}
	}
}

// carry counts a run of the rows that have ended, and reports whether they are to be dropped: as soon
// as computing them in vain has cost about what copying the state of the others does. Then
// it costs at most twice what knowing the future would.
func (b *batch) carry() (drop bool) {
	b.carried += len(b.pads) - len(b.live)
	return len(b.live) > 0 && len(b.live) < len(b.pads) && b.carried >= len(b.live)
}

// keep drops all rows but the listed ones, which are in order.
func (b *batch) keep(rows []int) error {
	for i := range b.states {
		if err := b.states[i].keep(rows); err != nil {
			return b.s.fault(err)
		}
	}
	for i, r := range rows {
		b.pads[i], b.ended[i] = b.pads[r], b.ended[r]
	}
	b.pads, b.ended, b.carried = b.pads[:len(rows)], b.ended[:len(rows)], 0
	return nil
}

// close ends the use of the batch, whose memory the next one takes over.
func (b *batch) close() error {
	errs := []error{b.call.Close(), b.ids.close(), b.position.close(), b.mask.close(), b.newSlots.close(),
		b.kept.close(), b.logits.close(), b.sent.close(), b.foreign.close()}
	for i := range b.states {
		errs = append(errs, b.states[i].close())
	}
	clear(b.in)
	clear(b.out)
	b.known, b.call = nil, nil
	if !b.damaged {
		b.s.idle.Put(b)
	}
	return errors.Join(errs...)
}

// keepShape is the shape of the input LogitsToKeep: a list of one, or in some files one number.
func keepShape(k *card.Contract) []int {
	if k.Keep >= 0 && len(k.Inputs[k.Keep].Shape) == 0 {
		return nil
	}
	return []int{1}
}
