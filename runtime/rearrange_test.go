package runtime

import (
	"fmt"
	"slices"
	"testing"

	"github.com/nopezoo/zoo/card"
)

// TestMoves moves rows of a state about, whichever axes it has in which order: each number says
// its row and slot, and shows where it has come.
func TestMoves(t *testing.T) {
	for kind := card.Rewritten; kind <= card.InPlace; kind++ {
		for _, shape := range [][]string{{"slots", card.Batch, "3"}, {card.Batch, "slots", "2"}, {card.Batch, "2", "slots", "3"}, {"2", card.Batch, "3", "slots"}} {
			axis := slices.Index(shape, "slots")
			s := card.State{Shape: slices.Clone(shape), Kind: kind, Axis: axis}
			if kind == card.Rewritten {
				s.Shape[axis], s.Axis = "5", 0
			}
			t.Run(fmt.Sprint(kind, s.Shape), func(t *testing.T) { testMoves(t, s, axis) })
		}
	}
}

// place returns the row and the slot of a number of a state.
func place(c *cache[float32], axis, i int) (row, slot int) {
	for a := len(c.past.shape) - 1; a >= 0; a-- {
		at := i % c.past.shape[a]
		if a == axis {
			slot = at
		} else if a == rowAxis(c.State) {
			row = at
		}
		i /= c.past.shape[a]
	}
	return row, slot
}

// grid is what a state holds by row and slot, of which all numbers are equal.
func grid(c *cache[float32], axis int) [][]float32 {
	out := make([][]float32, c.past.shape[rowAxis(c.State)])
	for i, v := range c.past.data {
		row, slot := place(c, axis, i)
		for len(out[row]) <= slot {
			out[row] = append(out[row], -1)
		}
		if old := out[row][slot]; old != -1 && old != v {
			v = -2 // they differ, as they may where nothing is filled
		}
		out[row][slot] = v
	}
	return out
}

// made returns a state of so many rows with 5 slots filled, of room for 7 in place: slot k of
// row r holds first + 10·r + k.
func made(t *testing.T, s card.State, axis, rows int, first float32) *cache[float32] {
	t.Helper()
	c := newCache[float32](memoryOnly{}, s)
	room := 5
	if s.Kind == card.InPlace {
		room = 7
	}
	if err := c.reset(rows); err != nil {
		t.Fatal(err)
	}
	if err := c.advance(rows, 0, room, room); err != nil {
		t.Fatal(err)
	}
	c.swap()
	for i := range c.past.data {
		row, slot := place(c, axis, i)
		c.past.data[i] = first + float32(10*row+slot)
		if slot >= 5 {
			c.past.data[i] = 0
		}
	}
	return c
}

func testMoves(t *testing.T, s card.State, axis int) {
	c, other := made(t, s, axis, 2, 100), made(t, s, axis, 2, 200)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	// want compares the slots from 0 on; of a state with room for more, the others do not count.
	want := func(what string, rows ...[]float32) {
		t.Helper()
		got := grid(c, axis)
		if len(got) != len(rows) {
			t.Fatalf("%s: %d rows, want %d", what, len(got), len(rows))
		}
		for i, row := range rows {
			if len(got[i]) < len(row) || !slices.Equal(got[i][:len(row)], row) {
				t.Errorf("%s: row %d holds %v, want %v", what, i, got[i], row)
			}
		}
	}
	must(c.addRows(3))
	want("a new row", []float32{100, 101, 102, 103, 104}, []float32{110, 111, 112, 113, 114}, []float32{0, 0, 0, 0, 0})
	if s.Kind == card.Rewritten {
		c.put(2, 1, other, 1, 2, 3)
		must(c.shift(2, 5, 9))
		must(c.shift(-1, 7, 9))
		want("as a whole", []float32{100, 101, 102, 103, 104}, []float32{110, 111, 112, 113, 114}, []float32{210, 211, 212, 213, 214})
		return
	}
	c.put(2, 1, other, 1, 2, 3)
	want("three slots", []float32{100, 101, 102, 103, 104}, []float32{110, 111, 112, 113, 114}, []float32{0, 212, 213, 214, 0})
	must(c.shift(2, 5, 9))
	want("to the end", []float32{0, 0, 100, 101, 102, 103, 104}, []float32{0, 0, 110, 111, 112, 113, 114}, []float32{0, 0, 0, 212, 213, 214, 0})
	must(c.shift(-3, 7, 6))
	want("to the start", []float32{101, 102, 103, 104}, []float32{111, 112, 113, 114}, []float32{212, 213, 214, 0})
	must(c.shift(0, 4, 5))
	want("less room", []float32{101, 102, 103, 104}, []float32{111, 112, 113, 114}, []float32{212, 213, 214, 0})
	room := 4
	if s.Kind == card.InPlace {
		room = 5
	}
	if got := c.past.shape[axis]; got != room {
		t.Errorf("the state has %d slots, want %d", got, room)
	}
	must(c.keep([]int{0, 2}))
	must(c.addRows(3))
	want("in the memory of a row that went", []float32{101, 102, 103, 104}, []float32{212, 213, 214, 0}, []float32{0, 0, 0, 0})
	c.wipe(0)
	want("a row as before the first token", []float32{0, 0, 0, 0}, []float32{212, 213, 214, 0}, []float32{0, 0, 0, 0})
}
