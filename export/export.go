// Package export writes a graph with its weights as an ONNX file, and reads such
// a file back. It knows the file format and nothing else: no models, no runtime.
//
// A file holds one flat graph over the operators of package graph, with ONNX's
// own names and semantics in the default domain. Values are named so that they
// can be found again: inputs, outputs and parameters under their names, the
// value of an operator node under the node's path, constants as const.0,
// const.1 and so on.
package export

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
)

// The opsets that Write uses, and the range that Read accepts.
const (
	OpsetPortable = 18 // operators of the portable profile; ONNX 1.13
	opsetBlocks   = 21 // adds integers in blocks to it; ONNX 1.16
	OpsetFused    = 23 // adds Attention, RMSNormalization, RotaryEmbedding; ONNX 1.18
	minOpset      = 13
	maxOpset      = 23
)

// irVersions is the lowest version of the file format that ONNX pairs with each
// opset Write uses.
var irVersions = map[int]int64{OpsetPortable: 8, opsetBlocks: 10, OpsetFused: 11}

const (
	producer    = "zoo"
	constPrefix = "const."
	// paramDoc is the doc string of a graph input that stands for a parameter
	// (Options.ParamsAsInputs); it lets Read tell the two apart.
	paramDoc = "parameter"
	maxFile  = safety.MaxFile
	maxRank  = safety.MaxRank
	// opIdentity is not an operator of package graph: Write needs it to give one
	// value a second name, and Read takes its output as another name of its input.
	opIdentity = "Identity"
)

// Options says what Write adds to graph and weights. The zero value is fine.
type Options struct {
	// Metadata becomes the file's metadata_props; see package card. A card among it
	// gets the hash of the initializers.
	Metadata map[string]string
	// Opset is OpsetPortable, which wants a graph of the portable profile, or OpsetFused; 0 takes
	// OpsetFused if the graph has a fused operator, else OpsetPortable. Weights in blocks raise OpsetPortable to 21.
	Opset int
	// Doc is the model's doc string.
	Doc string
	// Version is the producer's version; the producer's name is zoo.
	Version string
	// ParamsAsInputs makes each parameter an input to be fed instead of storing
	// its weight: the form of a training step, whose weights change.
	ParamsAsInputs bool
	// Name is what the written file is called. The large weights of a model that would exceed the 2 GiB of one file go to a second
	// one beside it, which is called after it (safety.IsData); "" makes such a model an error.
	Name string
	// Data is called before anything is written, with name and contents of that file, if it is needed.
	Data func(name string, contents []byte) error
	// Kept is given the file in memory, and nothing is written then. It has the weights' own memory, which must not
	// change while the file is used.
	Kept func(*safety.File)
}

// onnxTypes names the element types by their code (TensorProto.DataType).
var onnxTypes = [...]string{
	"undefined", "float32", "uint8", "int8", "uint16", "int16", "int32", "int64", "string", "bool", "float16",
	"float64", "uint32", "uint64", "complex64", "complex128", "bfloat16", "float8e4m3fn", "float8e4m3fnuz", "float8e5m2",
	"float8e5m2fnuz", "uint4", "int4",
}

func typeName(code int32) string {
	if code < 0 || int(code) >= len(onnxTypes) {
		return "unknown"
	}
	return onnxTypes[code]
}

// checkElement refuses the code of an element type that graphs cannot have.
func checkElement(code int32) error {
	if held := graph.Held(); !slices.Contains(held, tensor.FromONNX(code).String()) {
		return fmt.Errorf("its element type is %s (%d); supported are %s", typeName(code), code, strings.Join(held, ", "))
	}
	return nil
}
