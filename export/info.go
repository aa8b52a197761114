package export

import (
	"fmt"
	"strings"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/internal/onnxpb"
)

// Info is what the head of a file says, without weights.
type Info struct {
	Producer  string         `json:"producer"` // program and version, as "zoo 0.1.0"
	Doc       string         `json:"-"`
	IRVersion int            `json:"ir_version"`
	Opset     int            `json:"opset"`             // of the default domain; 0 if the file names none
	Domains   map[string]int `json:"domains,omitempty"` // opsets of other operator domains, if any
	Inputs    []card.Port    `json:"inputs"`            // without parameters that are inputs
	Outputs   []card.Port    `json:"outputs"`

	ParamInputs  []card.Port    `json:"-"` // see Options.ParamsAsInputs
	Nodes        int            `json:"nodes"`
	Ops          map[string]int `json:"ops"` // nodes by operator
	Initializers int            `json:"initializers"`
	// InitializerBytes is the size of the weights and constants in this file.
	InitializerBytes int64             `json:"weight_bytes"`
	Metadata         map[string]string `json:"metadata"`
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
		Producer: strings.TrimSpace(m.ProducerName + " " + m.ProducerVersion), Doc: m.DocString,
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
		info.InitializerBytes += int64(len(t.RawData) + 4*(len(t.FloatData)+len(t.Int32Data)) +
			8*(len(t.Int64Data)+len(t.DoubleData)+len(t.Uint64Data)))
	}
	return info
}

func describe(v *onnxpb.ValueInfoProto) card.Port {
	d := safety.ValueOf(v)
	p := d.Port()
	p.DType = typeName(d.Type) // also of a type that zoo does not handle
	return p
}
