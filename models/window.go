package models

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/models/pe"
)

// Windows is a pe.Pattern of sliding windows over the layers, in tokens: "8*3/0" gives three
// layers one of 8 tokens and one layer none, over and over. One number is for all layers.
type Windows string

// UnmarshalJSON takes a number too.
func (w *Windows) UnmarshalJSON(text []byte) error {
	var number json.Number
	if json.Unmarshal(text, &number) == nil {
		*w = Windows(number)
		return nil
	}
	return json.Unmarshal(text, (*string)(w))
}

// resolve writes the windows of so many layers in the shortest way; "" is none at all.
func (w Windows) resolve(layers int) (Windows, error) {
	if w == "" {
		return w, nil
	}
	p, err := pe.ParsePattern(string(w), layers)
	if err != nil {
		return w, err
	}
	for _, element := range p {
		tokens, err := strconv.Atoi(element)
		if err != nil || strconv.Itoa(tokens) != element { // 08 is 8 written in another way
			return w, fmt.Errorf("%q: want tokens, by layer as in 8*3/0", element)
		}
		if tokens != 0 && (tokens < 2 || tokens > pe.MaxWindow) {
			return w, fmt.Errorf("window %d: want 2 to %d tokens, or 0 for none", tokens, pe.MaxWindow)
		}
	}
	if p.String() == "0" {
		return "", nil
	}
	return Windows(p.String()), nil
}

// windows returns the window of each layer in tokens, 0 for none: the window of the
// configuration, which is resolved, or of the encoding, whichever is shorter.
func (c Config) windows(enc pe.Encoding) []int {
	out := make([]int, c.NLayers)
	pattern, err := pe.ParsePattern(string(c.Window), 0)
	for layer := range out {
		if err == nil {
			out[layer], _ = strconv.Atoi(pattern[layer%len(pattern)])
		}
		if e, ok := encodingOf(enc, layer, c.NLayers).(pe.Windowed); ok && (out[layer] == 0 || e.Window() < out[layer]) {
			out[layer] = e.Window()
		}
	}
	return out
}

// A layer with a window W keeps the last W−1 slots, the oldest first, in a state that is
// rewritten: what is before them no later query sees. Its attention goes over those and the
// T new ones as if they were all: S is W−1+T, and the new tokens are the last of them. So
// hooks find what they find elsewhere, keys in the order of their slots, where a state
// written in place would be a ring, whose order changes with every token. The first columns
// are empty until as many tokens have come, and hidden as padding is. Without a cache, the
// window is but a mask.

// narrow gives a site the columns of a layer with a window of w tokens.
func (p *pass) narrow(s *pe.Site, w int) {
	s.Visible = func() *graph.Node { return p.visible(s, w) }
	s.Grow = func(name string, rows *graph.Node, axis int) *graph.Node {
		return p.grow(s.Layer, name, rows, axis, w)
	}
	if p.mode.Cache {
		s.Total = graph.N(w - 1).Add(p.seq)
		s.Slots = p.b.Range(graph.N(w-1), s.Total)
	}
}

// near is which keys are among the last w of a query, itself included; bool, [1,1,T,S].
func near(s *pe.Site, w int) *graph.Node { return s.B.Greater(s.B.Ints(int64(w)), s.SlotDistances()) }

// kept is which columns of a layer with a window of w tokens are neither empty nor padding;
// bool, [B,S].
func (p *pass) kept(s *pe.Site, w int) *graph.Node {
	b, none := p.b, p.b.Ints(0)
	// What is sliced and gathered is float32, since devices take no integers there.
	newest := b.Cast(b.Slice(b.Cast(p.slots, tensor.Float32), 0, graph.N(0), graph.N(1)), tensor.Int64)
	slots := b.Add(b.Sub(newest, b.Ints(int64(w-1))), b.Range(graph.N(0), s.Total)) // counted over all tokens, negative in empty columns
	real := b.Cast(b.Gather(b.Cast(p.mask, tensor.Float32), b.Max(slots, none), 1), tensor.Bool)
	return b.And(real, b.Op("GreaterOrEqual", []*graph.Node{slots, none}))
}

// growWithin puts rows behind the rows of a state with a window of w tokens, and keeps the last.
func (p *pass) growWithin(s card.State, rows *graph.Node, axis, w int) *graph.Node {
	s.Shape[axis] = strconv.Itoa(w - 1)
	all := p.b.Concat(axis, input(p.b, s.Input()), rows)
	p.keep(s, p.b.Slice(all, axis, p.seq, all.Dim(axis)))
	return all
}
