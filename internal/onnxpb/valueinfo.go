package onnxpb

import "strconv"

// NewValueInfo declares a value, whose axes are lengths and names.
func NewValueInfo(name string, dataType int32, axes ...string) *ValueInfoProto {
	shape := &TensorShapeProto{}
	for _, axis := range axes {
		d := &TensorShapeProto_Dimension{Value: &TensorShapeProto_Dimension_DimParam{DimParam: axis}}
		if n, err := strconv.ParseInt(axis, 10, 64); err == nil {
			d.Value = &TensorShapeProto_Dimension_DimValue{DimValue: n}
		}
		shape.Dim = append(shape.Dim, d)
	}
	t := &TypeProto_Tensor{ElemType: dataType, Shape: shape}
	return &ValueInfoProto{Name: name, Type: &TypeProto{TensorType: t}}
}
