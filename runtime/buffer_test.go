package runtime

import (
	"context"
	"fmt"
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph/tensor"
)

// memoryOnly binds memory, and runs nothing.
type memoryOnly struct{}

func (memoryOnly) Version() (version, library string)           { return "", "" }
func (memoryOnly) Bind(*tensor.Tensor) (Value, error)           { return memoryOnly{}, nil }
func (memoryOnly) Begin(context.Context) (call Call, err error) { return nil, nil }
func (memoryOnly) Reshape(...int) error                         { return nil }
func (memoryOnly) Close() error                                 { return nil }

// TestCache moves states about, whichever axes they have in which order, and wants each
// number in its place.
func TestCache(t *testing.T) {
	for _, kind := range []card.Kind{card.Rewritten, card.Growing, card.InPlace} {
		for _, shape := range [][]string{
			{card.Batch, "2", "slots", "3"}, {"2", card.Batch, "slots", "3"}, {"slots", card.Batch, "3"}, {card.Batch, "slots"},
		} {
			for axis, name := range shape {
				if name != "slots" {
					continue
				}
				s := card.State{Shape: shape, Kind: kind, Axis: axis}
				if kind == card.Rewritten {
					s.Shape, s.Axis = append([]string{}, shape...), 0
					s.Shape[axis] = "5"
				}
				t.Run(fmt.Sprint(kind, s.Shape), func(t *testing.T) { testCache(t, s, axis) })
			}
		}
	}
}

// testCache lets a state of 4 rows fill 5 slots, of which it keeps rows 1 and 3, and then
// go on to more. Each number says its row, its slot, and where it is else.
func testCache(t *testing.T, s card.State, axis int) {
	c, m := newCache(s), memoryOnly{}
	rows := []int{0, 1, 2, 3}
	// each calls f for every number of a buffer.
	each := func(b *buffer[float32], f func(row, slot int, number *float32, want float32)) {
		for i := range b.data {
			row, slot, rest, want := 0, 0, i, 0
			for a := len(b.shape) - 1; a >= 0; a-- {
				at := rest % b.shape[a]
				rest /= b.shape[a]
				switch {
				case a == axis:
					slot = at
				case s.Shape[a] == card.Batch:
					row = at
				default:
					want = want*10 + at
				}
			}
			f(row, slot, &b.data[i], float32(1000*(rows[row]+1)+100*(slot+1)+want))
		}
	}
	run := func(filled, slots, capacity int) {
		if err := c.advance(m, len(rows), filled, slots, capacity); err != nil {
			t.Fatal(err)
		}
		each(c.past, func(row, slot int, number *float32, want float32) {
			switch {
			case slot < filled && *number != want:
				t.Errorf("before slot %d is filled: row %d, slot %d holds %v, want %v", filled, row, slot, *number, want)
			case slot >= filled && s.Kind == card.InPlace && *number != 0:
				t.Errorf("before slot %d is filled: row %d, slot %d holds %v, want 0", filled, row, slot, *number)
			}
		})
		each(c.present, func(row, slot int, number *float32, want float32) { *number = want })
		c.swap()
	}
	if err := c.reset(m, len(rows)); err != nil {
		t.Fatal(err)
	}
	run(0, 5, 6)
	if err := c.keep(m, []int{1, 3}); err != nil {
		t.Fatal(err)
	}
	rows = []int{1, 3}
	if s.Kind == card.Rewritten {
		run(5, 5, 5)
		return
	}
	run(5, 6, 6)   // in the same memory
	run(6, 20, 25) // in another
}
