package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/export/safety"
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
	// Name is what the file is called, and the data file of a model of more than 2 GiB after it; "" makes such a model an error.
	Name string
}

// File is an ONNX file of a model.
type File struct {
	Data       []byte
	Beside     map[string][]byte // its data file, contents by name, of a model of more than 2 GiB
	Checks     []string          // that it passed, as its card names them; none: it was not checked
	Worst      float64           // the largest error that was found, relative where values exceed 1
	Difference *card.Difference  // from the float32 file, of one in another precision that was checked
}

// Build builds a model's file and checks that it computes what the graph does (parity) and
// that onnx-go reads in it what was meant (structure). After it comes the looped file, if it is
// wanted, checked against the first. The cards name the checks; the card of a file that ONNX
// Runtime was checked with has the worst error, and in another precision (Card.DType) how far
// the file is from the float32 one.
func Build(ctx context.Context, m modelfile.Model, o Options) ([]File, error) {
	o.Profile, o.Provider = cmp.Or(o.Profile, card.Portable), cmp.Or(o.Provider, "cpu")
	if o.Looped && inBlocks(m) {
		return nil, errors.New("a file of answers (--generate) cannot have integers in blocks, which ONNX Runtime 1.29 does not multiply in a " +
			"Loop; leave out --generate, or --dtype")
	}
	check := card.CheckParity
	switch {
	case o.Provider == "go":
		check = card.CheckGo
	case o.Provider != "cpu":
		check = card.CheckParityOn + o.Provider
	}
	step, err := o.build(m, check, func(checked modelfile.Model, made *card.Card) (float64, error) {
		worst, err := o.parity(ctx, checked)
		if err == nil && made.DType != "" && made.DType != card.Float32 {
			made.Difference, err = o.beside(ctx, checked)
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
		f, err := o.build(m, card.CheckLooped, func(checked modelfile.Model, _ *card.Card) (float64, error) {
			cpu := runtime.Options{Provider: "cpu"}
			steps := func() (*runtime.Session, error) { return runtime.OpenBytes(step.Data, cpu) }
			return loopedParity(ctx, steps, o.written(checked, cpu))
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
func (o Options) beside(ctx context.Context, m modelfile.Model) (*card.Difference, error) {
	full := m
	full.Card.DType = ""
	d, err := difference(ctx, [2]opener{o.meant(full, o.engine()), o.written(m, o.engine())}, m.TokenizerFile)
	return wrap.Value(&d, err, "beside the float32 model")
}

// meant opens a model as it is in memory: its file has the memory of the weights.
func (o Options) meant(m modelfile.Model, opt runtime.Options) opener {
	return func() (*runtime.Session, error) {
		file, err := m.File(o.Profile)
		if err != nil {
			return nil, err
		}
		return runtime.OpenFile(file, opt)
	}
}

// largeFile is the bytes from which on a file is handed to the engine as it was read, its weights apart: ONNX Runtime would
// have two copies of them beside the bytes.
const largeFile = 64 << 20

// written opens a model from the bytes of its file, which nothing keeps once it is open.
func (o Options) written(m modelfile.Model, opt runtime.Options) opener {
	return func() (*runtime.Session, error) {
		data, external, err := m.ONNXFiles(o.Profile, o.Name)
		if err != nil {
			return nil, err
		}
		file, err := safety.Check(data, safety.Options{External: external})
		if err == nil && len(data) > largeFile {
			data = nil
			file, err = safety.Keep(file.Proto, nil, safety.Options{})
		}
		if err != nil {
			return nil, err
		}
		return runtime.OpenFile(file, opt)
	}
}

// build compares a file, and then writes it with a card that says so. compare may add to the card.
func (o Options) build(
	m modelfile.Model, check string, compare func(checked modelfile.Model, made *card.Card) (worst float64, err error),
) (File, error) {
	m.Card.Parity, m.Card.Checks, m.Card.Difference = nil, nil, nil
	if o.Unchecked {
		data, external, err := m.ONNXFiles(o.Profile, o.Name)
		return File{Data: data, Beside: external}, err
	}
	checked := m
	if p := m.Card.Pretrained; p != nil && check != card.CheckLooped { // beyond the declared length too
		lifted := *p
		lifted.Beyond, checked.Card.Pretrained = true, &lifted
	}
	worst, err := compare(checked, &m.Card)
	if err != nil {
		return File{}, fmt.Errorf("verify: %w", err)
	}
	m.Card.Checks = []string{card.CheckStructure, check}
	if check == card.CheckParity || strings.HasPrefix(check, card.CheckParityOn) {
		m.Card.Parity = &worst
	}
	data, external, err := m.ONNXFiles(o.Profile, o.Name)
	if err != nil {
		return File{}, err
	}
	d, err := m.Describe(o.Profile)
	if err != nil {
		return File{}, err
	}
	out := File{Data: data, Beside: external, Checks: m.Card.Checks, Worst: worst, Difference: m.Card.Difference}
	return out, structure(data, external, d.Graph, d.Weights)
}
