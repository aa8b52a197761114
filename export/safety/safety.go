// Package safety validates ONNX files before anything runs them. What passes
// takes a bounded time to load: its names, graphs and axes make sense, its
// tensors have the data that they claim, all of it is in the file, and nothing in
// it runs without bound. What the operators compute, and whether they fit one
// another, is left to whoever runs the file. Of the memory that a run takes, what
// stated shapes tell is bounded, and what grows with the number of tokens is not.
//
// It knows the file format only, so that programs which run models need nothing
// else of package export.
package safety

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/onnxpb"
)

// Options say what a file may hold beyond the plain operators of ONNX's default
// domain. The zero value lets nothing else pass.
type Options struct {
	// ControlFlow lets If and Scan pass, and Loops whose number of turns is a
	// constant of at most MaxTurns, or the Min of such a one and other numbers.
	// Without it only the one Scan or Loop passes that a file's own card declares:
	// see Validate.
	ControlFlow bool
	// Domains lists further operator domains, such as "com.microsoft".
	Domains []string
	// Unvalidated lets everything pass that has the form of an ONNX file, weights
	// that are damaged too. It is for files whose origin is trusted.
	Unvalidated bool
}

// MaxTurns bounds the turns of all Loops of a file, those of a Loop within a Loop
// multiplied.
const MaxTurns = 1 << 20

// The limits of a file; no model comes near.
const (
	// MaxFile is the size limit of one protobuf message in bytes, and so of a file.
	MaxFile = 1<<31 - 1
	// MaxRank bounds the axes of a value.
	MaxRank = 16

	minIR, maxIR       = 3, 13
	minOpset, maxOpset = 7, 26 // what ONNX Runtime reads
	maxInputs          = 1 << 14
	maxNodeValues      = 1 << 12
	maxName            = 1 << 10
)

var (
	// ErrNotAllowed means that a file holds what only an option lets pass.
	ErrNotAllowed = errors.New("not allowed")
	// ErrDamaged means that a file's weights are not those it was written with.
	ErrDamaged = errors.New("the weights are damaged")
)

// Model is what a file says of itself.
type Model struct {
	Inputs   []Value // without those that have a value in the file
	Outputs  []Value
	Metadata map[string]string
	// Operators counts the nodes of the graph by operator; those that are not of ONNX's
	// default domain have theirs before the name: "com.microsoft.MatMulNBits".
	Operators map[string]int
	Windows   []Window
}

// Value is a declared input or output.
type Value struct {
	Name   string
	Type   int32    // element type, by ONNX's number; 0 for what is no tensor
	Shaped bool     // whether the file declares a shape
	Dims   []int64  // −1 where an axis has no fixed length
	Axes   []string // names of the axes without one, "" for none; as long as Dims
}

// DType returns the element type of the value, or an error for one that zoo does not
// handle.
func (v Value) DType() (tensor.DType, error) {
	dtype := tensor.FromONNX(v.Type)
	if dtype == tensor.Invalid {
		return dtype, fmt.Errorf("value %q has ONNX element type %d; "+
			"zoo handles float32, float64, float16, bfloat16, int64, int32, int8, uint8 and bool", v.Name, v.Type)
	}
	return dtype, nil
}

// Port describes the value as package card does. An element type that zoo does not handle
// is "invalid".
func (v Value) Port() card.Port {
	p := card.Port{Name: v.Name, DType: tensor.FromONNX(v.Type).String()}
	for i, d := range v.Dims {
		axis := cmp.Or(v.Axes[i], "?")
		if d >= 0 {
			axis = strconv.FormatInt(d, 10)
		}
		p.Shape = append(p.Shape, axis)
	}
	return p
}

// Contract returns the file's card, and how the file is fed by it.
func (m Model) Contract() (card.Card, card.Contract, error) {
	c, err := card.Parse(m.Metadata)
	if err != nil {
		return c, card.Contract{}, err
	}
	k, err := c.Contract(ports(m.Inputs), ports(m.Outputs))
	return c, k, err
}

func ports(values []Value) (list []card.Port) {
	for _, v := range values {
		list = append(list, v.Port())
	}
	return list
}

// Check parses and validates a file, its weights included.
func Check(data []byte, opt Options) (Model, error) {
	m, err := Parse(data)
	if err == nil && !opt.Unvalidated {
		if err = Validate(m, opt); err == nil {
			err = CheckWeights(m)
		}
	}
	if err != nil {
		return Model{}, fmt.Errorf("safety: %w", err)
	}
	return describe(m), nil
}

func describe(m *onnxpb.ModelProto) Model {
	d := Model{Metadata: Metadata(m), Operators: map[string]int{}, Windows: windowsOf(m.Graph)}
	for _, n := range m.Graph.Node {
		name := n.OpType
		if !DefaultDomain(n.Domain) {
			name = n.Domain + "." + name
		}
		d.Operators[name]++
	}
	stored := map[string]bool{}
	for _, t := range m.Graph.Initializer {
		stored[t.Name] = true
	}
	for _, v := range m.Graph.Input {
		if !stored[v.Name] {
			d.Inputs = append(d.Inputs, ValueOf(v))
		}
	}
	for _, v := range m.Graph.Output {
		d.Outputs = append(d.Outputs, ValueOf(v))
	}
	return d
}

// Metadata returns the metadata of a file.
func Metadata(m *onnxpb.ModelProto) map[string]string {
	out := make(map[string]string, len(m.MetadataProps))
	for _, p := range m.MetadataProps {
		out[p.Key] = p.Value
	}
	return out
}

// ValueOf reads a declaration.
func ValueOf(v *onnxpb.ValueInfoProto) Value {
	t := v.GetType().GetTensorType()
	d := Value{Name: v.Name, Type: t.GetElemType(), Shaped: t.GetShape() != nil}
	for _, axis := range t.GetShape().GetDim() {
		n := int64(-1)
		if x, fixed := axis.Value.(*onnxpb.TensorShapeProto_Dimension_DimValue); fixed {
			n = max(x.DimValue, -1)
		}
		d.Dims, d.Axes = append(d.Dims, n), append(d.Axes, axis.GetDimParam())
	}
	return d
}

// Quote shows a name from a file, shortened where it is absurd.
func Quote(s string) string {
	if len(s) > 100 {
		s = s[:100] + "…"
	}
	return fmt.Sprintf("%q", s)
}
