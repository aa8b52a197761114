package native

import "github.com/nopezoo/zoo/graph"

// rotary is RotaryEmbedding: it turns pairs of features, (2c, 2c+1) when interleaved and
// (c, c+width/2) otherwise, and copies those beyond the rotated width.
type rotary struct {
	spans
	s                                    *step
	heads, length, features, half, apart int
	step                                 int
}

func (r *rotary) prepare(s *step) error {
	n := s.out.part.node
	r.s = s
	r.heads, r.length, r.features = s.out.shape[1], s.out.shape[2], s.out.shape[3]
	width := int(graph.Attribute(n, "rotary_embedding_dim", int64(0)))
	if width == 0 {
		width = r.features
	}
	r.half = width / 2
	r.step, r.apart = 1, r.half
	if graph.Attribute(n, "interleaved", int64(0)) != 0 {
		r.step, r.apart = 2, 1
	}
	return nil
}

func (r *rotary) run(s *step) error {
	r.over(s.x, s.out.shape[0]*r.heads*r.length, r.features, r)
	return nil
}

func (r *rotary) do(part, _ int) {
	from, to := r.span(part)
	for row := from; row < to; row++ { // row is (b·H + h)·T + t
		x, y := r.s.in[0].f[row*r.features:][:r.features], r.s.out.f[row*r.features:][:r.features]
		angle := (row/(r.heads*r.length)*r.length + row%r.length) * r.half
		cos, sin := r.s.in[1].f[angle:][:r.half], r.s.in[2].f[angle:][:r.half]
		for k := range cos {
			i := k * r.step
			a, b := x[i], x[i+r.apart]
			y[i] = a*cos[k] - b*sin[k]
			y[i+r.apart] = a*sin[k] + b*cos[k]
		}
		copy(y[2*r.half:], x[2*r.half:])
	}
}
