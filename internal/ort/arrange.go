package ort

import (
	"context"
	"errors"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/internal/wrap"
	"github.com/nopezoo/zoo/runtime/engine"
)

// Arrange implements engine.DeviceModel, for values in Go's memory too. It is a run of a small graph, so that the
// numbers do not leave the device.
func (s deviceSession) Arrange(to, from engine.Value, index []int, fill float32) error {
	return wrap.Error(s.device.arrangeSlots(to, from, index, fill), "ort: arrange")
}

func (d *device) arrangeSlots(to, from engine.Value, index []int, fill float32) (err error) {
	a, err := d.helper(&d.arrange, arrangement, false, fromInput, indexInput, takenInput, fillInput)
	if err != nil {
		return err
	}
	at, taken := make([]int64, len(index)), make([]float32, len(index))
	for i, n := range index {
		if n >= 0 {
			at[i], taken[i] = int64(n), 1
		}
	}
	inputs := []engine.Value{from}
	for _, t := range []*tensor.Tensor{tensor.Of(at, len(at)), tensor.Of(taken, len(taken), 1), tensor.Of([]float32{fill}, 1)} {
		var v *value
		if v, err = bindTensor(t); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, v.Close()) }()
		inputs = append(inputs, v)
	}
	return engine.Run(context.Background(), a, inputs, []engine.Value{to})
}

const (
	fromInput  = "from"
	indexInput = "index"
	takenInput = "taken"
	fillInput  = "fill"
	toOutput   = "to"
)

// helper returns a session for a small graph on the same device, which is made when it is
// first needed. It is an error where the provider cannot run the graph, unless the CPU may.
func (d *device) helper(made **session, file func() []byte, allowCPU bool, inputs ...string) (*session, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, ErrClosed
	}
	if *made != nil {
		return *made, nil
	}
	parsed, err := safety.Check(file(), safety.Options{})
	if err != nil {
		return nil, err
	}
	ports := lists.Map(inputs, func(name string) card.Port { return card.Port{Name: name} })
	f := engine.File{Parsed: parsed, Inputs: ports, Outputs: parsed.Outputs}
	s, err := newSession(f, engine.Options{AllowCPUNodes: allowCPU, Provider: d.provider, ProviderOptions: d.options, Threads: 1})
	if err == nil {
		*made = s
	}
	return s, err
}

// arrangement is the graph of Arrange as a file, in the wire format of onnx.proto: to =
// Where(Cast(taken), Gather(from, index), fill). It is written here, since the exporter has
// no other use in programs that run models.
func arrangement() []byte {
	const (
		axis1  = 1
		toBool = 9 // TensorProto.DataType
	)
	return modelFile(message(nil).text(2, "arrange").
		part(1, node("Cast", "chosen", []string{takenInput}, attribute("to", toBool))).
		part(1, node("Gather", "gathered", []string{fromInput, indexInput}, attribute("axis", axis1))).
		part(1, node("Where", toOutput, []string{"chosen", "gathered", fillInput}, nil)).
		part(11, valueInfo(fromInput, tensor.Float32, "outer", "slots", "inner")).
		part(11, valueInfo(indexInput, tensor.Int64, "places")).
		part(11, valueInfo(takenInput, tensor.Float32, "places", "one")).
		part(11, valueInfo(fillInput, tensor.Float32, "one")).
		part(12, valueInfo(toOutput, tensor.Float32, "outer", "places", "inner")))
}

// modelFile is a ModelProto.
func modelFile(graph message) []byte {
	const irVersion, opset = 8, 18
	return message(nil).number(1, irVersion).part(8, message(nil).text(1, "").number(2, opset)).part(7, graph)
}

// message is a protocol buffer under construction.
type message []byte

func (m message) number(field protowire.Number, v uint64) message {
	return protowire.AppendVarint(protowire.AppendTag(m, field, protowire.VarintType), v)
}

func (m message) text(field protowire.Number, s string) message { return m.part(field, message(s)) }

func (m message) part(field protowire.Number, part message) message {
	return protowire.AppendBytes(protowire.AppendTag(m, field, protowire.BytesType), part)
}

// node is a NodeProto with at most one attribute.
func node(operator, output string, inputs []string, attribute message) message {
	var m message
	for _, name := range inputs {
		m = m.text(1, name)
	}
	m = m.text(2, output).text(3, operator).text(4, operator)
	if attribute != nil {
		m = m.part(5, attribute)
	}
	return m
}

// attribute is an AttributeProto of an integer.
func attribute(name string, v uint64) message {
	const integer = 2
	return message(nil).text(1, name).number(3, v).number(20, integer)
}

// valueInfo is a ValueInfoProto of a tensor with named axes.
func valueInfo(name string, dtype tensor.DType, axes ...string) message {
	var shape message
	for _, axis := range axes {
		shape = shape.part(1, message(nil).text(2, axis))
	}
	tensorType := message(nil).number(1, uint64(dtype.ONNX())).part(2, shape)
	return message(nil).text(1, name).part(2, message(nil).part(1, tensorType))
}
