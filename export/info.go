package export

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/nopezoo/zoo/export/internal/onnxpb"
	"github.com/nopezoo/zoo/export/safety"
)

// Info is what the head of a file says, without weights.
type Info struct {
	Producer        string
	ProducerVersion string
	Doc             string
	IRVersion       int
	Opset           int            // of the default domain; 0 if the file names none
	Domains         map[string]int // opsets of other operator domains, if any
	Inputs          []Value        // without parameters that are inputs
	Outputs         []Value
	ParamInputs     []Value // see Options.ParamsAsInputs
	Nodes           int
	Ops             map[string]int // nodes by operator
	Initializers    int
	// InitializerBytes is the size of the weights and constants in this file.
	InitializerBytes int64
	Metadata         map[string]string
}

// Value is a declared input or output.
type Value struct {
	Name  string
	DType string   // "float32"
	Shape []string // a number, an axis expression such as "past+seq", or "?"
}

// String returns the value as "logits float32[batch,seq,256]".
func (v Value) String() string {
	return v.Name + " " + v.DType + "[" + strings.Join(v.Shape, ",") + "]"
}

// ReadInfo returns the head of any ONNX file, also of one that Read refuses: it
// checks the file's outer form only and builds no graph.
func ReadInfo(data []byte) (Info, error) {
	m, err := safety.Parse(data)
	if err != nil {
		return Info{}, fmt.Errorf("export: read: %w", err)
	}
	return infoOf(m), nil
}

func infoOf(m *onnxpb.ModelProto) Info {
	info := Info{
		Producer: m.ProducerName, ProducerVersion: m.ProducerVersion, Doc: m.DocString,
		IRVersion: int(m.IrVersion), Domains: map[string]int{},
		Nodes: len(m.Graph.Node), Ops: map[string]int{},
		Initializers: len(m.Graph.Initializer), Metadata: safety.Metadata(m),
	}
	for _, o := range m.OpsetImport {
		if safety.DefaultDomain(o.Domain) {
			info.Opset = int(o.Version)
		} else {
			info.Domains[o.Domain] = int(o.Version)
		}
	}
	for _, v := range m.Graph.Input {
		if v.DocString == paramDoc {
			info.ParamInputs = append(info.ParamInputs, describe(v))
		} else {
			info.Inputs = append(info.Inputs, describe(v))
		}
	}
	for _, v := range m.Graph.Output {
		info.Outputs = append(info.Outputs, describe(v))
	}
	for _, n := range m.Graph.Node {
		info.Ops[n.OpType]++
	}
	for _, t := range m.Graph.Initializer {
		info.InitializerBytes += int64(len(t.RawData) + 4*len(t.FloatData) + 4*len(t.Int32Data) + 8*len(t.Int64Data))
	}
	return info
}

func describe(v *onnxpb.ValueInfoProto) Value {
	t := v.GetType().GetTensorType()
	out := Value{Name: v.Name, DType: typeName(t.GetElemType())}
	for _, d := range t.GetShape().GetDim() {
		text := "?"
		switch x := d.Value.(type) {
		case *onnxpb.TensorShapeProto_Dimension_DimValue:
			text = strconv.FormatInt(x.DimValue, 10)
		case *onnxpb.TensorShapeProto_Dimension_DimParam:
			text = x.DimParam
		}
		out.Shape = append(out.Shape, text)
	}
	return out
}
