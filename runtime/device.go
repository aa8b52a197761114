package runtime

import (
	"errors"
	"slices"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/runtime/engine"
)

// deviceState is a state in a device's memory: see cache, which does the same in Go memory.
type deviceState struct {
	card.State
	model         engine.DeviceModel
	past, present *deviceMemory
	dims, index   []int // scratch
}

// deviceMemory is memory of a device that a state lies in.
type deviceMemory struct {
	value engine.Value // nil before the first resize, and after close
	room  int          // float32 in it
	shape []int        // of the state at its start
}

func newDeviceState(m engine.DeviceModel, s card.State) *deviceState {
	d := &deviceState{State: s, model: m, past: new(deviceMemory), present: new(deviceMemory)}
	if s.Kind == card.InPlace {
		d.present = d.past
	}
	return d
}

// resize gives the memory a shape. When that needs new memory it makes room for capacity
// numbers, and the contents are lost; else they stay.
func (d *deviceMemory) resize(m engine.DeviceModel, capacity int, shape ...int) error {
	n := tensor.Numel(shape)
	if d.value == nil || n > d.room {
		if err := d.close(); err != nil {
			return err
		}
		value, err := m.Allocate(max(n, capacity))
		if err != nil {
			return err
		}
		d.value, d.room = value, max(n, capacity)
	}
	d.shape = append(d.shape[:0], shape...)
	if err := d.value.Reshape(d.shape...); err != nil {
		return errors.Join(err, d.close())
	}
	return nil
}

func (d *deviceMemory) close() error {
	if d.value == nil {
		return nil
	}
	err := d.value.Close()
	d.value = nil
	return err
}

// arrange sets all of to: place i of an axis to what from has at index[i], or to fill
// where index[i] is −1.
func (s *deviceState) arrange(to, from *deviceMemory, axis int, fill float32) error {
	around := func(shape []int) []int {
		return []int{tensor.Numel(shape[:axis]), shape[axis], tensor.Numel(shape[axis+1:])}
	}
	err := errors.Join(to.value.Reshape(around(to.shape)...), from.value.Reshape(around(from.shape)...))
	if err == nil {
		err = s.model.Arrange(to.value, from.value, s.index, fill)
	}
	return errors.Join(err, to.value.Reshape(to.shape...), from.value.Reshape(from.shape...))
}

// chooseNothing makes the index of so many places that are all filled.
func (s *deviceState) chooseNothing(places int) {
	s.index = s.index[:0]
	for range places {
		s.index = append(s.index, -1)
	}
}

func (s *deviceState) values() (past, present engine.Value) { return s.past.value, s.present.value }

func (s *deviceState) swap() { s.past, s.present = s.present, s.past }

func (s *deviceState) shape(rows, slots int) []int {
	s.dims = s.AppendDims(s.dims[:0], rows, slots)
	return s.dims
}

func (s *deviceState) reset(rows int) error {
	if s.Kind == card.InPlace { // advance makes the memory
		s.past.shape = append(s.past.shape[:0], s.shape(rows, 0)...)
		return nil
	}
	if err := s.past.resize(s.model, 0, s.shape(rows, 0)...); err != nil || tensor.Numel(s.dims) == 0 {
		return err
	}
	return s.fill(s.past, 0)
}

// fill sets all of a memory to what the state is at first.
func (s *deviceState) fill(to *deviceMemory, axis int) error {
	var one deviceMemory // of which nothing is taken
	shape := slices.Clone(to.shape)
	shape[axis] = 1
	if err := one.resize(s.model, 0, shape...); err != nil {
		return err
	}
	s.chooseNothing(to.shape[axis])
	return errors.Join(s.arrange(to, &one, axis, float32(s.Initial)), one.close())
}

// same makes the index of so many places that stay where they are.
func (s *deviceState) same(places int) {
	s.index = s.index[:0]
	for i := range places {
		s.index = append(s.index, i)
	}
}

func (s *deviceState) save(filled int) (savedState, error) {
	saved := new(deviceMemory)
	if err := saved.resize(s.model, 0, s.shape(1, filled)...); err != nil {
		return nil, err
	}
	s.same(saved.shape[s.Axis])
	if err := s.arrange(saved, s.past, s.Axis, 0); err != nil {
		return nil, errors.Join(err, saved.close())
	}
	return saved, nil
}

func (s *deviceState) load(from savedState, rows, filled, capacity int) error {
	if err := s.past.resize(s.model, tensor.Numel(s.shape(rows, capacity)), s.shape(rows, filled)...); err != nil {
		return err
	}
	axis := rowAxis(s.State)
	if axis < 0 {
		axis = 0
		s.same(s.past.shape[0])
	} else {
		s.index = append(s.index[:0], make([]int, rows)...) // the one row, each time
	}
	return s.arrange(s.past, from.(*deviceMemory), axis, 0)
}

func (s *deviceState) advance(rows, filled, slots, capacity int) error {
	if s.Kind != card.InPlace {
		return s.present.resize(s.model, tensor.Numel(s.shape(rows, capacity)), s.shape(rows, slots)...)
	}
	if s.past.value != nil && s.past.shape[s.Axis] == slots {
		return nil
	}
	wider := new(deviceMemory)
	if err := wider.resize(s.model, 0, s.shape(rows, slots)...); err != nil {
		return err
	}
	var err error
	if filled == 0 {
		err = s.fill(wider, s.Axis)
	} else {
		s.chooseNothing(slots)
		for i := range filled {
			s.index[i] = i
		}
		err = s.arrange(wider, s.past, s.Axis, 0)
	}
	return s.replace(wider, err)
}

// replace gives a state in place other memory, unless that could not be written.
func (s *deviceState) replace(other *deviceMemory, err error) error {
	if err != nil {
		return errors.Join(err, other.close())
	}
	err = s.past.close()
	s.past, s.present = other, other
	return err
}

func (s *deviceState) keep(rows []int) error {
	axis := rowAxis(s.State)
	if axis < 0 {
		return nil
	}
	s.dims = append(s.dims[:0], s.past.shape...)
	s.dims[axis] = len(rows)
	s.index = append(s.index[:0], rows...)
	if s.Kind == card.InPlace {
		fewer := new(deviceMemory)
		if err := fewer.resize(s.model, 0, s.dims...); err != nil {
			return err
		}
		return s.replace(fewer, s.arrange(fewer, s.past, axis, 0))
	}
	if err := s.present.resize(s.model, 0, s.dims...); err != nil {
		return err
	}
	if err := s.arrange(s.present, s.past, axis, 0); err != nil {
		return err
	}
	s.swap()
	return nil
}

func (s *deviceState) close() error {
	err := s.past.close()
	if s.present != s.past {
		err = errors.Join(err, s.present.close())
	}
	return err
}

// sentMask is the attention mask in a device's memory, where it stays until it changes: when
// states in place get more room, or rows leave.
type sentMask struct {
	value engine.Value // nil for none
	mask  []int64
	shape []int
}

func (m *sentMask) close() error {
	if m.value == nil {
		return nil
	}
	err := m.value.Close()
	m.value = nil
	return err
}

// sendMask has a model that reads the mask on its device alone find it there.
func (b *batch) sendMask() error {
	at := b.s.contract.Mask
	d, ok := b.s.model.(engine.DeviceModel)
	if at < 0 || !ok || !d.Reads(at) {
		return nil
	}
	m := &b.sent
	if m.value == nil || !slices.Equal(m.shape, b.mask.shape) || !slices.Equal(m.mask, b.mask.data) {
		if err := m.close(); err != nil {
			return err
		}
		var err error
		if m.value, err = d.Copy(tensor.Of(b.mask.data, b.mask.shape...)); err != nil {
			return err
		}
		m.mask, m.shape = append(m.mask[:0], b.mask.data...), append(m.shape[:0], b.mask.shape...)
	}
	b.in[at] = m.value
	return nil
}
