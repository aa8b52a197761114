package export

import (
	"fmt"
	"slices"

	"github.com/owulveryck/onnx-go"
	gonum "gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/simple"
	"google.golang.org/protobuf/proto"
	gorgonia "gorgonia.org/tensor"

	"github.com/nopezoo/zoo/export/internal/onnxpb"
	"github.com/nopezoo/zoo/graph/tensor"
)

// This is the one file that knows onnx-go. It decodes nodes, attributes, edges
// and weights; it executes nothing. What version 0.5.0 cannot do is settled
// before, in forOnnxGo, and everything it has no place for (names of nodes,
// domain, opset, metadata, symbolic axes) is taken from our own parse.

// forOnnxGo encodes the validated part of a file that onnx-go is to read.
//   - Inputs and outputs go without types: for a typed one onnx-go allocates a
//     tensor of the declared literal axes, however large, and drops the others.
//   - bool data goes as int32_data: onnx-go takes eight bytes of raw_data for
//     one bool.
//   - Tensors without elements are left out: it reports them as missing data.
//     They follow from their shape alone (see weight).
//   - Each attribute has exactly one kind, and no tensor or graph kinds: those
//     it rejects or decodes unchecked.
func forOnnxGo(g *onnxpb.GraphProto) ([]byte, error) {
	clean := &onnxpb.GraphProto{Name: g.Name}
	for _, v := range g.Input {
		clean.Input = append(clean.Input, &onnxpb.ValueInfoProto{Name: v.Name})
	}
	for _, v := range g.Output {
		clean.Output = append(clean.Output, &onnxpb.ValueInfoProto{Name: v.Name})
	}
	for _, n := range g.Node {
		clean.Node = append(clean.Node, &onnxpb.NodeProto{OpType: n.OpType, Input: n.Input, Output: n.Output, Attribute: n.Attribute})
	}
	for _, t := range g.Initializer {
		if slices.Contains(t.Dims, 0) {
			continue
		}
		c := &onnxpb.TensorProto{
			Name: t.Name, Dims: t.Dims, DataType: t.DataType,
			FloatData: t.FloatData, Int64Data: t.Int64Data, Int32Data: t.Int32Data, RawData: t.RawData,
		}
		if dtype, _ := dtypeOf(t.DataType); dtype == tensor.Bool && len(t.RawData) > 0 {
			c.RawData = nil
			for _, b := range t.RawData {
				c.Int32Data = append(c.Int32Data, int32(b))
			}
		}
		if len(c.RawData) == 0 {
			c.RawData = nil // present but empty would hide the typed data
		}
		clean.Initializer = append(clean.Initializer, c)
	}
	return proto.Marshal(&onnxpb.ModelProto{IrVersion: 8, Graph: clean})
}

// decoded is the onnx-go backend: it records what the decoder finds.
type decoded struct {
	*simple.WeightedDirectedGraph
	values     map[string]*value
	operations []operation // in file order
}

// operation is one node of the file.
type operation struct {
	op    string
	attrs map[string]any
	out   *value
}

// value is one value of the file; onnx-go identifies a node with its output.
type value struct {
	gonum.Node
	owner  *decoded
	name   string
	inputs []*value // of the operation that makes it, in order
	data   gorgonia.Tensor
}

// decode reads nodes and weights with onnx-go, and drops the stored data from g,
// which keeps the declarations. onnx-go's decoder panics on input it
// does not foresee; this is the one place in zoo that recovers from a panic.
func decode(g *onnxpb.GraphProto) (d *decoded, err error) {
	data, err := forOnnxGo(g)
	if err != nil {
		return nil, err
	}
	for _, t := range g.Initializer { // not needed again, and large
		t.RawData, t.FloatData, t.Int64Data, t.Int32Data = nil, nil, nil, nil
	}
	d = &decoded{WeightedDirectedGraph: simple.NewWeightedDirectedGraph(0, 0), values: map[string]*value{}}
	defer func() {
		if p := recover(); p != nil {
			d, err = nil, fmt.Errorf("onnx-go cannot decode the model: %v", p)
		}
	}()
	if err := onnx.NewModel(d).UnmarshalBinary(data); err != nil {
		return nil, fmt.Errorf("onnx-go cannot decode the model: %w", err)
	}
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
	d.operations = append(d.operations, operation{o.Name, o.Attributes, outputs[0].(*value)})
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

// weight returns the tensor of an initializer, whose declaration has been
// validated.
func (d *decoded) weight(t *onnxpb.TensorProto) (*tensor.Tensor, error) {
	dtype, _ := dtypeOf(t.DataType)
	shape := shapeOf(t)
	if tensor.Numel(shape) == 0 {
		return tensor.New(dtype, shape...), nil
	}
	v := d.values[t.Name]
	if v == nil || v.data == nil || !slices.Equal([]int(v.data.Shape()), shape) {
		return nil, fmt.Errorf("onnx-go lost its data or shape")
	}
	// A tensor of one element comes as the element, not as a slice of it.
	switch x := v.data.Data().(type) {
	case float32:
		return wrap([]float32{x}, dtype, shape)
	case int64:
		return wrap([]int64{x}, dtype, shape)
	case bool:
		return wrap([]bool{x}, dtype, shape)
	case []float32:
		return wrap(x, dtype, shape)
	case []int64:
		return wrap(x, dtype, shape)
	case []bool:
		return wrap(x, dtype, shape)
	}
	return nil, fmt.Errorf("onnx-go returned data of type %T", v.data.Data())
}

func wrap[T tensor.Element](data []T, dtype tensor.DType, shape []int) (*tensor.Tensor, error) {
	if tensor.DTypeOf[T]() != dtype || len(data) != tensor.Numel(shape) {
		return nil, fmt.Errorf("onnx-go returned %d elements of %v for %v%v", len(data), tensor.DTypeOf[T](), dtype, shape)
	}
	return tensor.Of(data, shape...), nil
}
