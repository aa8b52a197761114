package native

import (
	"fmt"

	"github.com/nopezoo/zoo/graph"
)

// index checks an index into an axis of length n; negative ones count from the end.
func index(v int64, axis, n int) (int, error) {
	i := v
	if i < 0 {
		i += int64(n)
	}
	if i < 0 || i >= int64(n) {
		return 0, fmt.Errorf("index %d is out of range for axis %d of length %d", v, axis, n)
	}
	return int(i), nil
}

// fromFront counts an axis, which may be counted from the end, from the front.
func fromFront(axis int64, rank int) int {
	if axis < 0 {
		axis += int64(rank)
	}
	return int(axis)
}

// gather picks slices along an axis.
type gather struct{ axis, outer, n, inner int }

func (g *gather) prepare(s *step) error {
	shape := s.in[0].shape
	g.axis = fromFront(graph.Attribute(s.out.part.node, "axis", int64(0)), len(shape))
	g.outer, g.n, g.inner = product(shape[:g.axis]), shape[g.axis], product(shape[g.axis+1:])
	return nil
}

func (g *gather) run(s *step) error {
	switch s.out.kind() {
	case floats:
		return pick(g, s.out.f, s.in[0].f, s.in[1].i)
	case integers:
		return pick(g, s.out.i, s.in[0].i, s.in[1].i)
	case truths:
		return pick(g, s.out.b, s.in[0].b, s.in[1].i)
	case bytes:
		return pick(g, s.out.u8, s.in[0].u8, s.in[1].i)
	case signedBytes:
		return pick(g, s.out.i8, s.in[0].i8, s.in[1].i)
	}
	return pick(g, s.out.w, s.in[0].w, s.in[1].i)
}

func pick[T any](g *gather, out, x []T, at []int64) error {
	for k, v := range at {
		i, err := index(v, g.axis, g.n)
		if err != nil {
			return err
		}
		for o := range g.outer {
			copy(out[(o*len(at)+k)*g.inner:][:g.inner], x[(o*g.n+i)*g.inner:])
		}
	}
	return nil
}

// scatter is ScatterND of float32: it writes whole rows of what lies behind the indexed
// axes. Where operand and value are one memory, nothing else is touched.
type scatter struct{ depth, rows, inner int }

// overwrites is false where the updates lie in the operand: they would be overwritten before
// they are read.
func (*scatter) overwrites(s *step, operand int) bool {
	return operand == 0 && s.in[2].root != s.in[0].root
}

func (c *scatter) prepare(s *step) error {
	at := s.in[1].shape
	c.depth = at[len(at)-1]
	c.rows, c.inner = product(at[:len(at)-1]), product(s.in[0].shape[c.depth:])
	return nil
}

func (c *scatter) run(s *step) error {
	out, x, at, updates := s.out.f, s.in[0].f, s.in[1].i, s.in[2].f
	if len(out) > 0 && &out[0] != &x[0] {
		copy(out, x)
	}
	for k := range c.rows {
		offset := 0
		for axis, n := range s.in[0].shape[:c.depth] {
			i, err := index(at[k*c.depth+axis], axis, n)
			if err != nil {
				return err
			}
			offset = offset*n + i
		}
		copy(out[offset*c.inner:][:c.inner], updates[k*c.inner:])
	}
	return nil
}

// gatherAt picks one number per index along an axis.
type gatherAt struct {
	axis, n, stride int
	walk            walk
}

func (g *gatherAt) prepare(s *step) error {
	from, at := s.in[0].shape, s.in[1].shape
	g.axis = fromFront(graph.Attribute(s.out.part.node, "axis", int64(0)), len(from))
	g.n, g.stride = from[g.axis], product(from[g.axis+1:])
	g.walk.begin(1)
	for i, n := range at {
		stride := product(from[i+1:])
		if i == g.axis {
			stride = 0
		}
		g.walk.axis(n, stride)
	}
	g.walk.end()
	return nil
}

func (g *gatherAt) run(s *step) error {
	out, x, at := s.out.f, s.in[0].f, s.in[1].i
	n, step := g.walk.width(), g.walk.step(0)
	for r, c := 0, g.walk.from(0); r < g.walk.rows; r++ {
		offset := c.at[0]
		for k, v := range at[r*n : (r+1)*n] {
			i := int(v)
			if uint(i) >= uint(g.n) {
				var err error
				if i, err = index(v, g.axis, g.n); err != nil {
					return err
				}
			}
			out[r*n+k] = x[offset+i*g.stride]
			offset += step
		}
		c.next(&g.walk)
	}
	return nil
}
