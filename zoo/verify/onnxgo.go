package verify

import (
	"fmt"
	"slices"

	"github.com/owulveryck/onnx-go"
	gonum "gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/simple"
	gorgonia "gorgonia.org/tensor"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/internal/onnxpb"
)

// This is the one file that knows onnx-go, a reader of ONNX files that shares no code
// with ours. It decodes nodes, attributes, edges and weights; it executes nothing.

// forOnnxGo encodes a graph again in a form that onnx-go 0.5.0 can read. Names of
// nodes, domain and opset have no place in it.
//   - bool data goes as int32_data: onnx-go takes eight bytes of raw_data for
//     one bool.
//   - float16 and bfloat16 data and integers of 8 bits go as int32 (see wide), which are as many
//     numbers: onnx-go reads none of those types.
//   - Tensors without elements are left out: it reports them as missing data.
//     They follow from their shape alone.
func forOnnxGo(g *onnxpb.GraphProto) ([]byte, error) {
	bare := func(n *onnxpb.NodeProto) *onnxpb.NodeProto {
		return &onnxpb.NodeProto{OpType: n.OpType, Input: n.Input, Output: n.Output, Attribute: n.Attribute}
	}
	clean := &onnxpb.GraphProto{Name: g.Name, Input: g.Input, Output: g.Output, Node: lists.Map(g.Node, bare)}
	for _, t := range g.Initializer {
		if slices.Contains(t.Dims, 0) {
			continue
		}
		if t.DataType == tensor.Bool.ONNX() {
			c := &onnxpb.TensorProto{Name: t.Name, Dims: t.Dims, DataType: t.DataType, Int32Data: t.Int32Data}
			for _, b := range t.RawData {
				c.Int32Data = append(c.Int32Data, int32(b))
			}
			t = c
		}
		if w, ok := wide(t); ok {
			t = w
		}
		clean.Initializer = append(clean.Initializer, t)
	}
	return onnxpb.Marshal(&onnxpb.ModelProto{IrVersion: 8, Graph: clean})
}

// wide returns a stored tensor of an element type that onnx-go does not read as int32: the
// bits of a float16 or bfloat16, or an integer.
func wide(t *onnxpb.TensorProto) (*onnxpb.TensorProto, bool) {
	dtype := tensor.FromONNX(t.DataType)
	if dtype != tensor.Int8 && dtype != tensor.Int4 && dtype != tensor.Uint8 && !dtype.Halves() {
		return nil, false
	}
	elements, err := tensor.FromRaw(dtype, onnxpb.RawData(t), lists.Map(t.Dims, func(d int64) int { return int(d) })...)
	if err != nil {
		return nil, false
	}
	return &onnxpb.TensorProto{Name: t.Name, Dims: t.Dims, DataType: tensor.Int32.ONNX(),
		Int32Data: tensor.Data[int32](asRead(elements))}, true
}

// decoded is the onnx-go backend: it records what the decoder finds.
type decoded struct {
	*simple.WeightedDirectedGraph
	values          map[string]*value
	operations      map[*value]operation // by output
	inputs, outputs []*value             // as declared
}

// operation is one node of the file.
type operation struct {
	op    string
	attrs map[string]any
}

// value is one value of the file; onnx-go identifies a node with its output.
type value struct {
	gonum.Node
	owner  *decoded
	name   string
	inputs []*value // of the operation that makes it, in order
	data   gorgonia.Tensor
}

// decode reads a graph with onnx-go. Its decoder panics on input it does not foresee;
// this is the one place in zoo that recovers from a panic.
func decode(g *onnxpb.GraphProto) (d *decoded, err error) {
	data, err := forOnnxGo(g)
	if err != nil {
		return nil, err
	}
	d = &decoded{
		WeightedDirectedGraph: simple.NewWeightedDirectedGraph(0, 0),
		values:                map[string]*value{}, operations: map[*value]operation{},
	}
	defer func() {
		if p := recover(); p != nil {
			d, err = nil, fmt.Errorf("onnx-go cannot decode the model: %v", p)
		}
	}()
	m := onnx.NewModel(d)
	if err := m.UnmarshalBinary(data); err != nil {
		return nil, fmt.Errorf("onnx-go cannot decode the model: %w", err)
	}
	node := func(id int64) *value { return d.Node(id).(*value) }
	d.inputs, d.outputs = lists.Map(m.Input, node), lists.Map(m.Output, node)
	return d, nil
}

// NewNode makes a value; onnx-go names it before it adds it.
func (d *decoded) NewNode() gonum.Node {
	return &value{Node: d.WeightedDirectedGraph.NewNode(), owner: d}
}

// SetWeightedEdge records input number e.Weight() of a node. The underlying
// graph keeps one edge per pair, so Mul(x, x) would lose an input there.
func (d *decoded) SetWeightedEdge(e gonum.WeightedEdge) {
	from, to := e.From().(*value), e.To().(*value)
	for i := int(e.Weight()); len(from.inputs) <= i; {
		from.inputs = append(from.inputs, nil)
	}
	from.inputs[int(e.Weight())] = to
	d.WeightedDirectedGraph.SetWeightedEdge(e)
}

// ApplyOperation records a node of the file.
func (d *decoded) ApplyOperation(o onnx.Operation, outputs ...gonum.Node) error {
	if len(outputs) != 1 {
		return fmt.Errorf("%s has %d outputs", o.Name, len(outputs))
	}
	out := outputs[0].(*value)
	if _, again := d.operations[out]; again {
		return fmt.Errorf("%s is made twice", out.name)
	}
	d.operations[out] = operation{o.Name, o.Attributes}
	return nil
}

// SetName implements onnx.Namer.
func (v *value) SetName(name string) {
	v.name = name
	v.owner.values[name] = v
}

// GetName implements onnx.Namer.
func (v *value) GetName() string { return v.name }

// SetTensor implements onnx.DataCarrier.
func (v *value) SetTensor(t gorgonia.Tensor) error {
	v.data = t
	return nil
}

// GetTensor implements onnx.DataCarrier.
func (v *value) GetTensor() gorgonia.Tensor { return v.data }
