package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/export/foreign"
	"github.com/nopezoo/zoo/internal/wrap"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/runtime"
)

// Options say what Build builds and how it checks that. The zero value is the portable
// file, checked in ONNX Runtime.
type Options struct {
	Profile  string // card.Portable, which "" is, or card.Fused
	Provider string // the provider that is checked: one of ONNX Runtime's, cpu for "", or go
	// AllowCPUNodes is as in runtime.Options, for the provider of a device.
	AllowCPUNodes bool
	Looped        bool // also build the file that answers whole prompts, in that profile, which ONNX Runtime alone runs
	Unchecked     bool // check nothing
	// DataName is what the data file of a model of more than 2 GiB is called; "" makes such a model an error.
	DataName string
}

// File is an ONNX file of a model.
type File struct {
	Data       []byte
	Beside     []byte           // contents of the file Options.DataName, of a model of more than 2 GiB
	Checks     []string         // that it passed, as its card names them; none: it was not checked
	Worst      float64          // the largest error that was found, relative where values exceed 1
	Difference *card.Difference // from the float32 file, of one in another precision that was checked
}

// Build builds a model's file and checks that it computes what the graph does (parity) and
// that onnx-go reads in it what was meant (structure). After it comes the looped file, if it is
// wanted, checked against the first. The cards name the checks; the card of a file that ONNX
// Runtime was checked with has the worst error, and in another precision (Card.DType) how far
// the file is from the float32 one.
func Build(ctx context.Context, m modelfile.Model, o Options) ([]File, error) {
	o.Profile, o.Provider = cmp.Or(o.Profile, card.Portable), cmp.Or(o.Provider, "cpu")
	check := card.CheckParity
	switch {
	case o.Provider == "go":
		check = card.CheckGo
	case o.Provider != "cpu":
		check = card.CheckParityOn + o.Provider
	}
	step, err := o.build(m, check, func(file []byte, data fs.FS, made *card.Card) (float64, error) {
		worst, err := parity(ctx, file, data, o.engine())
		if err == nil && made.DType != "" && made.DType != card.Float32 {
			made.Difference, err = beside(ctx, m, o, file, data)
		}
		return worst, err
	})
	if err != nil {
		return nil, err
	}
	files := []File{step}
	if o.Looped {
		if step.Beside != nil {
			return nil, errors.New("file of answers: the model has more than 2 GiB, for which no such file is made; leave out --generate")
		}
		m.Looped = true
		f, err := o.build(m, card.CheckLooped, func(file []byte, _ fs.FS, _ *card.Card) (float64, error) {
			return loopedParity(ctx, step.Data, file)
		})
		if err != nil {
			return nil, fmt.Errorf("file of answers: %w", err)
		}
		files = append(files, f)
	}
	return files, nil
}

// engine is what runs the file that is checked.
func (o Options) engine() runtime.Options {
	return runtime.Options{Provider: o.Provider, AllowCPUNodes: o.AllowCPUNodes}
}

// beside compares a file in another precision with the float32 one.
func beside(ctx context.Context, m modelfile.Model, o Options, file []byte, data fs.FS) (*card.Difference, error) {
	m.Card.DType = ""
	full, fullData, err := m.ONNXFiles(o.Profile, o.DataName)
	if err != nil {
		return nil, err
	}
	d, err := difference(ctx, [2][]byte{full, file}, [2]fs.FS{o.folder(fullData), data}, o.engine())
	return &d, wrap.Error(err, "beside the float32 model")
}

// build writes a file and compares it, and then writes it with a card that says so. compare may add to the card.
func (o Options) build(
	m modelfile.Model, check string, compare func(file []byte, data fs.FS, made *card.Card) (worst float64, err error),
) (File, error) {
	m.Card.Parity, m.Card.Checks, m.Card.Difference = nil, nil, nil
	declared := m.Card.Pretrained
	if declared != nil && check != card.CheckLooped && !o.Unchecked { // beyond the declared length too
		lifted := *declared
		lifted.Beyond, m.Card.Pretrained = true, &lifted
	}
	data, external, err := m.ONNXFiles(o.Profile, o.DataName)
	if err != nil || o.Unchecked {
		return File{Data: data, Beside: external}, err
	}
	worst, err := compare(data, o.folder(external), &m.Card)
	if err != nil {
		return File{}, fmt.Errorf("verify: %w", err)
	}
	m.Card.Pretrained = declared
	m.Card.Checks = []string{card.CheckStructure, check}
	if check == card.CheckParity || strings.HasPrefix(check, card.CheckParityOn) {
		m.Card.Parity = &worst
	}
	if data, external, err = m.ONNXFiles(o.Profile, o.DataName); err != nil {
		return File{}, err
	}
	d, err := m.Describe(o.Profile)
	if err != nil {
		return File{}, err
	}
	out := File{Data: data, Beside: external, Checks: m.Card.Checks, Worst: worst, Difference: m.Card.Difference}
	return out, structure(data, o.contents(external), d.Graph, d.Weights)
}

// contents is the data file of a model by its name, nil for none.
func (o Options) contents(data []byte) map[string][]byte {
	if data == nil {
		return nil
	}
	return map[string][]byte{o.DataName: data}
}

// folder is the folder with a model's data file, nil for none.
func (o Options) folder(data []byte) fs.FS { return foreign.With(nil, o.contents(data)) }
