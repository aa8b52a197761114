package card

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"
)

// State is one tensor that a model takes as an input and gives back, updated,
// as an output: a cache of keys, or a recurrent state.
type State struct {
	Past    string   `json:"past"`            // input name, such as "past_key_values.0.key"
	Present string   `json:"present"`         // output name, such as "present.0.key"
	Shape   []string `json:"shape"`           // of the input: Batch at most once, lengths, and a name along Axis
	Kind    kind     `json:"grows"`           // what a call does to the state
	Axis    int      `json:"axis,omitempty"`  // the axis that counts slots, of a state that has them, else 0
	Initial float64  `json:"initial"`         // every element before the first call; what has slots has none filled then
	DType   string   `json:"dtype,omitempty"` // Float16 in files of others; empty for Float32, as all of zoo's are
}

// kind says what a call does to a state. What follows from it is in this file.
type kind int

// The kinds of states.
const (
	// Rewritten: the output has the input's shape. The state of a layer with a sliding
	// window is one: its last slots, the oldest first, also slots before the first token. In files
	// of others these may lie behind the last token instead.
	Rewritten kind = iota
	// Growing: the output is the input, and behind it a slot for each new token.
	Growing
	// InPlace: the output is the input, with the slots that CachePosition names filled
	// anew. Who lends one memory to both saves the copy, so nothing else in the model
	// reads what the input holds. Slots not yet filled are masked by the model and must hold finite
	// numbers. A call that fails or is stopped may have filled its slots: they count as
	// not filled, and the next call fills them. No model has these and Growing ones.
	InPlace
)

// written lists the values of the key "grows", which was a boolean when files were first
// written, by kind.
var written = []string{Rewritten: "false", Growing: "true", InPlace: `"in place"`}

// MarshalJSON returns the value of the key "grows".
func (k kind) MarshalJSON() ([]byte, error) {
	if k < 0 || int(k) >= len(written) {
		return nil, fmt.Errorf("unknown kind of state %d", k)
	}
	return []byte(written[k]), nil
}

// UnmarshalJSON reads what MarshalJSON returns.
func (k *kind) UnmarshalJSON(text []byte) error {
	i := slices.Index(written, string(text))
	if i < 0 {
		return fmt.Errorf("grows is %s, expected one of %v: use a zoo that matches the file", text, written)
	}
	*k = kind(i)
	return nil
}

// The states of a layer that hold its cached keys and values.
const (
	Keys   = "key"
	Values = "value"
)

// LayerState names a state of a layer: Keys, Values, or another.
func LayerState(layer int, name string) State {
	past := "past"
	if name == Keys || name == Values {
		past = "past_key_values" // as elsewhere
	}
	return State{Past: fmt.Sprintf("%s.%d.%s", past, layer, name), Present: fmt.Sprintf("present.%d.%s", layer, name)}
}

// Input returns the port of the state before a call.
func (s State) Input() Port { return Port{s.Past, cmp.Or(s.DType, Float32), s.Shape} }

// Output returns the port of the state after a call.
func (s State) Output() Port {
	p := Port{s.Present, cmp.Or(s.DType, Float32), slices.Clone(s.Shape)}
	if s.Kind == Growing {
		p.Shape[s.Axis] += "+" + Seq
	}
	return p
}

// Slotted reports whether the state has slots of tokens along Axis.
func (s State) Slotted() bool { return s.Kind == Growing || s.Kind == InPlace }

// AppendDims appends to dims the shape of the state of so many rows that have filled so
// many slots, or in place have room for so many.
func (s State) AppendDims(dims []int, rows, slots int) []int {
	for i, axis := range s.Shape {
		n := rows
		if s.Slotted() && i == s.Axis {
			n = slots
		} else if axis != Batch {
			n, _ = strconv.Atoi(axis) // which a valid card has checked
		}
		dims = append(dims, n)
	}
	return dims
}

// Bytes returns the size of the state of so many rows that have filled so many slots, and how much of it is held
// during a call: a state that is not in place is there twice, as what is read and what is written.
func (s State) Bytes(rows, slots int) (size, held float64) {
	size = 4
	if s.DType == Float16 {
		size = 2
	}
	for _, n := range s.AppendDims(nil, rows, slots) {
		size *= float64(n)
	}
	if s.Kind == InPlace {
		return size, size
	}
	return size, 2 * size
}

func (s *State) validate() error {
	for _, name := range append([]string{s.Past, s.Present}, s.Shape...) {
		if name == "" || !utf8.ValidString(name) {
			return fmt.Errorf("name or axis %q, expected non-empty UTF-8", name)
		}
	}
	switch {
	case len(s.Shape) == 0:
		return errors.New("shape is empty")
	case !s.Slotted() && s.Axis != 0:
		return fmt.Errorf("axis is %d for a state that does not grow, expected 0", s.Axis)
	case s.Slotted() && (s.Axis < 0 || s.Axis >= len(s.Shape)):
		return fmt.Errorf("growing axis %d is outside the shape's %d axes", s.Axis, len(s.Shape))
	case s.DType != "" && s.DType != Float16:
		return fmt.Errorf("dtype is %q, expected none or %q: use a zoo that matches the file", s.DType, Float16)
	case s.DType == Float16 && s.Initial != 0:
		return fmt.Errorf("initial is %v for a state of float16, expected 0", s.Initial)
	case !finite(&s.Initial):
		return fmt.Errorf("initial is %v, expected a finite number", s.Initial)
	}
	for i, axis := range s.Shape {
		n, err := strconv.Atoi(axis)
		ok := err == nil && n >= 0 || axis == Batch && slices.Index(s.Shape, Batch) == i
		if s.Slotted() && i == s.Axis {
			ok = axis != Batch
		}
		if !ok {
			return fmt.Errorf("axis %d is %q, expected a length, %s once, or the growing axis", i, axis, Batch)
		}
	}
	return nil
}
