package models

import (
	"cmp"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/models/pe"
)

// kvHeads is how many heads keys and values have.
func (c Config) kvHeads() int { return cmp.Or(c.NKVHeads, c.NHeads) }

// grouped multiplies x [B,H,T,N] by y [B,G,N,M], or by y [B,G,M,N] read transposed, where G divides H, to [B,H,T,M]:
// neighbouring heads of x share one of y, which is not repeated. In training the rows of these heads are put behind one
// another, so that each y is in one product. With a cache each head has a product of its own: of one row when a token is
// generated, which ONNX Runtime multiplies with y as it lies, where more rows have it pack all of y first.
func (p *pass) grouped(x, y *graph.Node, transposed bool) *graph.Node {
	b, shared, swap := p.b, p.cfg.NKVHeads != 0, []int{0, 1, 3, 2}
	groups, each := graph.N(p.cfg.kvHeads()), graph.N(p.cfg.NHeads/p.cfg.kvHeads())
	switch {
	case shared && p.mode.Cache:
		x, y, swap = b.Reshape(x, p.batch, groups, each, p.seq, x.Dim(3)), b.Unsqueeze(y, 2), []int{0, 1, 2, 4, 3}
	case shared:
		x = b.Reshape(x, p.batch, groups, each.Mul(p.seq), x.Dim(3))
	}
	if transposed { // next to the product, of which ONNX Runtime makes it a part
		y = b.Transpose(y, swap...)
	}
	product := b.MatMul(x, y)
	if !shared {
		return product
	}
	return b.Reshape(product, p.batch, graph.N(p.cfg.NHeads), p.seq, product.Dim(len(product.Shape)-1))
}

// repeatHeads gives each head the keys [B,G,S,K] that it reads, [B,H,S,K].
func (p *pass) repeatHeads(k *graph.Node) *graph.Node {
	if p.cfg.NKVHeads == 0 {
		return k
	}
	b, groups, each := p.b, graph.N(p.cfg.NKVHeads), graph.N(p.cfg.NHeads/p.cfg.NKVHeads)
	wide := b.Expand(b.Unsqueeze(k, 2), p.batch, groups, each, k.Dim(2), k.Dim(3))
	return b.Reshape(wide, p.batch, graph.N(p.cfg.NHeads), k.Dim(2), k.Dim(3))
}

// clip bounds x to [−c, c] with the c of ClipQKV.
func (p *pass) clip(x *graph.Node) *graph.Node {
	c := p.cfg.ClipQKV
	if c == 0 {
		return x
	}
	return p.b.Max(p.b.Min(x, p.b.Float(c)), p.b.Float(-c))
}

// Values of Config.QKNorm.
const (
	qkRMS         = "rms"
	qkRMSAll      = "rms-all"
	qkLayer       = "layer"
	qkLayerByHead = "layer-by-head"
)

// qkNormParams are the weights of the norms of queries and keys of a layer.
func (c Config) qkNormParams(at string, in stds) (list []pe.Param) {
	if c.QKNorm == "" {
		return nil
	}
	for _, n := range []struct {
		name  string
		heads int
	}{{"q_norm", c.NHeads}, {"k_norm", c.kvHeads()}} {
		shape := []int{c.DHead}
		switch c.QKNorm {
		case qkRMSAll:
			shape = []int{n.heads * c.DHead}
		case qkLayerByHead:
			shape = []int{n.heads, c.DHead}
		}
		list = append(list, pe.Param{Name: at + n.name + ".weight", Shape: shape, Mean: 1, Decay: in.decayGains})
		if c.QKNorm == qkLayer {
			list = append(list, pe.Param{Name: at + n.name + ".bias", Shape: []int{c.DHead}})
		}
	}
	return list
}

// normHeads normalises the heads of queries or keys x [B,heads,T,K] by themselves, where the model does.
func (p *pass) normHeads(name string, x *graph.Node) *graph.Node {
	switch p.cfg.QKNorm {
	case qkRMS:
		return p.rms(name, x)
	case qkLayer:
		return p.layerNorm(name, x)
	case qkLayerByHead:
		gain := p.b.Unsqueeze(p.param(name+".weight"), 1) // [heads,1,K]
		return layerNorm(p.b, x, gain, nil, p.cfg.NormEps, p.mode)
	}
	return x
}
