package export

import (
	"fmt"
	"io"
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/onnxpb"
)

// WriteSequence writes a one-step recurrent graph as a model of whole sequences:
// the step becomes the body of an ONNX Scan over the second axis. Every input but
// the state must be [batch, 1] and becomes [batch, seq]; the one output beside
// the state must be [batch, 1, …] and becomes [batch, seq, …]. The state is that
// before the first and after the last step.
//
// Such a file is for ONNX Runtime: Read refuses it, since graphs here are flat.
// Package safety lets it pass where its card declares the state.
func WriteSequence(
	w io.Writer, g *graph.Graph, weights map[string]*tensor.Tensor, state card.State, opt Options,
) error {
	m, err := newModel(g, weights, opt)
	if err == nil {
		err = intoScan(m.Graph, g, state)
	}
	if err == nil {
		err = put(w, m, opt.Metadata, safety.Options{ControlFlow: true})
	}
	if err != nil {
		return fmt.Errorf("export: write sequence: %w", err)
	}
	return nil
}

const (
	inStep = "step/" // before names in the body: a subgraph may not reuse outer names
	row    = "/row"  // behind names of one row of the sequence, which lacks its axis
	// sequenceAxis names the constant 1, the axis that is scanned.
	sequenceAxis = constPrefix + "sequence"
)

// intoScan turns the flat one-step graph into a Scan over it. Initializers stay
// outside, where the body sees them.
func intoScan(p *onnxpb.GraphProto, g *graph.Graph, state card.State) error {
	if g.Input(state.Past) == nil || g.Output(state.Present) == nil || len(p.Output) != 2 {
		return fmt.Errorf("the graph must have the state %s and %s and one output beside it", state.Past, state.Present)
	}
	past, inputs := apart(p.Input, state.Past)
	present, outputs := apart(p.Output, state.Present)
	body := &onnxpb.GraphProto{Name: "step", Input: []*onnxpb.ValueInfoProto{renamed(past, inStep+state.Past)}}
	scan := &onnxpb.NodeProto{
		OpType: "Scan", Name: "/Scan", Input: []string{state.Past}, Output: []string{state.Present, outputs[0].Name},
	}
	var axes []int64 // of the inputs, each along its axis 1
	for _, in := range inputs {
		if len(in.Type.TensorType.Shape.Dim) != 2 {
			return fmt.Errorf("input %s must be [batch, 1]", in.Name)
		}
		if err := addRow(body, "Unsqueeze", in); err != nil {
			return fmt.Errorf("input %w", err)
		}
		scan.Input, axes = append(scan.Input, in.Name), append(axes, 1)
	}
	inline(body, p, inStep, storedIn(p))
	body.Output = []*onnxpb.ValueInfoProto{renamed(present, inStep+state.Present)}
	if err := addRow(body, "Squeeze", outputs[0]); err != nil {
		return fmt.Errorf("output %w", err)
	}
	scan.Attribute = []*onnxpb.AttributeProto{
		{Name: "body", Type: onnxpb.AttributeProto_GRAPH, G: body},
		{Name: "num_scan_inputs", Type: onnxpb.AttributeProto_INT, I: proto.Int64(int64(len(axes)))},
		{Name: "scan_input_axes", Type: onnxpb.AttributeProto_INTS, Ints: axes},
		{Name: "scan_output_axes", Type: onnxpb.AttributeProto_INTS, Ints: []int64{1}},
	}
	p.Node = []*onnxpb.NodeProto{scan}
	p.Initializer = append(p.Initializer, tensorProto(sequenceAxis, tensor.Of([]int64{1}, 1)))
	return nil
}

// apart takes the value with the given name out of a list.
func apart(list []*onnxpb.ValueInfoProto, name string) (one *onnxpb.ValueInfoProto, others []*onnxpb.ValueInfoProto) {
	for _, v := range list {
		if v.Name == name {
			one = v
		} else {
			others = append(others, v)
		}
	}
	return one, others
}

// addRow gives the body a row of the sequence v: as an input, to which op Unsqueeze
// adds the axis that a step expects, or as an output, from which op Squeeze takes it.
// v, [batch, 1, …], becomes the whole sequence [batch, seq, …].
func addRow(body *onnxpb.GraphProto, op string, v *onnxpb.ValueInfoProto) error {
	axes := v.Type.TensorType.Shape.Dim
	if len(axes) < 2 || axes[1].GetDimValue() != 1 {
		return fmt.Errorf("%s must be [batch, 1, …]", v.Name)
	}
	one := renamed(v, inStep+v.Name+row)
	one.Type.TensorType.Shape.Dim = slices.Delete(slices.Clone(axes), 1, 2)
	axes[1] = &onnxpb.TensorShapeProto_Dimension{Value: &onnxpb.TensorShapeProto_Dimension_DimParam{DimParam: card.Seq}}
	n := &onnxpb.NodeProto{OpType: op, Name: one.Name}
	if op == "Unsqueeze" {
		n.Input, n.Output = []string{one.Name, sequenceAxis}, []string{inStep + v.Name}
		body.Input = append(body.Input, one)
	} else {
		n.Input, n.Output = []string{inStep + v.Name, sequenceAxis}, []string{one.Name}
		body.Output = append(body.Output, one)
	}
	body.Node = append(body.Node, n)
	return nil
}

// storedIn lists the weights and constants of a graph, which keep their names where it is
// copied.
func storedIn(g *onnxpb.GraphProto) map[string]string {
	names := map[string]string{}
	for _, t := range g.Initializer {
		names[t.Name] = t.Name
	}
	return names
}

// inline copies the nodes of a graph into another, where its values have the given names,
// and those that are not listed their own behind a prefix.
func inline(into, g *onnxpb.GraphProto, prefix string, names map[string]string) {
	inner := func(values []string) []string {
		out := slices.Clone(values)
		for i, v := range out {
			if name, ok := names[v]; ok {
				out[i] = name
			} else {
				out[i] = prefix + v
			}
		}
		return out
	}
	for _, n := range g.Node {
		into.Node = append(into.Node, &onnxpb.NodeProto{
			OpType: n.OpType, Name: prefix + n.Name, Attribute: n.Attribute,
			Input: inner(n.Input), Output: inner(n.Output),
		})
	}
}

// renamed is a copy of a value's description under another name.
func renamed(v *onnxpb.ValueInfoProto, name string) *onnxpb.ValueInfoProto {
	c := proto.Clone(v).(*onnxpb.ValueInfoProto)
	c.Name = name
	return c
}
