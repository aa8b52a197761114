package graph

import (
	"fmt"
	"maps"
	"slices"
)

// attribute is what an operator's row says of the value of an attribute.
type attribute struct {
	kind     string // the type of the value, as Attr has it
	required bool
	flag     bool // an integer that is 0 or 1
}

type attributes map[string]attribute

// The attributes that may be left out, for what ONNX says then.
var (
	integer  = attribute{kind: "int64"}
	integers = attribute{kind: "[]int64"}
	flag     = attribute{kind: "int64", flag: true}
	number   = attribute{kind: "float32"}
	word     = attribute{kind: "string"}
)

// needed is the attribute, which cannot be left out.
func (a attribute) needed() attribute {
	a.required = true
	return a
}

// checkAttributes compares a node's attributes with its operator's row: what a rule or a kernel reads is there, of
// the type that it reads and within its range. What remains for the rules is what follows from the inputs.
func (n *Node) checkAttributes(known attributes) error {
	missing := maps.Clone(known)
	for _, a := range n.Attrs {
		want, ok := known[a.Name]
		if !ok {
			return n.errorf("has the unknown attribute %s", a.Name)
		}
		if kind := fmt.Sprintf("%T", a.Value); kind != want.kind {
			return n.errorf("has %s %v of type %s, want %s", a.Name, a.Value, kind, want.kind)
		}
		if v, _ := a.Value.(int64); want.flag && v != 0 && v != 1 {
			return n.errorf("has %s %d, want 0 or 1", a.Name, v)
		}
		delete(missing, a.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(missing)) {
		if missing[name].required {
			return n.errorf("lacks the attribute %s", name)
		}
	}
	return nil
}
