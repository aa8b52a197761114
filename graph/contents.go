package graph

import (
	"slices"

	"github.com/nopezoo/zoo/graph/tensor"
)

// maxContents bounds the contents that are followed through operators that pick, repeat, choose or calculate: what
// shapes are computed from is short.
const maxContents = 16

// contents returns what is known of the contents of an integer value of one axis or none: lengths, from which
// shapes are computed. nil: nothing.
func (n *Node) contents(o operator) []Dim {
	if n.DType != tensor.Int64 || n.rank() > 1 {
		return nil
	}
	x := n.Inputs[0]
	if o.sharesInput {
		return x.dims
	}
	switch n.Op {
	case "Cast":
		return x.dims
	case "Neg":
		return each(x.dims, x.dims, func(_, d Dim) (Dim, bool) { return N(0).sub(d), true })
	case "Mul":
		return each(x.dims, n.Inputs[1].dims, func(x, y Dim) (Dim, bool) { return x.Mul(y), true })
	case "Add", "Sub", "Div":
		if y := n.Inputs[1].dims; len(x.dims) == 1 && len(y) == 1 {
			return each(x.dims, y, lengthArithmetic[n.Op])
		}
	case "Shape":
		start, end := shapeRange(n)
		return slices.Clone(x.Shape[start:end])
	case "Concat":
		return joined(n.Inputs)
	case "Gather":
		return n.picked()
	case "Slice":
		return n.sliced()
	case "Expand":
		return n.repeated()
	case "Where":
		return n.chosen()
	}
	return nil
}

// lengthArithmetic is arithmetic over lengths. Div has a result where the division leaves no rest.
var lengthArithmetic = map[string]func(x, y Dim) (Dim, bool){
	"Add": func(x, y Dim) (Dim, bool) { return x.Add(y), true },
	"Sub": func(x, y Dim) (Dim, bool) { return x.sub(y), true },
	"Div": quotient,
}

// quotient divides as integers are divided, towards zero, where that is known.
func quotient(x, y Dim) (Dim, bool) {
	if a, literal := x.Int(); literal {
		if b, literal := y.Int(); literal && b != 0 {
			return N(a / b), true
		}
	}
	if y.is(0) {
		return Dim{}, false
	}
	return x.div(y)
}

// each returns f of every two elements; one element goes with all.
func each(x, y []Dim, f func(x, y Dim) (Dim, bool)) []Dim {
	count := max(len(x), len(y))
	if x == nil || y == nil || len(x) != count && len(x) != 1 || len(y) != count && len(y) != 1 || count > maxContents {
		return nil
	}
	out := make([]Dim, count)
	for i := range out {
		var ok bool
		if out[i], ok = f(x[i%len(x)], y[i%len(y)]); !ok {
			return nil
		}
	}
	return out
}

func joined(parts []*Node) []Dim {
	all := []Dim{}
	for _, p := range parts {
		if p.dims == nil {
			return nil
		}
		all = append(all, p.dims...)
	}
	return all
}

func (n *Node) picked() []Dim {
	x := n.Inputs[0].dims
	at, known := n.Inputs[1].knownInts()
	if !known || n.Inputs[0].rank() != 1 || max(len(x), len(at)) > maxContents {
		return nil
	}
	out := make([]Dim, len(at))
	for k, i := range at {
		if i < 0 {
			i += int64(len(x))
		}
		if i < 0 || i >= int64(len(x)) {
			return nil
		}
		out[k] = x[i]
	}
	return out
}

func (n *Node) sliced() []Dim {
	_, start, end, err := n.sliceEnds()
	from, known := start.Int()
	to, too := end.Int()
	if x := n.Inputs[0].dims; err == nil && known && too && x != nil && from >= 0 && to <= len(x) {
		return slices.Clone(x[min(from, to):to])
	}
	return nil
}

func (n *Node) repeated() []Dim {
	x := n.Inputs[0].dims
	if n.rank() == 0 || len(x) != 1 {
		return slices.Clone(x)
	}
	if count, known := n.Shape[0].Int(); known && count <= maxContents {
		return slices.Repeat(x, count)
	}
	return nil
}

// chosen is Where over the comparison of lengths, which tells a shape's −1 from lengths.
func (n *Node) chosen() []Dim {
	condition := n.Inputs[0]
	if condition.Op != "Equal" {
		return nil
	}
	which := each(condition.Inputs[0].dims, condition.Inputs[1].dims, func(x, y Dim) (Dim, bool) {
		if x == y {
			return N(1), true
		}
		return N(0), x.differs(y)
	})
	x := each(which, n.Inputs[1].dims, func(_, d Dim) (Dim, bool) { return d, true })
	y := each(which, n.Inputs[2].dims, func(_, d Dim) (Dim, bool) { return d, true })
	if x == nil || y == nil || len(x) != len(y) {
		return nil
	}
	out := make([]Dim, len(x))
	for i := range out {
		if out[i] = y[i]; which[i%len(which)].is(1) {
			out[i] = x[i]
		}
	}
	return out
}

// differs reports whether two lengths are never equal: their difference holds a number other than 0, and all else in it
// has the same sign. Names stand for lengths, which are not negative.
func (d Dim) differs(e Dim) bool {
	above, below, apart := true, true, false
	for _, m := range d.sub(e).poly() {
		above, below = above && m.coef > 0, below && m.coef < 0
		apart = apart || len(m.names) == 0
	}
	return apart && (above || below)
}
