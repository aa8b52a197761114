package runtime

import (
	"slices"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph/tensor"
)

// mover is a state whose rows can be put among others: one in Go memory, with an axis of rows.
type mover interface {
	state
	// addRows makes the state one of so many rows, the new ones as before the first token.
	addRows(rows int) error
	// wipe makes a row what it is before the first token.
	wipe(row int)
	// put sets n slots of a row, from a slot on, to slots of a row of another state of the
	// same kind. What is rewritten is put as a whole.
	put(row, slot int, from mover, fromRow, fromSlot, n int)
	// shift moves the filled slots of all rows by so many places: to the start, where those
	// that go are forgotten, or to the end. A state in place has room for so many afterwards:
	// no fewer than before when they move to the end, and else no more.
	shift(by, filled, room int) error
}

// rowAxis returns the axis of a state that counts rows, −1 for none.
func rowAxis(s card.State) int { return slices.Index(s.Shape, card.Batch) }

func (c *cache[T]) addRows(rows int) error {
	axis := rowAxis(c.State)
	old := region[T]{data: c.past.data, shape: slices.Clone(c.past.shape)}
	shape := slices.Clone(old.shape)
	shape[axis] = rows
	outermost := tensor.Numel(shape[:axis]) == 1
	if !outermost {
		old.data = slices.Clone(old.data)
	}
	if err := c.past.resize(c.model, 0, shape...); err != nil {
		return err
	}
	if outermost { // where the rows are that were there, or as many places into new memory
		copy(c.past.data, old.data)
		c.initialize(c.past.data[len(old.data):])
		return nil
	}
	c.initialize(c.past.data)
	copyRegion(region[T]{data: c.past.data, shape: shape}, old, old.shape)
	return nil
}

func (c *cache[T]) wipe(row int) {
	axis := rowAxis(c.State)
	outer, rows, inner := tensor.Numel(c.past.shape[:axis]), c.past.shape[axis], tensor.Numel(c.past.shape[axis+1:])
	for o := range outer {
		c.initialize(c.past.data[(o*rows+row)*inner:][:inner])
	}
}

func (c *cache[T]) put(row, slot int, other mover, fromRow, fromSlot, n int) {
	axis, past := rowAxis(c.State), other.(*cache[T]).past
	to := region[T]{c.past.data, c.past.shape, make([]int, len(c.Shape))}
	from := region[T]{past.data, past.shape, make([]int, len(c.Shape))}
	size := slices.Clone(c.past.shape)
	to.corner[axis], from.corner[axis], size[axis] = row, fromRow, 1
	if c.Slotted() {
		to.corner[c.Axis], from.corner[c.Axis], size[c.Axis] = slot, fromSlot, n
	}
	copyRegion(to, from, size)
}

func (c *cache[T]) shift(by, filled, room int) error {
	if !c.Slotted() {
		return nil
	}
	if c.Kind == card.Growing {
		room = filled + by
	}
	old, had := c.past.data, c.past.shape[c.Axis]
	shape := slices.Clone(c.past.shape)
	shape[c.Axis] = room
	if err := c.past.resize(c.model, 0, shape...); err != nil {
		return err
	}
	if by > 0 {
		c.spread(c.past, old, had, filled, by)
		return nil
	}
	outer, inner := tensor.Numel(shape[:c.Axis]), tensor.Numel(shape[c.Axis+1:])
	for o := range outer { // from the start: within one memory all moves towards it
		copy(c.past.data[o*room*inner:], old[(o*had-by)*inner:][:(filled+by)*inner])
	}
	return nil
}

// join puts rows of another batch, which have run as many tokens as their prompts have, into
// places of this one: of rows that have ended, and behind the last row.
func (b *batch) join(from *batch, rows, places []int) error {
	if more := from.slots - b.slots; more > 0 {
		if err := b.shift(more, max(b.room, from.slots)); err != nil {
			return err
		}
	}
	total := len(b.pads)
	for _, place := range places {
		total = max(total, place+1)
	}
	for i := range b.states {
		to := b.states[i].(mover)
		if total > len(b.pads) {
			if err := to.addRows(total); err != nil {
				return err
			}
		}
		for k, row := range rows {
			n := from.slots - from.pads[row]
			if places[k] < len(b.pads) { // what is masked there may be NaN, which no mask hides
				to.wipe(places[k])
			}
			to.put(places[k], b.slots-n, from.states[i].(mover), row, from.pads[row], n)
		}
	}
	b.pads = append(b.pads, make([]int, total-len(b.pads))...)
	b.ended = append(b.ended, make([]bool, total-len(b.ended))...)
	for k, row := range rows {
		b.pads[places[k]], b.ended[places[k]] = b.slots-from.slots+from.pads[row], false
	}
	return nil
}

// trim takes so many slots of padding from every row: no row that has not ended may have fewer. States
// in place keep room for at most so many slots, which is to be what the rows still need.
func (b *batch) trim(pad, most int) error {
	slots := b.slots - pad
	room := min(b.room, slots+ahead(slots), most)
	if pad == 0 && room == b.room {
		return nil
	}
	return b.shift(-pad, room)
}

// shift gives every row so many slots of padding more, or where by is negative fewer. States in
// place have room for so many slots afterwards.
func (b *batch) shift(by, room int) error {
	for _, state := range b.states {
		if err := state.(mover).shift(by, b.slots, room); err != nil {
			return b.s.fault(err)
		}
	}
	for i := range b.pads {
		b.pads[i] = max(b.pads[i]+by, 0)
	}
	b.slots, b.room = b.slots+by, room
	return nil
}
