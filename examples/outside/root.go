package main

import (
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/models/pe"
)

// Root is an encoding that lowers the logit of query t and key j by f·√(t−j).
type Root struct {
	pe.NoPE // everything that Root leaves alone
	Factor  float32
}

// RootSettings are what encoding_params can say of it.
type RootSettings struct {
	Factor float32 `json:"factor" about:"f; default 4"`
}

func init() {
	pe.Register(pe.Row{Name: "root", Formula: "q·k − f·√(t−j)", Source: "examples/outside",
		Cost: "an addition for each pair", Make: pe.With(newRoot)})
}

func newRoot(_ pe.Dims, s RootSettings) (pe.Encoding, error) {
	if s.Factor == 0 {
		s.Factor = 4
	}
	return Root{Factor: s.Factor}, nil
}

// Bias implements pe.Encoding. Past has 0 for later keys, which the mask hides.
func (r Root) Bias(s *pe.Site) *graph.Node {
	d := s.B.Cast(s.Past(), tensor.Float32) // [1,1,T,S]
	return s.B.Mul(s.B.Sqrt(d), s.B.Const(tensor.Of([]float32{-r.Factor})))
}
