package runtime

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/runtime/engine"
)

// memoryOnly binds memory, and runs nothing.
type memoryOnly struct{}

func (memoryOnly) Version() (version, library string)                  { return "", "" }
func (memoryOnly) Bind(*tensor.Tensor) (engine.Value, error)           { return memoryOnly{}, nil }
func (memoryOnly) Begin(context.Context) (call engine.Call, err error) { return nil, nil }
func (memoryOnly) Reshape(...int) error                                { return nil }
func (memoryOnly) Close() error                                        { return nil }

// goDevice is a device whose memory is Go's.
type goDevice struct{ memoryOnly }

type goMemory struct {
	memoryOnly
	data  []float32
	shape []int
}

func (m *goMemory) Reshape(shape ...int) error {
	if tensor.Numel(shape) > len(m.data) {
		return fmt.Errorf("%d numbers cannot be %v", len(m.data), shape)
	}
	m.shape = slices.Clone(shape)
	return nil
}

func (goDevice) Transferred() (toDevice, toHost int64) { return 0, 0 }

func (goDevice) Adapter() string { return "" }

func (goDevice) Reads(int) bool { return false }

func (goDevice) Copy(*tensor.Tensor) (engine.Value, error) { return nil, nil }

func (goDevice) Allocate(n int) (engine.Value, error) {
	return &goMemory{data: slices.Repeat([]float32{-1}, n), shape: []int{n}}, nil
}

func (goDevice) Arrange(toValue, fromValue engine.Value, index []int, fill float32) error {
	to, from := toValue.(*goMemory), fromValue.(*goMemory)
	outer, inner := from.shape[0], from.shape[2]
	if to == from || !slices.Equal(to.shape, []int{outer, len(index), inner}) {
		return fmt.Errorf("%v from %v by %v", to.shape, from.shape, index)
	}
	for o := range outer {
		for i, at := range index {
			for k := range inner {
				number := fill
				if at >= 0 {
					number = from.data[(o*from.shape[1]+at)*inner+k]
				}
				to.data[(o*len(index)+i)*inner+k] = number
			}
		}
	}
	return nil
}

// held returns what a state's memory holds that the next run reads, and writes.
func held(s state) (past, present []float32, shape []int) {
	switch s := s.(type) {
	case *cache[float32]:
		return s.past.data, s.present.data, s.present.shape
	case *deviceState:
		of := func(m *deviceMemory) []float32 { return m.value.(*goMemory).data[:tensor.Numel(m.shape)] }
		if s.past.value == nil {
			return nil, of(s.present), s.present.shape
		}
		return of(s.past), of(s.present), s.present.shape
	}
	panic("unknown state")
}

// TestStates moves states about, whichever axes they have in which order, and wants each
// number in its place.
func TestStates(t *testing.T) {
	for kind := card.Rewritten; kind <= card.InPlace; kind++ {
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
				for _, m := range []engine.Model{memoryOnly{}, goDevice{}} {
					t.Run(fmt.Sprintf("%v %v %T", kind, s.Shape, m), func(t *testing.T) {
						testState(t, m, s, axis)
						testSaved(t, m, s)
					})
				}
			}
		}
	}
}

// testState lets a state of 4 rows fill 5 slots, of which it keeps rows 1 and 3, and then
// go on to more. Each number says its row, its slot, and where it is else.
func testState(t *testing.T, m engine.Model, s card.State, axis int) {
	c := newState(m, s)
	rows := []int{0, 1, 2, 3}
	// each calls f for every number of a buffer.
	each := func(data []float32, shape []int, f func(row, slot int, number *float32, want float32)) {
		for i := range data {
			row, slot, rest, want := 0, 0, i, 0
			for a := len(shape) - 1; a >= 0; a-- {
				at := rest % shape[a]
				rest /= shape[a]
				switch {
				case a == axis:
					slot = at
				case s.Shape[a] == card.Batch:
					row = at
				default:
					want = want*10 + at
				}
			}
			f(row, slot, &data[i], float32(1000*(rows[row]+1)+100*(slot+1)+want))
		}
	}
	run := func(filled, slots, capacity int) {
		if err := c.advance(len(rows), filled, slots, capacity); err != nil {
			t.Fatal(err)
		}
		past, present, shape := held(c)
		before := shape
		if s.Kind == card.Growing {
			before = s.AppendDims(nil, len(rows), filled)
		}
		each(past, before, func(row, slot int, number *float32, want float32) {
			switch {
			case slot < filled && *number != want:
				t.Errorf("before slot %d is filled: row %d, slot %d holds %v, want %v", filled, row, slot, *number, want)
			case slot >= filled && s.Kind == card.InPlace && *number != 0:
				t.Errorf("before slot %d is filled: row %d, slot %d holds %v, want 0", filled, row, slot, *number)
			}
		})
		each(present, shape, func(row, slot int, number *float32, want float32) { *number = want })
		c.swap()
	}
	if err := c.reset(len(rows)); err != nil {
		t.Fatal(err)
	}
	run(0, 5, 6)
	if err := c.keep([]int{1, 3}); err != nil {
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

// read returns what a state's memory holds that the next run reads.
func read(s state) []float32 {
	if c, ok := s.(*cache[float32]); ok {
		return c.past.data
	}
	m := s.(*deviceState).past
	return m.value.(*goMemory).data[:tensor.Numel(m.shape)]
}

// testSaved saves a state of one row, with room for 8 slots of which 5 are filled, and loads
// it into rows of another.
func testSaved(t *testing.T, m engine.Model, s card.State) {
	c := newState(m, s)
	slots := 5
	if s.Kind == card.InPlace {
		slots = 8
	}
	if err := errors.Join(c.reset(1), c.advance(1, 0, slots, slots)); err != nil {
		t.Fatal(err)
	}
	c.swap()
	for i := range read(c) {
		read(c)[i] = float32(i + 1)
	}
	before := slices.Clone(read(c))
	saved, err := c.save(5)
	if err != nil {
		t.Fatal(err)
	}
	const rows = 3
	other := newState(m, s)
	if err := other.load(saved, rows, 5, 9); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(before, read(c)) {
		t.Error("saving a state changes it")
	}
	if err := c.close(); err != nil { // what was loaded is a copy
		t.Fatal(err)
	}
	// Each number of the loaded state is that at the same place of the one row.
	shape, from := s.AppendDims(nil, rows, 5), s.AppendDims(nil, 1, slots)
	for i, got := range read(other) {
		at, stride := 0, 1
		for a, rest := len(shape)-1, i; a >= 0; a-- {
			if s.Shape[a] != card.Batch {
				at += rest % shape[a] * stride
			}
			rest /= shape[a]
			stride *= from[a]
		}
		if want := before[at]; got != want {
			t.Fatalf("number %d of %v is %v, want %v", i, shape, got, want)
		}
	}
	if err := errors.Join(saved.close(), other.close()); err != nil {
		t.Error(err)
	}
}
