package pe

import "github.com/nopezoo/zoo/graph"

// NoPE adds nothing: order reaches the model only through the causal mask
// (named by Kazemnejad et al. 2023, arXiv 2305.19466). The other encodings
// embed it.
type NoPE struct{}

// Params implements Encoding: there are none.
func (NoPE) Params() []Param { return nil }

// Embed implements Encoding as the identity.
func (NoPE) Embed(_ *Site, x *graph.Node) *graph.Node { return x }

// QK implements Encoding as the identity.
func (NoPE) QK(_ *Site, q, k *graph.Node) (*graph.Node, *graph.Node) { return q, k }

// Bias implements Encoding: there is none.
func (NoPE) Bias(*Site) *graph.Node { return nil }

func newNoPE(Dims, struct{}) (Encoding, error) { return NoPE{}, nil }
