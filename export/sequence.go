package export

import (
	"fmt"
	"io"
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/export/internal/onnxpb"
	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
)

// WriteSequence writes a one-step recurrent graph as a model of whole sequences:
// the step becomes the body of an ONNX Scan over the second axis. Every input but
// the state must be [batch, 1] and becomes [batch, seq]; the one output beside
// the state must be [batch, 1, …] and becomes [batch, seq, …]. The state is that
// before the first and after the last step.
//
// Such a file is for ONNX Runtime: Read refuses it, since graphs here are flat.
// Package safety lets it pass where its card declares the state.
func WriteSequence(w io.Writer, g *graph.Graph, weights map[string]*tensor.Tensor, state card.State, opt Options) error {
	m, err := newModel(g, weights, opt)
	if err == nil {
		err = intoScan(m.Graph, g, state)
	}
	if err == nil {
		err = safety.Validate(m, safety.Options{ControlFlow: true})
	}
	if err != nil {
		return fmt.Errorf("export: write sequence: %w", err)
	}
	data, err := marshal(m)
	if err != nil {
		return fmt.Errorf("export: write sequence: %w", err)
	}
	if _, err := w.Write(data); err != nil {
		return fmt.Errorf("export: write sequence: %w", err)
	}
	return nil
}

// Names within the body carry a prefix: a subgraph may not reuse outer names.
const inStep = "step/"

// intoScan turns the flat one-step graph into a Scan over it. Initializers stay
// outside, where the body sees them.
func intoScan(p *onnxpb.GraphProto, g *graph.Graph, s card.State) error {
	if g.Input(s.Past) == nil || g.Output(s.Present) == nil || len(p.Output) != 2 {
		return fmt.Errorf("the graph must have the state %s and %s and one output beside it", s.Past, s.Present)
	}
	body := &onnxpb.GraphProto{Name: "step"}
	outer := map[string]bool{}
	for _, t := range p.Initializer {
		outer[t.Name] = true
	}
	inner := func(names []string) []string {
		out := slices.Clone(names)
		for i, n := range out {
			if !outer[n] {
				out[i] = inStep + n
			}
		}
		return out
	}
	seqAxis := &onnxpb.TensorShapeProto_Dimension{Value: &onnxpb.TensorShapeProto_Dimension_DimParam{DimParam: card.Seq}}
	const axisName = constPrefix + "sequence"
	p.Initializer = append(p.Initializer, &onnxpb.TensorProto{Name: axisName, DataType: int32(graph.ONNXType(tensor.Int64)), Dims: []int64{1}, RawData: []byte{1, 0, 0, 0, 0, 0, 0, 0}})

	// The body: scanned rows get their axis back, the step follows, and its result
	// loses the axis again.
	var scanned []string
	past := p.Input[slices.IndexFunc(p.Input, func(v *onnxpb.ValueInfoProto) bool { return v.Name == s.Past })]
	body.Input = append(body.Input, renamed(past, inStep+s.Past))
	for _, in := range p.Input {
		if in.Name == s.Past {
			continue
		}
		shape := in.Type.GetTensorType().GetShape()
		if len(shape.Dim) != 2 || shape.Dim[1].GetDimValue() != 1 {
			return fmt.Errorf("input %s must be [batch, 1]", in.Name)
		}
		row := renamed(in, inStep+in.Name+"/row")
		row.Type.GetTensorType().Shape.Dim = shape.Dim[:1]
		body.Input = append(body.Input, row)
		body.Node = append(body.Node, &onnxpb.NodeProto{OpType: "Unsqueeze", Name: row.Name, Input: []string{row.Name, axisName}, Output: []string{inStep + in.Name}})
		scanned = append(scanned, in.Name)
		shape.Dim[1] = seqAxis
	}
	for _, n := range p.Node {
		body.Node = append(body.Node, &onnxpb.NodeProto{OpType: n.OpType, Name: inStep + n.Name, Attribute: n.Attribute, Input: inner(n.Input), Output: inner(n.Output)})
	}
	present := p.Output[slices.IndexFunc(p.Output, func(v *onnxpb.ValueInfoProto) bool { return v.Name == s.Present })]
	result := p.Output[slices.IndexFunc(p.Output, func(v *onnxpb.ValueInfoProto) bool { return v.Name != s.Present })]
	shape := result.Type.GetTensorType().GetShape()
	if len(shape.Dim) < 2 || shape.Dim[1].GetDimValue() != 1 {
		return fmt.Errorf("output %s must be [batch, 1, …]", result.Name)
	}
	row := renamed(result, inStep+result.Name+"/row")
	row.Type.GetTensorType().Shape.Dim = slices.Delete(slices.Clone(shape.Dim), 1, 2)
	shape.Dim[1] = seqAxis
	body.Node = append(body.Node, &onnxpb.NodeProto{OpType: "Squeeze", Name: row.Name, Input: []string{inStep + result.Name, axisName}, Output: []string{row.Name}})
	body.Output = []*onnxpb.ValueInfoProto{renamed(present, inStep+s.Present), row}

	ones := make([]int64, len(scanned))
	for i := range ones {
		ones[i] = 1
	}
	p.Node = []*onnxpb.NodeProto{{
		OpType: "Scan", Name: "/Scan",
		Input: append([]string{s.Past}, scanned...), Output: []string{s.Present, result.Name},
		Attribute: []*onnxpb.AttributeProto{
			{Name: "body", Type: onnxpb.AttributeProto_GRAPH, G: body},
			{Name: "num_scan_inputs", Type: onnxpb.AttributeProto_INT, I: proto.Int64(int64(len(scanned)))},
			{Name: "scan_input_axes", Type: onnxpb.AttributeProto_INTS, Ints: ones},
			{Name: "scan_output_axes", Type: onnxpb.AttributeProto_INTS, Ints: []int64{1}},
		},
	}}
	return nil
}

// renamed is a copy of a value's description under another name.
func renamed(v *onnxpb.ValueInfoProto, name string) *onnxpb.ValueInfoProto {
	c := proto.Clone(v).(*onnxpb.ValueInfoProto)
	c.Name = name
	return c
}
