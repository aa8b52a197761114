package runtime

import (
	"context"
	"strconv"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/runtime/ort"
)

// ortEngine runs a model through ONNX Runtime, without copies.
type ortEngine struct{ session *ort.Session }

func openORT(model []byte, opt Options, outputs []string) (*loaded, error) {
	s, err := ort.New(model, ort.Options{
		Safety:  opt.Safety(),
		Library: opt.Library, Provider: opt.Provider, ProviderOptions: opt.ProviderOptions,
		Threads: opt.Threads, NoSpinning: opt.NoSpinning, ProfilePrefix: opt.ProfilePrefix, Outputs: outputs,
	})
	if err != nil {
		return nil, err
	}
	return &loaded{
		engine: ortEngine{s}, inputs: portsORT(s.Inputs()), outputs: portsORT(s.Outputs()), metadata: s.Metadata(),
		name: "onnxruntime", version: s.Library().Version, library: s.Library().Path,
	}, nil
}

func portsORT(list []ort.IO) []Port {
	ports := make([]Port, len(list))
	for i, io := range list {
		ports[i] = Port{Name: io.Name, DType: io.DType}
		for k, d := range io.Dims {
			axis := io.Axes[k]
			switch {
			case d >= 0:
				axis = strconv.FormatInt(d, 10)
			case axis == "":
				axis = "?"
			}
			ports[i].Shape = append(ports[i].Shape, axis)
		}
	}
	return ports
}

// Bind implements engine: the value is a view of t's memory.
func (e ortEngine) Bind(t *tensor.Tensor) (value, error) {
	v, err := ort.NewValue(t)
	if err != nil {
		return nil, err // not v: a nil *ort.Value in an interface is not nil
	}
	return v, nil
}

// Begin implements engine.
func (e ortEngine) Begin(ctx context.Context) (call, error) {
	c, err := e.session.Begin(ctx)
	if err != nil {
		return nil, err
	}
	return &ortCall{Call: c}, nil
}

// ortCall keeps the lists of values from run to run.
type ortCall struct {
	*ort.Call
	inputs, outputs []*ort.Value
}

// Run implements call.
func (c *ortCall) Run(inputs, outputs []value) error {
	c.inputs, c.outputs = valuesORT(c.inputs[:0], inputs), valuesORT(c.outputs[:0], outputs)
	return c.Call.Run(c.inputs, c.outputs)
}

// valuesORT appends values to a list.
func valuesORT(list []*ort.Value, values []value) []*ort.Value {
	for _, v := range values {
		list = append(list, v.(*ort.Value)) // Bind makes no others
	}
	return list
}

// Close implements engine.
func (e ortEngine) Close() error { return e.session.Close() }
