package export

import (
	"errors"
	"fmt"
	"strings"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/internal/onnxpb"
)

// Report is what a file says, and what can be done with it.
type Report struct {
	Bytes int `json:"bytes"`

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

	// Difference is what the card says of a file in another precision than float32.
	Difference    *card.Difference `json:"difference,omitempty"`
	CardProblem   string           `json:"card_problem,omitempty"`   // why there is no usable card
	ReadProblem   string           `json:"read_problem,omitempty"`   // why Read, and so the pure-Go engine, refuses the file
	SafetyProblem string           `json:"safety_problem,omitempty"` // why no engine is handed the file

	File *safety.File `json:"-"` // without its weights, which Read has taken
}

// Inspect describes any ONNX file, with the contents of others that have its weights (safety.Options), also one that no engine
// is handed. For a file whose weights are
// not those that it was written with, the error wraps safety.ErrDamaged, and the report is complete
// all the same.
func Inspect(data []byte, external map[string][]byte) (Report, error) {
	f, unsafe := safety.Check(data, safety.Options{External: external})
	if f == nil {
		return Report{}, fmt.Errorf("export: read: %w", errors.Unwrap(unsafe))
	}
	r := Report{Bytes: len(data), Metadata: f.Metadata, File: f}
	r.describe(f.Proto)
	c, noCard := card.Parse(f.Metadata)
	r.Difference = c.Difference
	_, _, unreadable := Read(f)
	damaged := errors.Is(unsafe, safety.ErrDamaged)
	if damaged && unreadable == nil {
		unreadable = fmt.Errorf("export: read: %w", errors.Unwrap(unsafe))
	}
	r.CardProblem, r.ReadProblem, r.SafetyProblem = text(noCard), text(unreadable), text(unsafe)
	if damaged {
		return r, unsafe
	}
	return r, nil
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// describe fills in what the file says, with the weights in place.
func (r *Report) describe(m *onnxpb.ModelProto) {
	r.Producer = strings.TrimSpace(m.ProducerName + " " + m.ProducerVersion)
	r.Doc, r.IRVersion = m.DocString, int(m.IrVersion)
	r.Domains = map[string]int{}
	for _, o := range m.OpsetImport {
		if onnxpb.DefaultDomain(o.Domain) {
			r.Opset = int(o.Version)
		} else {
			r.Domains[o.Domain] = int(o.Version)
		}
	}
	for _, v := range m.Graph.Input {
		if v.DocString == paramDoc {
			r.ParamInputs = append(r.ParamInputs, describe(v))
		} else {
			r.Inputs = append(r.Inputs, describe(v))
		}
	}
	for _, v := range m.Graph.Output {
		r.Outputs = append(r.Outputs, describe(v))
	}
	r.Nodes, r.Ops = len(m.Graph.Node), map[string]int{}
	for _, n := range m.Graph.Node {
		r.Ops[n.OpType]++
	}
	r.Initializers = len(m.Graph.Initializer)
	for _, t := range m.Graph.Initializer {
		r.InitializerBytes += int64(len(t.RawData) + 4*(len(t.FloatData)+len(t.Int32Data)) +
			8*(len(t.Int64Data)+len(t.DoubleData)+len(t.Uint64Data)))
	}
}

// describe returns a declared value, also one of a type that zoo does not handle.
func describe(v *onnxpb.ValueInfoProto) card.Port {
	d := onnxpb.ValueOf(v)
	return card.Port{Name: d.Name, DType: typeName(d.Type), Shape: d.Shape()}
}
