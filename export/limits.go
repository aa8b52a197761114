package export

import (
	"fmt"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
)

// The shape rules multiply out axis expressions, so a small hostile file (a
// chain of squarings, say) could ask for expressions of astronomical size. The
// reader therefore bounds their text before each node, and their sum over a file.
const (
	maxExpr  = 1 << 12 // bytes of one axis expression
	maxText  = 1 << 20 // bytes of the shapes of one node's inputs
	maxWork  = 1 << 26 // bytes of all products of axis expressions in a file
	maxKnown = 1 << 19 // axis lengths that a file's nodes hold as known contents

	// Elements of a value whose shape the file computes, in a file of no bytes, and more for each byte. Of shapes that
	// are stated the safety validation has bounded all that are alive at once.
	maxMade, maxGrowth = 1 << 28, 16
)

// contents estimates, from above, the contents of a value where the shape rules
// keep them as axis expressions.
type contents struct {
	count   int // expressions
	bytes   int // of their text
	terms   int // of their product
	longest int // bytes of the text of one
}

type costs struct {
	known map[*graph.Node]contents
	work  int
	held  int
}

// checkShape refuses lengths that no tensor can have, and monstrous expressions.
func checkShape(shape []graph.Dim) error {
	for i, d := range shape {
		if n, literal := d.Int(); literal && (n < 0 || n > maxFile) {
			return fmt.Errorf("axis %d has the length %d", i, n)
		}
		if len(d.String()) > maxExpr {
			return fmt.Errorf("axis %d is an expression of %d bytes; supported are %d", i, len(d.String()), maxExpr)
		}
	}
	if len(shape) > maxRank {
		return fmt.Errorf("a value has %d axes; supported are %d", len(shape), maxRank)
	}
	return nil
}

func ofShape(shape []graph.Dim) contents {
	c := contents{count: len(shape), terms: 1}
	for _, d := range shape {
		terms := 1
		for _, r := range d.String() {
			if r == '+' {
				terms++
			}
		}
		c.bytes, c.longest = c.bytes+len(d.String()), max(c.longest, len(d.String()))
		c.terms = product(c.terms, terms)
	}
	return c
}

// product saturates far above every limit.
func product(a, b int) int {
	if a != 0 && b > maxWork/a {
		return maxWork + 1
	}
	return a * b
}

// constant notes a constant that the shape rules can look into.
func (c *costs) constant(n *graph.Node) {
	if n.DType == tensor.Int64 && len(n.Shape) <= 1 {
		count := n.Value.Len()
		c.known[n] = contents{count: count, longest: 20, bytes: 20 * count, terms: 1}
	}
}

// before refuses a node whose shape rule would be too expensive, and estimates
// its contents.
func (c *costs) before(op string, inputs []*graph.Node, attrs []graph.Attr) error {
	if err := c.checkInputs(op, inputs, attrs); err != nil {
		return err
	}
	k := c.contents(op, inputs)
	if k.longest > maxExpr {
		return fmt.Errorf("the axis expression it computes is too large")
	}
	if c.held += k.count; c.held > maxKnown {
		return fmt.Errorf("the graph's shape arithmetic is too large")
	}
	if op == "Reshape" && len(inputs) == 2 {
		from, to := ofShape(inputs[0].Shape), c.in(inputs[1])
		c.work += product(from.terms, from.bytes) + product(to.terms, to.bytes)
	}
	if c.work += product(k.terms, k.bytes); c.work > maxWork {
		return fmt.Errorf("the graph's shape arithmetic is too large")
	}
	return nil
}

// checkInputs bounds what the rule of a single node has to look at.
func (c *costs) checkInputs(op string, inputs []*graph.Node, attrs []graph.Attr) error {
	text := 0
	for _, in := range inputs {
		text += ofShape(in.Shape).bytes
	}
	if text > maxText {
		return fmt.Errorf("the shapes of its inputs take %d bytes; supported are %d", text, maxText)
	}
	switch op {
	case "Concat":
		return checkConcat(inputs, attrs)
	case "Reshape", "Expand", "Squeeze", "Unsqueeze", "ReduceSum", "ReduceMean", "ReduceMax":
		if len(inputs) > 1 && c.in(inputs[1]).count > maxRank {
			return fmt.Errorf("it names %d axes; supported are %d", c.in(inputs[1]).count, maxRank)
		}
	}
	return nil
}

// checkConcat bounds the sum that becomes the joined axis.
func checkConcat(inputs []*graph.Node, attrs []graph.Attr) error {
	axis := 0
	for _, a := range attrs {
		if v, ok := a.Value.(int64); ok && a.Name == "axis" && v >= -maxRank && v < maxRank {
			axis = int(v)
		}
	}
	sum := 0
	for _, in := range inputs {
		if d := in.Dim(axis); !isLiteral(d) {
			sum += len(d.String())
		}
	}
	if sum > maxExpr {
		return fmt.Errorf("the joined axis is a sum of %d bytes; supported are %d", sum, maxExpr)
	}
	return nil
}

func isLiteral(d graph.Dim) bool { _, ok := d.Int(); return ok }

// in returns the contents of an input, the axis an int64 input of shape [1]
// stands for included.
func (c *costs) in(n *graph.Node) contents {
	if n.Op == graph.OpInput && n.DType == tensor.Int64 && len(n.Shape) == 1 && n.Shape[0] == graph.N(1) {
		return contents{count: 1, longest: len(n.Name), bytes: len(n.Name), terms: 1}
	}
	return c.known[n]
}

// contents follows the shape rules that keep contents.
func (c *costs) contents(op string, inputs []*graph.Node) contents {
	if len(inputs) == 0 {
		return contents{}
	}
	x := c.in(inputs[0])
	if graph.SharesInput(op) {
		return x
	}
	y := c.in(inputs[len(inputs)-1])
	switch op {
	case "Shape":
		return ofShape(inputs[0].Shape)
	case "Cast", "Slice":
		return x
	case "Neg": // a factor of −1 for each term
		return contents{x.count, x.bytes + 3*x.terms*x.count, x.terms, x.longest + 3*x.terms}
	case "Concat":
		for _, in := range inputs[1:] {
			y := c.in(in)
			x = contents{x.count + y.count, x.bytes + y.bytes, product(x.terms, y.terms), max(x.longest, y.longest)}
		}
		return x
	case "Gather":
		return x.repeated(y.count)
	case "Expand":
		return x.repeated(maxRank) // or less, or not kept: after corrects it
	case "Where":
		z := c.in(inputs[1])
		n := max(y.count, z.count)
		return few(y.count > 0 && z.count > 0, contents{n, 0, product(y.all(n), z.all(n)), max(y.longest, z.longest)})
	case "Mul":
		n := max(x.count, y.count)
		return few(x.count > 0 && y.count > 0, contents{n, 0, product(x.all(n), y.all(n)), product(x.longest+1, y.longest+1)})
	case "Add", "Sub", "Div":
		if x.count == 1 && y.count == 1 {
			return few(true, contents{1, 0, x.terms + y.terms, x.longest + 4 + y.longest + 3*y.terms})
		}
	}
	return contents{}
}

// few has contents that the rules keep only of values that all have some, and few.
func few(all bool, k contents) contents {
	if !all || k.count > maxRank {
		return contents{}
	}
	k.bytes = product(k.count, k.longest)
	return k
}

// repeated has n of a value's contents, each of which may be any of them.
func (x contents) repeated(n int) contents {
	return few(x.count > 0 && x.count <= maxRank, contents{max(x.count, n), 0, x.all(n), x.longest})
}

// all bounds the terms of the product of n contents, if each may be any of x.
func (x contents) all(n int) int {
	if x.count == n {
		return x.terms
	}
	terms := 1
	for range min(n, maxRank) {
		terms = product(terms, x.terms)
	}
	return terms
}

// flatten refuses to multiply out a shape that would become too large.
func (c *costs) flatten(shape []graph.Dim) error {
	k := ofShape(shape)
	size := product(k.terms, k.bytes)
	if c.work += size; size > maxExpr || c.work > maxWork {
		return fmt.Errorf("the axis expressions that it computes are too large")
	}
	return nil
}

// after keeps the estimate for a node and checks its shape.
func (c *costs) after(n *graph.Node) error {
	if k := c.contents(n.Op, n.Inputs); k.count > 0 && n.DType == tensor.Int64 && len(n.Shape) <= 1 {
		count, literal := 1, true
		if len(n.Shape) == 1 {
			count, literal = n.Shape[0].Int()
		}
		if literal && count <= k.count {
			k.count, k.bytes = count, min(k.bytes, product(count, k.longest))
		}
		c.known[n] = k
	}
	return checkShape(n.Shape)
}
