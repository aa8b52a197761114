package pe

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
)

// abacus adds a trained vector for a digit's place in its number to the embedding (McLeish
// et al. 2024, arXiv 2405.17399, section 3.1): vector 1 for the first digit of a run of
// digits, 2 for the next, …, and vector 0 for what is no digit. Digits that weigh alike
// have one place where numbers are written with the least digit first; the order is the
// task's.
//
// Places that training has never seen have no meaning. So the paper adds a number from 0
// to 99 to all places of a training sequence: here that is train.positions=offset, which
// adds one of as many as train.max_position leaves room for. Each sequence has its own,
// where the paper's code draws one for a batch.
type abacus struct {
	NoPE
	rows, width int
	std         float64
	digits      []int64
}

// abacusSettings are the settings.
type abacusSettings struct {
	// The paper's code has 1024 rows.
	Rows int `json:"rows,omitempty" about:"number of vectors; default 512"`
	// The paper's code has an InitStd of 1.
	InitStd float64 `json:"init_std,omitempty" about:"standard deviation of the initial vectors; default 0.02"`
	// Where no vocabulary is known, Digits are 2 to 11.
	Digits []int64 `json:"digits,omitempty" about:"token ids of digits; default those of the vocabulary"`
}

func newAbacus(d Dims, p abacusSettings) (Encoding, error) {
	p.Rows = cmp.Or(p.Rows, 512)
	p.InitStd = cmp.Or(p.InitStd, 0.02)
	if p.Rows < 2 || p.Rows > maxPositions {
		return nil, fmt.Errorf("rows %d: want 2 to %d", p.Rows, maxPositions)
	}
	if err := checkStd(p.InitStd); err != nil {
		return nil, err
	}
	if len(p.Digits) == 0 {
		p.Digits = []int64{2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
	}
	for i, id := range p.Digits {
		if id < 1 || id > maxPositions || slices.Contains(p.Digits[:i], id) {
			return nil, fmt.Errorf("digits %v: want different token ids, and not that of padding, which is 0", p.Digits)
		}
	}
	return abacus{rows: p.Rows, width: d.Model, std: p.InitStd, digits: p.Digits}, nil
}

// fitAbacus finds the digits of the vocabulary, where they are not given.
func fitAbacus(settings json.RawMessage, d Data) (json.RawMessage, error) {
	p, err := parse[abacusSettings](settings)
	if err != nil {
		return nil, err
	}
	if len(p.Digits) == 0 {
		for id, piece := range d.Pieces {
			if text := strings.TrimPrefix(piece, " "); len(text) == 1 && text[0] >= '0' && text[0] <= '9' {
				p.Digits = append(p.Digits, int64(id))
			}
		}
		if len(p.Digits) == 0 {
			return nil, errors.New("abacus counts digits, and no token of the vocabulary is one")
		}
	}
	return json.Marshal(p)
}

// MaxLength implements Bounded: a number may be as long as the sequence.
func (e abacus) MaxLength() int { return e.rows - 1 }

const abacusTable = "place.weight"

// Params implements Encoding: the table [rows, D].
func (e abacus) Params() []Param {
	return []Param{{Name: abacusTable, Shape: []int{e.rows, e.width}, Std: e.std, Decay: true}}
}

// Embed implements Encoding: x + table[place].
func (e abacus) Embed(s *Site, x *graph.Node) *graph.Node {
	return s.B.Add(x, s.B.Gather(s.Param(abacusTable), e.places(s), 0))
}

// places returns the place of each new token in its number, int64 [B,T]; 0 for no digit.
// It is the number of digits not after the token without another token between: before
// all of these stand equally many that are no digits. A state says which tokens are
// digits.
func (e abacus) places(s *Site) *graph.Node {
	b := s.B
	one := b.Op("Equal", []*graph.Node{b.Unsqueeze(s.IDs, 2), b.Ints(e.digits...)}) // [B,T,digits]
	digit := b.ReduceSum(b.Cast(one, tensor.Float32), false, 2)
	digit = s.Grow("digit", digit, 1)               // [B,S], 1 or 0
	others := b.CumSum(b.Sub(b.Float(1), digit), 1) // [B,S]; float32, which devices gather
	mine := others
	if s.Slots != nil {
		mine = b.Gather(others, s.Slots, 1) // [B,T]
	}
	count := func(x *graph.Node, axes ...int) *graph.Node { return b.Unsqueeze(b.Cast(x, tensor.Int64), axes...) }
	together := b.Op("Equal", []*graph.Node{count(mine, 1, 3), count(others, 1, 2)}) // [B,1,T,S]
	together = b.And(together, s.Visible())
	place := b.ReduceSum(b.Where(together, b.Unsqueeze(digit, 1, 2), b.Float(0)), false, 3)
	place = b.Cast(b.Squeeze(place, 1), tensor.Int64)
	if s.Offset == nil {
		return place
	}
	zero := b.Const(tensor.Of([]int64{0}))
	return b.Where(b.Greater(place, zero), b.Add(place, s.Offset()), place)
}
