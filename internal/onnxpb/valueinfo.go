package onnxpb

import (
	"cmp"
	"fmt"
	"strconv"

	"github.com/nopezoo/zoo/internal/lists"
)

// NewValueInfo declares a value, whose axes are lengths and names.
func NewValueInfo(name string, dataType int32, axes ...string) *ValueInfoProto {
	shape := &TensorShapeProto{}
	for _, axis := range axes {
		d := &Dimension{DimParam: &axis}
		if n, err := strconv.ParseInt(axis, 10, 64); err == nil {
			d = &Dimension{DimValue: &n}
		}
		shape.Dim = append(shape.Dim, d)
	}
	t := &TensorType{ElemType: dataType, Shape: shape}
	return &ValueInfoProto{Name: name, Type: &TypeProto{TensorType: t}}
}

// Value is a declared input or output.
type Value struct {
	Name   string
	Type   int32    // element type, by its number; 0 for a value that is no tensor
	Shaped bool     // whether the file declares a shape
	Dims   []int64  // −1 where an axis has no fixed length
	Axes   []string // names of the axes without one, "" for none; as long as Dims
}

// ValueOf reads a declaration.
func ValueOf(v *ValueInfoProto) Value {
	d := Value{Name: v.Name}
	t := TensorOf(v)
	if t == nil {
		return d
	}
	if d.Type, d.Shaped = t.ElemType, t.Shape != nil; !d.Shaped {
		return d
	}
	for _, axis := range t.Shape.Dim {
		n := int64(-1)
		if axis.DimValue != nil {
			n = max(*axis.DimValue, -1)
		}
		d.Dims, d.Axes = append(d.Dims, n), append(d.Axes, Get(axis.DimParam))
	}
	return d
}

// TensorOf returns the declared type of a tensor, nil for a value that is none.
func TensorOf(v *ValueInfoProto) *TensorType {
	if v.Type == nil {
		return nil
	}
	return v.Type.TensorType
}

// Get returns the value of a field that may be missing, the zero value for one that is.
func Get[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// Shape returns the axes as text: lengths, names, and "?" for an axis with neither.
func (v Value) Shape() (axes []string) {
	for i, d := range v.Dims {
		axis := cmp.Or(v.Axes[i], "?")
		if d >= 0 {
			axis = strconv.FormatInt(d, 10)
		}
		axes = append(axes, axis)
	}
	return axes
}

// Inputs returns the inputs of a graph that the caller feeds: the others have a value in the file.
func Inputs(g *GraphProto) (list []Value) {
	stored := map[string]bool{}
	for _, t := range g.Initializer {
		stored[t.Name] = true
	}
	for _, v := range g.Input {
		if !stored[v.Name] {
			list = append(list, ValueOf(v))
		}
	}
	return list
}

// Outputs returns the outputs of a graph.
func Outputs(g *GraphProto) []Value {
	return lists.Map(g.Output, ValueOf)
}

// DefaultDomain reports whether an operator domain is ONNX's own.
func DefaultDomain(domain string) bool { return domain == "" || domain == "ai.onnx" }

// Metadata returns the metadata of a file.
func Metadata(m *ModelProto) map[string]string {
	out := make(map[string]string, len(m.MetadataProps))
	for _, p := range m.MetadataProps {
		out[p.Key] = p.Value
	}
	return out
}

// Quote shows a name from a file, shortened where it is absurd.
func Quote(name string) string {
	if len(name) > 100 {
		name = name[:100] + "…"
	}
	return fmt.Sprintf("%q", name)
}
