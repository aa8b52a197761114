package pe

import (
	"cmp"
	"fmt"

	"github.com/nopezoo/zoo/graph"
)

// learned adds a trained vector per position to the embeddings (Gehring et al.
// 2017, arXiv 1705.03122, section 3.1; GPT-2 likewise). There is none beyond the
// declared maximum: a longer sequence is an error, never clamped.
type learned struct {
	NoPE
	rows, width int
	std         float64
}

// learnedSettings are the settings.
type learnedSettings struct {
	MaxLength int     `json:"max_length" about:"number of positions, in tokens; default 512"`
	InitStd   float64 `json:"init_std" about:"standard deviation of the initial vectors; default 0.02"`
}

// maxPositions guards against typing slips and hostile files.
const maxPositions = 1 << 20

func newLearned(d Dims, p learnedSettings) (Encoding, error) {
	p.MaxLength = cmp.Or(p.MaxLength, 512)
	p.InitStd = cmp.Or(p.InitStd, 0.02)
	if p.MaxLength < 1 || p.MaxLength > maxPositions {
		return nil, fmt.Errorf("max_length %d: want 1 to %d", p.MaxLength, maxPositions)
	}
	if err := checkStd(p.InitStd); err != nil {
		return nil, err
	}
	return learned{rows: p.MaxLength, width: d.Model, std: p.InitStd}, nil
}

// MaxLength implements Bounded.
func (e learned) MaxLength() int { return e.rows }

const positionTable = "position.weight"

// Params implements Encoding: the table [max_length, D].
func (e learned) Params() []Param {
	return []Param{{Name: positionTable, Shape: []int{e.rows, e.width}, Std: e.std, Decay: true}}
}

// Embed implements Encoding: x + table[pos]. A position outside the table makes
// the run fail.
func (learned) Embed(s *Site, x *graph.Node) *graph.Node {
	return s.B.Add(x, s.B.Gather(s.Param(positionTable), s.Positions(), 0))
}
