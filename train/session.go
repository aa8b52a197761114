package train

import (
	"bytes"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/export"
	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/runtime/engine"
	_ "github.com/nopezoo/zoo/runtime/ort" // which runs training
)

// session is a graph that an engine has loaded. Parameters are inputs.
type session struct {
	engine.Model
	inputs, outputs []string
}

func newSession(g *graph.Graph, opt engine.Options) (*session, error) {
	e, err := engine.Find(opt.Provider)
	if err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	if err := export.Write(&buf, g, nil, export.Options{ParamsAsInputs: true}); err != nil {
		return nil, err
	}
	file, err := safety.Check(buf.Bytes(), safety.Options{})
	if err != nil {
		return nil, err
	}
	name := func(p card.Port) string { return p.Name }
	s := &session{inputs: lists.Map(file.Inputs, name), outputs: lists.Map(file.Outputs, name)}
	s.Model, err = e.Open(engine.File{Parsed: file, Inputs: file.Inputs, Outputs: file.Outputs}, opt)
	return s, err
}

// bind makes values of tensors. Those that it has made when it fails come with the error.
func bind(m engine.Model, tensors map[string]*tensor.Tensor) (map[string]engine.Value, error) {
	out := map[string]engine.Value{}
	for name, t := range tensors {
		v, err := m.Bind(t)
		if err != nil {
			return out, err
		}
		out[name] = v
	}
	return out, nil
}

func closeAll(values map[string]engine.Value) {
	for _, v := range values {
		v.Close()
	}
}
