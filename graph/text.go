package graph

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/nopezoo/zoo/graph/tensor"
)

// String prints the graph, one value a line. The text is the same on every
// machine, and two graphs with equal text are equal in operators, attributes,
// edges, constants, and types of inputs, parameters and outputs.
func (g *Graph) String() string {
	var s strings.Builder
	names := map[*Node]string{}
	for _, n := range g.Inputs {
		names[n] = n.Name
		fmt.Fprintf(&s, "input %s : %s\n", n.Name, n.Type())
	}
	for _, n := range g.Params {
		names[n] = n.Name
		fmt.Fprintf(&s, "param %s : %s\n", n.Name, n.Type())
	}
	k := 0
	for _, n := range g.Nodes {
		switch n.Op {
		case OpInput, OpParam:
			continue
		case OpConstant:
			names[n] = constText(n.Value)
			continue
		}
		names[n] = fmt.Sprintf("%%%d", k)
		k++
		fmt.Fprintf(&s, "%s = %s(", names[n], n.Op)
		for i, in := range n.Inputs {
			if i > 0 {
				s.WriteString(", ")
			}
			s.WriteString(names[in])
		}
		s.WriteString(")")
		for i, a := range n.Attrs {
			sep := ", "
			if i == 0 {
				sep = " {"
			}
			fmt.Fprintf(&s, "%s%s=%v", sep, a.Name, a.Value)
		}
		if len(n.Attrs) > 0 {
			s.WriteString("}")
		}
		fmt.Fprintf(&s, " : %s\n", n.Type())
	}
	for _, o := range g.Outputs {
		fmt.Fprintf(&s, "output %s = %s : %s\n", o.Name, names[o.Node], o.Node.Type())
	}
	return s.String()
}

// constText prints up to eight elements, and a hash of more.
func constText(t *tensor.Tensor) string {
	if t.Len() > 8 {
		h := sha256.New()
		hashTensor(h, t)
		return fmt.Sprintf("const(%v #%x)", t, h.Sum(nil)[:8])
	}
	var v any
	switch t.DType() {
	case tensor.Float32:
		v = tensor.Data[float32](t)
	case tensor.Int64:
		v = tensor.Data[int64](t)
	case tensor.Bool:
		v = tensor.Data[bool](t)
	case tensor.Int8, tensor.Int4:
		v = tensor.Data[int8](t.As(tensor.Int8))
	case tensor.Uint8:
		v = tensor.Data[uint8](t)
	case tensor.Int32:
		v = tensor.Data[int32](t)
	case tensor.Float16, tensor.BFloat16:
		v = tensor.Data[float32](t.As(tensor.Float32))
	}
	text := strings.ReplaceAll(fmt.Sprint(v), " ", ",")
	if len(t.Shape()) != 1 {
		return fmt.Sprintf("const(%v %s)", t, text)
	}
	return fmt.Sprintf("%v%s", t.DType(), text)
}
