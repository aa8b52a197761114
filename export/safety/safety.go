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
	"errors"
	"fmt"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/onnxpb"
	"github.com/nopezoo/zoo/internal/wrap"
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
	// External is the contents of the other files that have initializers, by the names that the model has for them.
	External map[string][]byte
}

// MaxTurns bounds the turns of all Loops of a file, the turns of a Loop within a Loop
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

// File is a model file that has been parsed.
type File struct {
	Data            []byte                // the bytes, which hold all data but that of Apart
	Apart           []*onnxpb.TensorProto // initializers of Proto whose data is elsewhere in memory: in Options.External, or see Keep
	Scattered       bool                  // each of Apart has memory of its own
	Proto           *onnxpb.ModelProto    // for the packages of this module that read on: see there
	Inputs, Outputs []card.Port           // inputs without those that have a value in the file
	Metadata        map[string]string

	validated bool
}

// Check parses and validates a file, its weights included. A file that has the form of ONNX is
// returned with the error that refuses it, for programs that describe such files.
func Check(data []byte, opt Options) (*File, error) {
	m, err := parse(data, false)
	if err != nil {
		return nil, fmt.Errorf("safety: %w", err)
	}
	apart, err := attach(m.Graph, opt.External)
	if err != nil {
		return nil, fmt.Errorf("safety: %w", err)
	}
	f := newFile(m, data, apart)
	if opt.Unvalidated {
		return f, nil
	}
	if err = validate(m, opt); err == nil {
		f.validated = true
		err = checkWeights(m)
	}
	return f, wrap.Error(err, "safety") // a file that is refused can be told of
}

func newFile(m *onnxpb.ModelProto, data []byte, apart []*onnxpb.TensorProto) *File {
	return &File{Data: data, Apart: apart, Proto: m, Inputs: ports(onnxpb.Inputs(m.Graph)), Outputs: ports(onnxpb.Outputs(m.Graph)),
		Metadata: onnxpb.Metadata(m)}
}

// Validate validates a file that Check has let pass with Options.Unvalidated, its weights
// excepted, by the zero Options. It does nothing to a file that is validated already.
func (f *File) Validate() error {
	if f.validated {
		return nil
	}
	err := validate(f.Proto, Options{})
	f.validated = err == nil
	return err
}

// ports describes values as package card does. An element type that zoo does not handle is
// "invalid".
func ports(values []onnxpb.Value) (list []card.Port) {
	for _, v := range values {
		list = append(list, card.Port{Name: v.Name, DType: tensor.FromONNX(v.Type).String(), Shape: v.Shape()})
	}
	return list
}
