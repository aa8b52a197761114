package onnxpb

import "strconv"

// The messages of the format, with the fields that zoo writes, reads or checks. A tag has a field's name and number in
// the public specification; "present" marks a field that is written though it be empty. Fields declared as bytes
// although the specification has messages there are never written: readers only need to see that they are present,
// to refuse them.

// unknown holds the fields that a message has and the schema lacks, as they stand in the file.
type unknown struct{ Unknown []byte }

// ModelProto is a whole file.
type ModelProto struct {
	unknown
	IrVersion       int64                     `onnx:"ir_version,1"`
	ProducerName    string                    `onnx:"producer_name,2"`
	ProducerVersion string                    `onnx:"producer_version,3"`
	DocString       string                    `onnx:"doc_string,6"`
	Graph           *GraphProto               `onnx:"graph,7"`
	OpsetImport     []*OperatorSetIdProto     `onnx:"opset_import,8"`
	MetadataProps   []*StringStringEntryProto `onnx:"metadata_props,14"`
	TrainingInfo    [][]byte                  `onnx:"training_info,20"`
	Functions       [][]byte                  `onnx:"functions,25"`
}

// OperatorSetIdProto is the version of an operator domain.
type OperatorSetIdProto struct {
	unknown
	Domain  string `onnx:"domain,1"`
	Version int64  `onnx:"version,2"`
}

// StringStringEntryProto is an entry of metadata.
type StringStringEntryProto struct {
	unknown
	Key   string `onnx:"key,1"`
	Value string `onnx:"value,2"`
}

// GraphProto is a graph, the model's or one in an attribute.
type GraphProto struct {
	unknown
	Node                   []*NodeProto      `onnx:"node,1"`
	Name                   string            `onnx:"name,2"`
	Initializer            []*TensorProto    `onnx:"initializer,5"`
	Input                  []*ValueInfoProto `onnx:"input,11"`
	Output                 []*ValueInfoProto `onnx:"output,12"`
	ValueInfo              []*ValueInfoProto `onnx:"value_info,13"`
	QuantizationAnnotation [][]byte          `onnx:"quantization_annotation,14"`
	SparseInitializer      [][]byte          `onnx:"sparse_initializer,15"`
}

// NodeProto is a node of a graph.
type NodeProto struct {
	unknown
	Input     []string          `onnx:"input,1"`
	Output    []string          `onnx:"output,2"`
	Name      string            `onnx:"name,3"`
	OpType    string            `onnx:"op_type,4"`
	Attribute []*AttributeProto `onnx:"attribute,5"`
	Domain    string            `onnx:"domain,7"`
	Overload  string            `onnx:"overload,8"`
}

// AttributeProto is an attribute of a node, whose type says which field holds its value.
type AttributeProto struct {
	unknown
	Name          string         `onnx:"name,1"`
	F             *float32       `onnx:"f,2"` // pointers, so that a value of 0 is written out
	I             *int64         `onnx:"i,3"`
	S             []byte         `onnx:"s,4,present"`
	T             *TensorProto   `onnx:"t,5"`
	G             *GraphProto    `onnx:"g,6"`
	Floats        []float32      `onnx:"floats,7"`
	Ints          []int64        `onnx:"ints,8"`
	Strings       [][]byte       `onnx:"strings,9"`
	Tensors       []*TensorProto `onnx:"tensors,10"`
	Graphs        []*GraphProto  `onnx:"graphs,11"`
	Tp            []byte         `onnx:"tp,14"`
	TypeProtos    [][]byte       `onnx:"type_protos,15"`
	Type          AttributeType  `onnx:"type,20"`
	RefAttrName   string         `onnx:"ref_attr_name,21"`
	SparseTensor  []byte         `onnx:"sparse_tensor,22"`
	SparseTensors [][]byte       `onnx:"sparse_tensors,23"`
}

// AttributeType is the type of an attribute.
type AttributeType int32

// The types of attributes.
const (
	AttributeUndefined AttributeType = iota
	AttributeFloat
	AttributeInt
	AttributeString
	AttributeTensor
	AttributeGraph
	AttributeFloats
	AttributeInts
	AttributeStrings
	AttributeTensors
	AttributeGraphs
	AttributeSparseTensor
	AttributeSparseTensors
	AttributeTypeProto
	AttributeTypeProtos
)

// AttributeTypes are the specification's names of the types.
var AttributeTypes = []string{"UNDEFINED", "FLOAT", "INT", "STRING", "TENSOR", "GRAPH", "FLOATS", "INTS", "STRINGS",
	"TENSORS", "GRAPHS", "SPARSE_TENSOR", "SPARSE_TENSORS", "TYPE_PROTO", "TYPE_PROTOS"}

// String returns the specification's name of a type, or the number of one that there is not.
func (t AttributeType) String() string {
	if t < 0 || int(t) >= len(AttributeTypes) {
		return strconv.Itoa(int(t))
	}
	return AttributeTypes[t]
}

// TensorProto is a tensor with its data, or with where they are.
type TensorProto struct {
	unknown
	Dims         []int64                   `onnx:"dims,1"`
	DataType     int32                     `onnx:"data_type,2"`
	Segment      []byte                    `onnx:"segment,3"`
	FloatData    []float32                 `onnx:"float_data,4"`
	Int32Data    []int32                   `onnx:"int32_data,5"`
	StringData   [][]byte                  `onnx:"string_data,6"`
	Int64Data    []int64                   `onnx:"int64_data,7"`
	Name         string                    `onnx:"name,8"`
	RawData      []byte                    `onnx:"raw_data,9,present"`
	DoubleData   []float64                 `onnx:"double_data,10"`
	Uint64Data   []uint64                  `onnx:"uint64_data,11"`
	ExternalData []*StringStringEntryProto `onnx:"external_data,13"`
	DataLocation int32                     `onnx:"data_location,14"`
}

// ValueInfoProto declares a value.
type ValueInfoProto struct {
	unknown
	Name      string     `onnx:"name,1"`
	Type      *TypeProto `onnx:"type,2"`
	DocString string     `onnx:"doc_string,3"`
}

// TypeProto is the type of a value, of which the schema knows tensors alone.
type TypeProto struct {
	unknown
	TensorType *TensorType `onnx:"tensor_type,1"`
}

// TensorType is the type of a tensor.
type TensorType struct {
	unknown
	ElemType int32             `onnx:"elem_type,1"`
	Shape    *TensorShapeProto `onnx:"shape,2"`
}

// TensorShapeProto is a shape.
type TensorShapeProto struct {
	unknown
	Dim []*Dimension `onnx:"dim,1"`
}

// Dimension is an axis with a length, a name or neither.
type Dimension struct {
	unknown
	DimValue *int64  `onnx:"dim_value,1"`
	DimParam *string `onnx:"dim_param,2"`
}
