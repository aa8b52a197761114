package native

import (
	"fmt"
	"slices"

	"github.com/nopezoo/zoo/graph"
)

// view is Reshape, Squeeze and Unsqueeze: the operand's memory under another shape. That
// the sizes agree has been checked.
type view struct{}

func (view) prepare(*step) error { return nil }

func (view) run(*step) error { return nil }

// copier copies elements of the first operand in another order: at strides of its own from
// an offset on.
type copier struct {
	spans
	walk walk
	base int
	s    *step
}

func (c *copier) run(s *step) error {
	c.s = s
	c.over(s.x, c.walk.rows, c.walk.width(), c)
	return nil
}

func (c *copier) do(part, _ int) {
	from, to := c.span(part)
	switch c.s.out.kind() {
	case floats:
		strided(&c.walk, c.base, c.s.out.f, c.s.in[0].f, from, to)
	case integers:
		strided(&c.walk, c.base, c.s.out.i, c.s.in[0].i, from, to)
	case truths:
		strided(&c.walk, c.base, c.s.out.b, c.s.in[0].b, from, to)
	case bytes:
		strided(&c.walk, c.base, c.s.out.u8, c.s.in[0].u8, from, to)
	case signedBytes:
		strided(&c.walk, c.base, c.s.out.i8, c.s.in[0].i8, from, to)
	case words:
		strided(&c.walk, c.base, c.s.out.w, c.s.in[0].w, from, to)
	}
}

func strided[T any](w *walk, base int, out, x []T, from, to int) {
	n, step := w.width(), w.step(0)
	for r, c := from, w.from(from); r < to; r++ {
		row, x := out[r*n:(r+1)*n], x[base+c.at[0]:]
		switch step {
		case 1:
			copy(row, x)
		case 0:
			for i := range row {
				row[i] = x[0]
			}
		default:
			for i := range row {
				row[i] = x[i*step]
			}
		}
		c.next(w)
	}
}

// transpose copies, unless only axes of length 1 change places.
type transpose struct {
	copier
	perm []int64
}

func (t *transpose) views(s *step) bool {
	last := int64(-1)
	for _, p := range t.perm {
		if s.in[0].shape[p] != 1 {
			if p < last {
				return false
			}
			last = p
		}
	}
	return true
}

func (t *transpose) prepare(s *step) error {
	t.walk.begin(1)
	for i, p := range t.perm {
		t.walk.axis(s.out.shape[i], product(s.in[0].shape[p+1:]))
	}
	t.walk.end()
	return nil
}

func (t *transpose) run(s *step) error {
	if s.out.root != s.out.part.number {
		return nil
	}
	return t.copier.run(s)
}

// expand copies, unless nothing is repeated.
type expand struct{ copier }

func (*expand) views(s *step) bool { return s.in[0].size == s.out.size }

func (e *expand) prepare(s *step) error {
	e.walk.spread(s.out.shape, s.in[0])
	return nil
}

func (e *expand) run(s *step) error {
	shape := s.in[1].i
	skip := len(s.out.shape) - len(shape)
	for i, v := range shape {
		if v != 1 && v != int64(s.out.shape[skip+i]) {
			return fmt.Errorf("shape %v does not give %v", shape, s.out.shape)
		}
	}
	if s.out.root != s.out.part.number {
		return nil
	}
	return e.copier.run(s)
}

// slice copies a part of axes.
type slice struct{ copier }

func (*slice) prepare(*step) error { return nil }

func (c *slice) run(s *step) error {
	x := s.in[0]
	var starts, counts [maxRank]int
	copy(counts[:], x.shape)
	for i, a := range s.in[3].i {
		axis := fromFront(a, len(x.shape))
		n := int64(x.shape[axis])
		start, end := limit(s.in[1].i[i], n), limit(s.in[2].i[i], n)
		starts[axis], counts[axis] = int(start), int(max(0, end-start))
	}
	if !slices.Equal(counts[:len(x.shape)], s.out.shape) {
		return fmt.Errorf("value has shape %v, want %s, which is %v here", slices.Clone(counts[:len(x.shape)]),
			s.out.part.node.Type(), slices.Clone(s.out.shape))
	}
	c.base = 0
	c.walk.begin(1)
	for i, n := range s.out.shape {
		stride := product(x.shape[i+1:])
		c.base += starts[i] * stride
		c.walk.axis(n, stride)
	}
	c.walk.end()
	return c.copier.run(s)
}

// limit counts a negative limit from the end and clamps it to the axis.
func limit(v, n int64) int64 {
	if v < 0 {
		v += n
	}
	return min(max(v, 0), n)
}

// concat joins along an axis.
type concat struct{ axis, outer int }

func (c *concat) prepare(s *step) error {
	c.axis = fromFront(graph.Attribute(s.out.part.node, "axis", int64(0)), len(s.out.shape))
	c.outer = product(s.out.shape[:c.axis])
	total := 0
	for _, x := range s.in {
		total += x.shape[c.axis]
	}
	if total != s.out.shape[c.axis] {
		return fmt.Errorf("the operands are %d long along axis %d, want %d", total, c.axis, s.out.shape[c.axis])
	}
	return nil
}

func (c *concat) run(s *step) error {
	switch s.out.kind() {
	case floats:
		join(c, s, floatsOf)
	case integers:
		join(c, s, intsOf)
	case truths:
		join(c, s, boolsOf)
	case bytes:
		join(c, s, bytesOf)
	case signedBytes:
		join(c, s, signedBytesOf)
	case words:
		join(c, s, wordsOf)
	}
	return nil
}

func join[T any](c *concat, s *step, elements func(*value) []T) {
	out := elements(s.out)
	for o := range c.outer {
		for _, x := range s.in {
			n := x.size / c.outer
			copy(out, elements(x)[o*n:(o+1)*n])
			out = out[n:]
		}
	}
}

// shapeOf gives lengths of axes.
type shapeOf struct{}

func (shapeOf) prepare(*step) error { return nil }

func (shapeOf) run(s *step) error {
	start := int(graph.Attribute(s.out.part.node, "start", int64(0)))
	for i := range s.out.i {
		s.out.i[i] = int64(s.in[0].shape[start+i])
	}
	return nil
}

// count is Range in steps of 1.
type count struct{}

func (count) prepare(*step) error { return nil }

func (count) run(s *step) error {
	start, end := s.in[0].i[0], s.in[1].i[0]
	if n := max(0, end-start); n != int64(s.out.size) {
		return fmt.Errorf("from %d to %d are %d numbers, want %d", start, end, n, s.out.size)
	}
	for i := range s.out.i {
		s.out.i[i] = start + int64(i)
	}
	return nil
}
