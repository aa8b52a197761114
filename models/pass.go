package models

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/models/pe"
)

// pass is one forward pass of a decoder while it is being built.
type pass struct {
	*decoder
	b    *graph.Builder
	mode Mode
	out  *forward

	batch, seq, total graph.Dim // B, T, S
	ids, mask         *graph.Node
	slots             *graph.Node // of the new tokens, [T]; nil without a cache
	shapes            map[string][]int
	windows           []int // of the layers, 0 for none
	growing           bool  // keys and values are in states that grow
}

func newPass(d *decoder, b *graph.Builder, m Mode) *pass {
	p := &pass{decoder: d, b: b, mode: m, out: &forward{}, shapes: map[string][]int{}, windows: d.cfg.windows(d.enc)}
	p.batch, p.seq = graph.Sym(card.Batch), graph.Sym(card.Seq)
	for layer, window := range p.windows {
		p.growing = p.growing || m.Growing && window == 0 && !d.isDelta(layer)
	}
	if m.Cache && cmp.Or(m.Positions, card.Contiguous) != card.Contiguous {
		b.Fail(fmt.Errorf("%s positions are for training graphs: not with a cache", m.Positions))
	}
	switch {
	case m.Cache && d.mixer != nil:
		p.seq = graph.N(1)
	case m.Steps > 0:
		p.seq = graph.N(m.Steps)
	}
	p.ids = p.input(card.InputIDs)
	// The mask comes early, so that every layer reads the number of slots off it, and
	// what follows from that number is one node.
	switch {
	case !m.Cache:
		p.total = p.seq
	case len(d.mixer) == 1: // without slots
		p.mask = p.input(card.AttentionMask, card.Past, "0")
	case p.growing:
		p.total = graph.Sym(card.Past).Add(p.seq)
		p.mask = p.input(card.AttentionMask)
		p.slots = b.SliceLast(b.Range(graph.N(0), p.total), 0, p.seq)
	default:
		p.total = graph.Sym(card.Room)
		p.mask = input(p.b, card.AttentionMask, card.Past+"+"+card.Seq, card.Room)
		p.slots = p.input(card.CachePosition)
	}
	for _, q := range d.Params() {
		p.shapes[q.Name] = q.Shape
	}
	return p
}

// input declares an input of the contract with so many new tokens; see the function.
func (p *pass) input(port card.Port, lengths ...string) *graph.Node {
	return input(p.b, port, append(lengths, card.Seq, p.seq.String())...)
}

// real is 1 for the new tokens and 0 for padding, float32 [B,T].
func (p *pass) real() *graph.Node {
	mask := p.b.Cast(p.mask, tensor.Float32) // before what is gathered, since devices take no integers there
	if p.slots == nil {
		return mask
	}
	return p.b.Gather(mask, p.slots, 1)
}

// rows is B·T.
func (p *pass) rows() graph.Dim { return p.batch.Mul(p.seq) }

// has reports whether a weight is one of the model's.
func (p *pass) has(name string) bool { return p.shapes[name] != nil }

func (p *pass) param(name string) *graph.Node {
	shape, ok := p.shapes[name]
	if !ok {
		return p.b.Fail(fmt.Errorf("weight %q is not among the model's parameters", name))
	}
	return p.b.Param(name, tensor.Float32, shape...)
}

// norm normalises x [..., D] as the model does around its sub-layers, with the gain
// name.weight and, of LayerNorm, the bias name.bias.
func (p *pass) norm(name string, x *graph.Node) *graph.Node {
	if p.cfg.Norm != layerNorms {
		return p.rms(name, x)
	}
	return p.layerNorm(name, x)
}

// layerNorm applies LayerNorm with the gain name.weight and the bias name.bias, if it is one of the model's.
func (p *pass) layerNorm(name string, x *graph.Node) (y *graph.Node) {
	p.b.In(name[strings.LastIndexByte(name, '.')+1:], func() {
		gain, bias := p.param(name+".weight"), (*graph.Node)(nil)
		if p.has(name + ".bias") {
			bias = p.param(name + ".bias")
		}
		y = layerNorm(p.b, x, gain, bias, p.cfg.NormEps, p.mode)
	})
	return y
}

// rms applies RMSNorm with the gain name.weight.
func (p *pass) rms(name string, x *graph.Node) *graph.Node { return p.rmsWith(name, x, p.cfg.NormEps) }

// headNorm is rms of what heads give.
func (p *pass) headNorm(name string, x *graph.Node) *graph.Node {
	return p.rmsWith(name, x, cmp.Or(p.cfg.HeadNormEps, p.cfg.NormEps))
}

func (p *pass) rmsWith(name string, x *graph.Node, eps float64) (y *graph.Node) {
	p.b.In(name[strings.LastIndexByte(name, '.')+1:], func() {
		y = rmsNorm(p.b, x, p.param(name+".weight"), eps, p.mode)
	})
	return y
}

// project multiplies x [N,in] by the matrix name.weight [out,in], and adds the bias
// name.bias [out] if it is one of the model's.
func (p *pass) project(name string, x *graph.Node) *graph.Node {
	y := linear(p.b, x, p.param(name+".weight"))
	if p.has(name + ".bias") {
		y = p.b.Add(y, p.param(name+".bias"))
	}
	return y
}

// site describes layer i to the encoding's hooks.
func (p *pass) site(layer int, hidden *graph.Node) *pe.Site {
	s := &pe.Site{
		Dims: p.cfg.dims(), B: p.b, Layer: layer, Scale: p.scale(), Fused: p.mode.Fused,
		Batch: p.batch, Seq: p.seq, Total: p.total, Slots: p.slots, IDs: p.ids, Hidden: hidden,
		Positions:  func() *graph.Node { return p.input(card.PositionIDs) },
		Randomized: p.mode.Positions == card.Randomized,
		Param:      p.param,
		Grow: func(name string, rows *graph.Node, axis int) *graph.Node {
			return p.grow(layer, name, rows, axis, 0)
		},
	}
	s.Carry = func(name string, rows int, width graph.Dim) (*graph.Node, func(*graph.Node)) {
		return p.carry(layer, name, p.batch, graph.N(rows), width)
	}
	s.ShortConv = func(name string, x, weights *graph.Node) *graph.Node { return p.shortConv(layer, name, x, weights) }
	s.Visible = func() *graph.Node { return p.visible(s, 0) }
	if p.mode.Cache {
		s.Real = p.real
	}
	if p.mode.Dropout > 0 {
		s.Drop = p.drop
	}
	if p.mode.Positions == card.Offset {
		s.Offset = func() *graph.Node { return p.b.Gather(s.Positions(), p.b.Ints(0), 1) }
	}
	return s
}

// grow adds rows to a cached state of a layer, which has a window of w tokens unless w is 0.
func (p *pass) grow(layer int, name string, rows *graph.Node, axis, w int) *graph.Node {
	if !p.mode.Cache {
		return rows
	}
	s := card.LayerState(layer, name)
	if axis >= len(rows.Shape) {
		return p.b.Fail(fmt.Errorf("state %s has no axis %d", s.Past, axis))
	}
	s.Shape = graph.AxisStrings(rows.Shape)
	if w > 0 {
		return p.growWithin(s, rows, axis, w)
	}
	s.Axis = axis
	var all *graph.Node
	if p.growing {
		s.Kind, s.Shape[axis] = card.Growing, card.Past
		all = p.b.Concat(axis, input(p.b, s.Input()), rows)
	} else {
		s.Kind, s.Shape[axis] = card.InPlace, card.Room
		past := input(p.b, s.Input())
		if !slices.ContainsFunc(p.out.States, card.State.Slotted) {
			// Providers of devices take the shape of float32, but fetch the mask for its own.
			p.b.LengthFrom(past, axis)
		}
		all = p.b.Op("ScatterND", []*graph.Node{past, p.places(rows.Shape[:axis]), rows})
	}
	p.keep(s, all)
	return all
}

// carry is pe.Site.Carry for a state of any shape.
func (p *pass) carry(layer int, name string, shape ...graph.Dim) (before *graph.Node, keep func(*graph.Node)) {
	if !p.mode.Cache {
		return p.b.Expand(p.b.Float(0), shape...), func(*graph.Node) {}
	}
	s := card.LayerState(layer, name)
	s.Shape = graph.AxisStrings(shape)
	return input(p.b, s.Input()), func(after *graph.Node) { p.keep(s, after) }
}

// keep makes a value what a state is after the pass.
func (p *pass) keep(s card.State, present *graph.Node) {
	p.out.States = append(p.out.States, s)
	p.out.Presents = append(p.out.Presents, graph.Output{Name: s.Present, Node: present})
}

// places returns where the rows of the new tokens go in a state: for each element of the
// axes before the slots', and each token, its index, [outer..., T, len(outer)+1].
func (p *pass) places(outer []graph.Dim) *graph.Node {
	b, last := p.b, len(outer)
	// along turns numbers of one axis into indices that are 0 along all others.
	along := func(axis int, numbers *graph.Node) *graph.Node {
		unit := make([]int64, last+1)
		unit[axis] = 1
		var others []int
		for i := range last + 2 {
			if i != axis {
				others = append(others, i)
			}
		}
		return b.Mul(b.Unsqueeze(numbers, others...), b.Ints(unit...))
	}
	at := along(last, p.slots)
	for axis, d := range outer {
		at = b.Add(at, along(axis, b.Range(graph.N(0), d)))
	}
	return at
}

// attention is multi-head causal self-attention of layer i on u [B·T, D].
func (p *pass) attention(i int, at string, u *graph.Node) *graph.Node {
	b, s, enc := p.b, p.site(i, u), encodingOf(p.enc, i, p.cfg.NLayers)
	if w := p.windows[i]; w > 0 {
		p.narrow(s, w)
	}
	project := func(name, norm string, heads, width int) (y *graph.Node) {
		b.In(name, func() {
			y = p.clip(p.project(at+name, u))
			if p.cfg.QKNorm == qkRMSAll && norm != "" {
				y = p.rms(at+norm, y)
			}
			y = splitHeads(b, y, p.batch, p.seq, heads, width)
		})
		return y
	}
	q := project("q_proj", "q_norm", p.cfg.NHeads, p.cfg.DHead)
	k := project("k_proj", "k_norm", p.cfg.kvHeads(), p.cfg.DHead)
	heads, width := p.cfg.valueHeads()
	v := project("v_proj", "", heads, width)
	q, k = p.normHeads(at+"q_norm", q), p.normHeads(at+"k_norm", k)
	q, k = enc.QK(s, q, k)
	k, v = s.Grow(card.Keys, k, 2), s.Grow(card.Values, v, 2)
	u = p.attend(s, enc, q, k, v)
	b.In("o_proj", func() {
		u = p.addHeadMeans(i, p.gateOutput(at, s.Hidden, joinHeads(b, u)))
		p.showHeads(i, u)
		u = p.project(at+"o_proj", u)
	})
	return p.dropRows(strings.TrimSuffix(at, "."), u)
}

func (p *pass) scale() float64 { return factorOf(p.cfg.AttentionScale, p.cfg.DHead) }

// visible is what a query may see: keys no later than itself that are not
// padding, and of those the last w, unless w is 0; bool, [B or 1, 1, T, S].
func (p *pass) visible(s *pe.Site, w int) *graph.Node {
	b, seen := p.b, s.Causal()
	if w > 0 {
		seen = b.And(seen, near(s, w))
	}
	if !p.mode.Cache {
		return seen
	}
	var real *graph.Node
	if w > 0 {
		real = p.kept(s, w)
	} else {
		real = b.Cast(p.mask, tensor.Bool)
	}
	return b.And(seen, b.Unsqueeze(real, 1, 2))
}

// attend returns softmax(scale·q kᵀ + bias) v with what may not be
// seen set to the masked value.
func (p *pass) attend(s *pe.Site, enc pe.Encoding, q, k, v *graph.Node) *graph.Node {
	b := p.b
	scaled := q
	if c := p.scale(); c != 1 && p.mode.Cache {
		// One factor for each feature: ONNX Runtime would make a single factor part of
		// the product, and then not take its kernel for one query.
		width, _ := q.Dim(3).Int() // the encoding's, not always the head's
		scaled = b.Mul(q, b.Const(tensor.Of(slices.Repeat([]float32{float32(c)}, width), width)))
	} else if c != 1 {
		scaled = b.Mul(q, b.Float(c))
	}
	if p.blocked(s, enc) {
		return p.attendInBlocks(s, enc, scaled, k, v)
	}
	return p.attendAll(s, enc, q, scaled, k, v)
}

// attendAll is attend for all queries at once, of which it gets the scaled ones too.
func (p *pass) attendAll(s *pe.Site, enc pe.Encoding, q, scaled, k, v *graph.Node) *graph.Node {
	b := p.b
	logits := p.grouped(scaled, k, true) // [B,H,T,S]
	if bias := enc.Bias(s); bias != nil {
		logits = b.Add(logits, bias)
	}
	if m, ok := enc.(pe.LogitMapper); ok {
		logits = m.MapLogits(s, q, p.repeatHeads(k), logits)
	}
	logits = p.cap(logits, p.cfg.AttentionCap)
	logits = p.scaleLogits(s, logits)
	if p.mode.AttentionLogits {
		p.out.AttentionLogits = append(p.out.AttentionLogits, graph.Output{Name: fmt.Sprintf(LogitsName, s.Layer),
			Node: b.Where(s.Visible(), logits, b.Float(masked))})
	}
	weights := p.ablate(s, p.weigh(s, enc, logits))
	if p.mode.Attentions {
		p.out.Attentions = append(p.out.Attentions, graph.Output{Name: card.Attentions(s.Layer), Node: weights})
	}
	weights = p.drop(fmt.Sprintf("layers.%d.attn.weights", s.Layer), weights)
	if p.cfg.Attention == differential {
		return p.differ(s, weights, v)
	}
	return p.grouped(weights, v, false)
}

// weigh makes weights of logits [B,H,T,S], 0 for keys that may not be seen.
func (p *pass) weigh(s *pe.Site, enc pe.Encoding, logits *graph.Node) *graph.Node {
	if w, ok := enc.(pe.Weigher); ok {
		if p.cfg.AttentionSink != "" {
			return p.b.Fail(fmt.Errorf("attention_sink %s is part of the softmax, which the encoding %s replaces; "+
				"leave out the one or the other", p.cfg.AttentionSink, p.cfg.Encoding))
		}
		if p.cfg.Attention == entmax {
			return p.b.Fail(fmt.Errorf("attention %s replaces the softmax, and so does the encoding %s; "+
				"leave out the one or the other", entmax, p.cfg.Encoding))
		}
		return w.Weigh(s, logits, s.Visible())
	}
	if p.cfg.Attention == entmax {
		return p.entmax(logits, s.Visible())
	}
	return p.softmax(s, p.b.Where(s.Visible(), logits, p.b.Float(masked)))
}

// drop is dropout on x at a place.
func (p *pass) drop(place string, x *graph.Node) *graph.Node {
	if p.mode.Dropout == 0 {
		return x
	}
	if p.mode.Cache || p.mode.Fused {
		return p.b.Fail(fmt.Errorf("dropout is for training graphs: neither with a cache nor fused"))
	}
	mask := p.b.Input(DropoutPrefix+place, tensor.Uint8, x.Shape...)
	return p.b.Mul(x, p.b.Op("DequantizeLinear", []*graph.Node{mask, p.b.Float(1 / (1 - p.mode.Dropout))}))
}

// dropRows is dropout on the rows of all tokens, x [B·T, width].
func (p *pass) dropRows(place string, x *graph.Node) *graph.Node {
	if p.mode.Dropout == 0 {
		return x
	}
	byToken := p.drop(place, p.b.Reshape(x, p.batch, p.seq, x.Dim(1)))
	return p.b.Reshape(byToken, x.Shape...)
}
