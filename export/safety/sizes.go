package safety

import (
	"fmt"
	"math"
	"slices"

	"github.com/nopezoo/zoo/internal/onnxpb"
)

// A small file can ask for any amount of memory: each Concat of a value with itself doubles it. What the shapes
// that a file states say of that is bounded here, each axis of no fixed length taken for 1. What grows with the
// number of tokens, and what depends on computed shapes, is not known before a run.
const (
	// mostMade bounds the elements of values that are alive at once, in a file that stores none.
	mostMade = 1 << 28
	// mostGrowth is how many elements more each stored element allows, as unpacked or transposed weights take.
	mostGrowth = 16
)

// size is how large a value is at least.
type size struct {
	dims  []int64 // nil where they are not known
	count int64   // elements
}

// unknown is the size of a value of which nothing is known.
var unknown = size{count: 1}

// shaped returns the size of a value with such axes; lengths below 0 are not known.
func shaped(dims []int64) size {
	s := size{dims: make([]int64, len(dims)), count: 1}
	for i, d := range dims {
		if s.dims[i] = d; d < 0 {
			s.dims[i] = 1
		}
		s.count = times(s.count, s.dims[i])
	}
	return s
}

// times multiplies, and plus adds, two numbers that are not negative, up to the greatest one.
func times(a, b int64) int64 {
	if a != 0 && b > math.MaxInt64/a {
		return math.MaxInt64
	}
	return a * b
}

func plus(a, b int64) int64 {
	if b > math.MaxInt64-a {
		return math.MaxInt64
	}
	return a + b
}

// stored counts the elements that a graph stores, as far as they are counted here.
func stored(g *onnxpb.GraphProto) (n int64) {
	for _, t := range g.Initializer {
		n = plus(n, shaped(t.Dims).count)
	}
	for _, node := range g.Node {
		for _, a := range node.Attribute {
			if a.T != nil {
				n = plus(n, shaped(a.T.Dims).count)
			}
			if a.G != nil {
				n = plus(n, stored(a.G))
			}
		}
	}
	return n
}

// uses has of each value the last node of a graph that needs it; one more than there are for what the graph
// returns. Graphs within a node need what they name.
func uses(g *onnxpb.GraphProto) map[string]int {
	last := map[string]int{}
	var note func(n *onnxpb.NodeProto, at int)
	note = func(n *onnxpb.NodeProto, at int) {
		for _, name := range n.Input {
			last[name] = at
		}
		for _, a := range n.Attribute {
			if a.G == nil {
				continue
			}
			for _, inner := range a.G.Node {
				note(inner, at)
			}
			for _, out := range a.G.Output {
				last[out.Name] = at
			}
		}
	}
	for i, n := range g.Node {
		note(n, i)
	}
	for _, out := range g.Output {
		last[out.Name] = len(g.Node)
	}
	return last
}

// sizeOf returns the size of a value that has been defined.
func (s *scope) sizeOf(name string) size {
	for ; s != nil; s = s.outer {
		if known, ok := s.sizes[name]; ok {
			return known
		}
	}
	return unknown
}

// measure counts what a node makes, and what is not needed any more after it.
func (v *validator) measure(n *onnxpb.NodeProto, at int, s *scope) error {
	for i, out := range n.Output {
		if out == "" {
			continue
		}
		made := unknown
		if rule := sizeRules[n.OpType]; rule != nil && i == 0 && onnxpb.DefaultDomain(n.Domain) {
			made = rule(sizing{n, s})
		}
		s.sizes[out] = made
		if v.live = plus(v.live, made.count); v.live > v.most {
			return fmt.Errorf("up to here the file needs %d elements in memory at once, with 1 for each axis of no fixed length; "+
				"supported are %d, and only Options.Unvalidated (--allow unvalidated) lets more pass", v.live, v.most)
		}
	}
	for _, name := range append(slices.Compact(slices.Sorted(slices.Values(n.Input))), n.Output...) {
		if last, needed := s.last[name]; name != "" && s.made[name] && (!needed || last == at) {
			v.live -= s.sizes[name].count
		}
	}
	return nil
}

// sizing is a node whose value's size is asked for.
type sizing struct {
	*onnxpb.NodeProto
	s *scope
}

func (c sizing) in(i int) size {
	if i >= len(c.Input) {
		return unknown
	}
	return c.s.sizeOf(c.Input[i])
}

// constants returns the integers of an input that is a constant list of them.
func (c sizing) constants(i int) ([]int64, bool) {
	if i >= len(c.Input) {
		return nil, false
	}
	return integers(c.s.constant(c.Input[i]))
}

// number returns an integer attribute, 0 where there is none.
func (c sizing) number(name string) int64 {
	for _, a := range c.Attribute {
		if a.Name == name && a.I != nil {
			return *a.I
		}
	}
	return 0
}

// list returns an attribute that is a list of integers, nil for none.
func (c sizing) list(name string) []int64 {
	for _, a := range c.Attribute {
		if a.Name == name {
			return a.Ints
		}
	}
	return nil
}

// axis returns an axis counted from the front, and whether a value of that rank has it.
func axis(a int64, rank int) (int, bool) {
	if a < 0 {
		a += int64(rank)
	}
	return int(a), a >= 0 && a < int64(rank)
}
