package verify

import (
	"fmt"
	"reflect"
	goruntime "runtime"
	"slices"

	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/internal/onnxpb"
)

// structure reads an exported file with onnx-go, which shares no code with ours, and
// compares all that it finds with the graph and the weights that were meant: operators,
// attributes, edges, weights to the bit, inputs and outputs with their element types
// and fixed axes. Of a looped file (export.WriteLooped) the graph is compared wherever it stands:
// before the Loop and within it. onnx-go reads each large weight by itself, so that one at a time is in memory again.
func structure(file []byte, external map[string][]byte, g *graph.Graph, weights map[string]*tensor.Tensor) error {
	f, err := safety.Check(file, safety.Options{Unvalidated: true, External: external})
	if err != nil {
		return fmt.Errorf("verify: structure: %w", err)
	}
	m := f.Proto
	flats := []*onnxpb.GraphProto{m.Graph}
	if i := slices.IndexFunc(m.Graph.Node, func(n *onnxpb.NodeProto) bool { return n.OpType == "Loop" }); i >= 0 {
		flats = looped(m.Graph.Node[i], m.Graph, g)
	}
	large := takeLarge(flats, weights)
	uncollected := 0
	for name, t := range large {
		if err := checkLarge(t, weights[name], &uncollected); err != nil {
			return fmt.Errorf("verify: structure: as onnx-go reads the file, %w", err)
		}
		t.RawData = nil
	}
	for _, flat := range flats {
		d, err := decode(flat)
		if err != nil {
			return fmt.Errorf("verify: structure: %w", err)
		}
		c := comparison{file: d, weights: weights, large: large, nodes: map[*value]*graph.Node{}, values: map[*graph.Node]*value{}}
		if err := c.compare(g); err != nil {
			return fmt.Errorf("verify: structure: as onnx-go reads the file, %w", err)
		}
	}
	return nil
}

// pieceSize is about how many elements of a weight are read at once.
const pieceSize = 1 << 21

// checkLarge compares a weight by pieces of whole rows. onnx-go leaves several times as much behind as it reads: the collector,
// which by itself waits for a share of the model's memory, runs whenever uncollected elements are some pieces.
func checkLarge(t *onnxpb.TensorProto, want *tensor.Tensor, uncollected *int) error {
	shape := want.Shape()
	dims := make([]int64, len(shape))
	for i, n := range shape {
		dims[i] = int64(n)
	}
	if raw := len(t.RawData); !slices.Equal(t.Dims, dims) || t.DataType != want.DType().ONNX() || raw != len(want.Raw()) {
		return fmt.Errorf("%s has %d bytes and the axes %v, which are not those of the %v that was meant", t.Name, raw, t.Dims, want)
	}
	width := want.Len() / shape[0]
	for at := 0; at < shape[0]; {
		rows := min(max(1, pieceSize/width), shape[0]-at)
		rows = min(rows+rows%2, shape[0]-at) // of numbers of four bits two are in a byte
		from, to := want.DType().Bytes(at*width), want.DType().Bytes((at+rows)*width)
		dims[0] = int64(rows)
		d, err := decode(alone(&onnxpb.TensorProto{Name: t.Name, DataType: t.DataType, Dims: dims, RawData: t.RawData[from:to]}))
		if err != nil {
			return err
		}
		piece, err := tensor.FromRaw(want.DType(), want.Raw()[from:to], append([]int{rows}, shape[1:]...)...)
		if err == nil {
			err = checkData(d.values[t.Name], piece)
		}
		if err != nil {
			return err
		}
		at += rows
		if *uncollected += rows * width; *uncollected > 2*pieceSize {
			*uncollected = 0
			goruntime.GC()
		}
	}
	return nil
}

// largeWeight is the elements from which on a weight is read by itself.
const largeWeight = 1 << 9

// takeLarge leaves a number in place of each large weight in some graphs, and returns what was there by name.
func takeLarge(flats []*onnxpb.GraphProto, weights map[string]*tensor.Tensor) map[string]*onnxpb.TensorProto {
	large := map[string]*onnxpb.TensorProto{}
	for _, g := range flats {
		for i, t := range g.Initializer {
			if w := weights[t.Name]; w != nil && w.Len() >= largeWeight {
				large[t.Name] = t
				g.Initializer[i] = &onnxpb.TensorProto{Name: t.Name, DataType: tensor.Int64.ONNX(), Dims: []int64{1}, Int64Data: []int64{0}}
			}
		}
	}
	return large
}

// alone is a graph that hands a weight on.
func alone(t *onnxpb.TensorProto) *onnxpb.GraphProto {
	const out = "out"
	return &onnxpb.GraphProto{
		Initializer: []*onnxpb.TensorProto{t},
		Node:        []*onnxpb.NodeProto{{OpType: "Identity", Input: []string{t.Name}, Output: []string{out}}},
		Output:      []*onnxpb.ValueInfoProto{onnxpb.NewValueInfo(out, tensor.Float32.ONNX())},
	}
}

// bodyOf returns the graph within a node.
func bodyOf(n *onnxpb.NodeProto) *onnxpb.GraphProto {
	for _, a := range n.Attribute {
		if a.G != nil {
			return a.G
		}
	}
	return &onnxpb.GraphProto{}
}

// comparison matches the values of a file with the nodes of a graph, from the outputs
// back.
type comparison struct {
	file    *decoded
	weights map[string]*tensor.Tensor
	large   map[string]*onnxpb.TensorProto // weights that are compared already
	nodes   map[*value]*graph.Node
	values  map[*graph.Node]*value
}

func (c *comparison) compare(g *graph.Graph) error {
	want := lists.Map(g.Inputs, func(n *graph.Node) string { return n.Name })
	if got := namesOf(c.file.inputs); !sameSet(got, want) {
		return fmt.Errorf("the inputs are %v, expected %v", got, want)
	}
	want = lists.Map(g.Outputs, func(o graph.Output) string { return o.Name })
	if got := namesOf(c.file.outputs); !sameSet(got, want) {
		return fmt.Errorf("the outputs are %v, expected %v", got, want)
	}
	for _, o := range g.Outputs {
		v := c.file.values[o.Name]
		if err := checkType(v, o.Node); err != nil {
			return fmt.Errorf("output %w", err)
		}
		if err := c.match(v, o.Node); err != nil {
			return err
		}
	}
	for _, n := range g.Nodes {
		if c.values[n] == nil {
			return fmt.Errorf("%s %s is missing", n.Op, n.Name)
		}
	}
	for _, v := range c.file.values {
		if c.nodes[v] == nil {
			return fmt.Errorf("%s stands for nothing", v.name)
		}
	}
	return nil
}

// match holds that a value of the file is a node's, and its inputs the node's.
func (c *comparison) match(v *value, n *graph.Node) error {
	o, made := c.file.operations[v]
	if made && o.op == "Identity" && len(v.inputs) == 1 { // a second name
		c.nodes[v] = n
		return c.match(v.inputs[0], n)
	}
	if old, seen := c.values[n]; seen || c.nodes[v] != nil {
		if old != v || c.nodes[v] != n {
			return fmt.Errorf("%s is not the only value for %s %s", v.name, n.Op, n.Name)
		}
		return nil
	}
	c.values[n], c.nodes[v] = v, n
	switch n.Op {
	case graph.OpInput, graph.OpParam:
		if made || v.name != n.Name {
			return fmt.Errorf("%s takes the place of %s %s", v.name, n.Op, n.Name)
		}
		if n.Op == graph.OpInput {
			return checkType(v, n)
		}
		if c.large[n.Name] != nil {
			return nil
		}
		return checkData(v, c.weights[n.Name])
	case graph.OpConstant:
		return checkData(v, n.Value)
	}
	if !made || o.op != n.Op || len(v.inputs) != len(n.Inputs) {
		return fmt.Errorf("%s is %q of %d inputs, expected %s of %d", v.name, o.op, len(v.inputs), n.Op, len(n.Inputs))
	}
	if err := checkAttributes(o.attrs, n.Attrs); err != nil {
		return fmt.Errorf("%s (%s): %w", v.name, n.Op, err)
	}
	for i, in := range v.inputs {
		if err := c.match(in, n.Inputs[i]); err != nil {
			return err
		}
	}
	return nil
}

func checkAttributes(got map[string]any, want []graph.Attr) error {
	if len(got) != len(want) {
		return fmt.Errorf("it has the attributes %v, expected %v", got, want)
	}
	for _, a := range want {
		if list, ok := a.Value.([]int64); ok && len(list) == 0 {
			if read, ok := got[a.Name].([]int64); ok && len(read) == 0 {
				continue
			}
		}
		if !reflect.DeepEqual(got[a.Name], a.Value) {
			return fmt.Errorf("attribute %s is %v, expected %v", a.Name, got[a.Name], a.Value)
		}
	}
	return nil
}

// checkType compares element type and fixed axes, which is what onnx-go keeps of a
// declaration.
func checkType(v *value, n *graph.Node) error {
	var want []int
	for _, d := range n.Shape {
		if length, fixed := d.Int(); fixed {
			want = append(want, length)
		}
	}
	if v.data == nil || v.data.Dtype().String() != n.DType.String() || !slices.Equal([]int(v.data.Shape()), want) {
		return fmt.Errorf("%s is declared as %v, expected %s", v.name, describe(v), n.Type())
	}
	return nil
}

func describe(v *value) string {
	if v.data == nil {
		return "something without a type"
	}
	return fmt.Sprint(v.data.Dtype(), v.data.Shape())
}

// checkData compares a stored tensor, bit by bit. onnx-go gives one without elements
// no data, and one of a single element as that element.
func checkData(v *value, want *tensor.Tensor) error {
	if want.Len() == 0 && v.data == nil {
		return nil
	}
	var got *tensor.Tensor
	if v.data != nil {
		got = tensorOf(v.data.Data(), v.data.Shape())
	}
	if got == nil || !tensor.Equal(got, asRead(want)) {
		return fmt.Errorf("%s is %v, which has not the elements of the %v that was meant", v.name, describe(v), want)
	}
	return nil
}

// asRead is a tensor as onnx-go is handed it; see forOnnxGo.
func asRead(t *tensor.Tensor) *tensor.Tensor {
	out := tensor.New(tensor.Int32, t.Shape()...)
	to := tensor.Data[int32](out)
	switch t.DType() {
	case tensor.Float16:
		for i, v := range tensor.Data[uint16](t) {
			to[i] = int32(v)
		}
	case tensor.BFloat16:
		for i, v := range tensor.Data[tensor.BFloat16Bits](t) {
			to[i] = int32(v)
		}
	case tensor.Int8, tensor.Int4:
		for i, v := range tensor.Data[int8](t.As(tensor.Int8)) {
			to[i] = int32(v)
		}
	case tensor.Uint8:
		for i, v := range tensor.Data[uint8](t) {
			to[i] = int32(v)
		}
	default:
		return t
	}
	return out
}

func tensorOf(data any, shape []int) *tensor.Tensor {
	switch x := data.(type) {
	case float32:
		return sized([]float32{x}, shape)
	case int64:
		return sized([]int64{x}, shape)
	case int32:
		return sized([]int32{x}, shape)
	case bool:
		return sized([]bool{x}, shape)
	case []float32:
		return sized(x, shape)
	case []int64:
		return sized(x, shape)
	case []int32:
		return sized(x, shape)
	case []bool:
		return sized(x, shape)
	}
	return nil
}

func sized[T tensor.Element](data []T, shape []int) *tensor.Tensor {
	if len(data) != tensor.Numel(shape) {
		return nil
	}
	return tensor.Of(data, shape...)
}

func namesOf(values []*value) []string {
	return lists.Map(values, func(v *value) string { return v.name })
}

// sameSet compares lists in any order.
func sameSet(a, b []string) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}
