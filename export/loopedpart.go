package export

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/onnxpb"
)

// part is a graph that gets nodes: the file's, or the body of the Loop.
type part struct {
	*looped
	graph  *onnxpb.GraphProto
	prefix string
}

// add adds a node with one output, and returns its name.
func (o part) add(name, op string, inputs []string, attributes ...*onnxpb.AttributeProto) string {
	return o.named(o.prefix+name, name, op, inputs, attributes...)
}

// named is add with another name for the output than for the node.
func (o part) named(output, name, op string, inputs []string, attributes ...*onnxpb.AttributeProto) string {
	o.graph.Node = append(o.graph.Node, &onnxpb.NodeProto{
		OpType: op, Name: o.prefix + name, Input: inputs, Output: list(output), Attribute: attributes,
	})
	return output
}

// scalarOf is the one element of a vector, without axes.
func (o part) scalarOf(name, vector string) string {
	return o.add(name, "Squeeze", list(vector, o.vector(0)))
}

// sum is the sum of x along an axis, which keeps the length 1.
func (o part) sum(name, x string, axis int64) string {
	return o.add(name, "ReduceSum", list(x, o.vector(axis)))
}

// open is which tokens are no end tokens.
func (o part) open(name string, ids string) string {
	return o.add(name, "Not", list(o.add(name+"/end", "Equal", list(ids, o.vector(o.end)))))
}

// going is whether any row goes on after tokens [B,1]; bool without axes.
func (o part) going(ids string) string {
	open := o.add("open", "Cast", list(o.open("open/bool", ids)), toInt64)
	most := o.add("any", "ReduceMax", list(open), attribute("keepdims", 0))
	return o.add("more/any", "Cast", list(most), attribute("to", int64(tensor.Bool.ONNX())))
}

// columns numbers the slots that a mask covers: those so far, or the capacity of states in place.
func (o part) columns(slots, room string) string {
	if o.placed {
		slots = o.scalarOf("capacity/scalar", room)
	}
	return o.add("columns", "Range", list(o.scalar(0), slots, o.scalar(1)))
}

// mask is 0 on the columns of padding.
func (o part) mask(prefix, columns, pads string) {
	real := o.add("mask/real", "GreaterOrEqual", list(columns, pads))
	o.named(prefix+card.AttentionMask.Name, "mask", "Cast", list(real), toInt64)
}

// initial makes a state before the first token, of so many rows, and with that room in place.
func (o part) initial(s card.State, rows, room string) {
	shape := []string{}
	for i, axis := range s.Shape {
		switch n, _ := strconv.ParseInt(axis, 10, 64); {
		case axis == card.Batch:
			shape = append(shape, rows)
		case s.Kind == card.InPlace && i == s.Axis:
			shape = append(shape, room)
		case s.Slotted() && i == s.Axis:
			shape = append(shape, o.vector(0))
		default:
			shape = append(shape, o.vector(n))
		}
	}
	initial := tensor.Of([]float32{float32(s.Initial)}, 1)
	value := tensorProto("", initial)
	o.named(inPrompt+s.Past, s.Past, "ConstantOfShape", list(o.add(s.Past+"/shape", "Concat", shape, attribute("axis", 0))),
		&onnxpb.AttributeProto{Name: "value", Type: onnxpb.AttributeTensor, T: value})
}

// run runs the model, on values behind a prefix, and returns the most probable tokens [B,1].
func (o part) run(prefix string) string {
	o.named(prefix+card.LogitsToKeep.Name, "keep", "Identity", list(o.vector(1)))
	o.inline(prefix)
	return o.add("best", "ArgMax", list(prefix+card.Logits.Name), attribute("axis", 2), attribute("keepdims", 0))
}

// inline adds the nodes of the model's graph, whose values have their names behind a prefix;
// weights and constants keep theirs.
func (o part) inline(prefix string) {
	stored := map[string]bool{}
	for _, t := range o.step.Initializer {
		stored[t.Name] = true
	}
	prefixed := func(names []string) []string {
		out := slices.Clone(names)
		for i, name := range out {
			if !stored[name] {
				out[i] = prefix + name
			}
		}
		return out
	}
	for _, n := range o.step.Node {
		o.graph.Node = append(o.graph.Node, &onnxpb.NodeProto{
			OpType: n.OpType, Name: prefix + n.Name, Attribute: n.Attribute,
			Input: prefixed(n.Input), Output: prefixed(n.Output),
		})
	}
}

// vector names a constant int64 [n], n > 0.
func (a *looped) vector(values ...int64) string {
	return a.constant(fmt.Sprint(values), tensor.Of(values, len(values)))
}

// scalar names a constant int64 without axes.
func (a *looped) scalar(v int64) string { return a.constant(fmt.Sprint(v), tensor.Of([]int64{v})) }

func (a *looped) constant(name string, t *tensor.Tensor) string {
	name = inAnswer + name
	if !a.stored[name] {
		a.stored[name] = true
		a.file.Initializer = append(a.file.Initializer, tensorProto(name, t))
	}
	return name
}

var toInt64 = attribute("to", int64(tensor.Int64.ONNX()))

func attribute(name string, value int64) *onnxpb.AttributeProto {
	return &onnxpb.AttributeProto{Name: name, Type: onnxpb.AttributeInt, I: &value}
}

func list(names ...string) []string { return names }

// declaredPort declares an input or output as package card describes it.
func declaredPort(p card.Port) *onnxpb.ValueInfoProto {
	types := map[string]tensor.DType{card.Int64: tensor.Int64, card.Float32: tensor.Float32}
	return declared(p.Name, types[p.DType], p.Shape...)
}

// declared declares an input or output, whose axes are lengths and names.
func declared(name string, dtype tensor.DType, axes ...string) *onnxpb.ValueInfoProto {
	return onnxpb.NewValueInfo(name, dtype.ONNX(), axes...)
}
