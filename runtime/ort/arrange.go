package ort

import (
	"context"
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/graph/tensor"
)

// Arrange sets to [outer, len(index), inner] from from [outer, slots, inner], which is other
// memory; both are the device's, or Go's. Place i of the middle axis becomes what from has at
// index[i], or full of fill where index[i] is −1. It is a run of a small graph, so that the
// numbers do not leave the device.
func (s *Session) Arrange(to, from *Value, index []int, fill float32) error {
	if err := s.arrange(to, from, index, fill); err != nil {
		return fmt.Errorf("ort: arrange: %w", err)
	}
	return nil
}

func (s *Session) arrange(to, from *Value, index []int, fill float32) (err error) {
	if !s.OnDevice() {
		return errNoDevice
	}
	a, err := s.device.helper(&s.device.arrange, arrangement, false)
	if err != nil {
		return err
	}
	at, taken := make([]int64, len(index)), make([]float32, len(index))
	for i, n := range index {
		if n >= 0 {
			at[i], taken[i] = int64(n), 1
		}
	}
	values := map[string]*Value{fromInput: from}
	for name, t := range map[string]*tensor.Tensor{
		indexInput: tensor.Of(at, len(at)), takenInput: tensor.Of(taken, len(taken), 1), fillInput: tensor.Of([]float32{fill}, 1),
	} {
		var v *Value
		if v, err = NewValue(t); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, v.Close()) }()
		values[name] = v
	}
	var inputs []*Value
	for _, in := range a.Inputs() {
		inputs = append(inputs, values[in.Name])
	}
	return a.RunValues(context.Background(), inputs, []*Value{to})
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
func (d *device) helper(made **Session, file func() []byte, allowCPU bool) (*Session, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, ErrClosed
	}
	if *made != nil {
		return *made, nil
	}
	s, err := New(file(), Options{AllowCPUNodes: allowCPU, Provider: d.provider, ProviderOptions: d.options, Threads: 1,
		Safety: safety.Options{Unvalidated: true}})
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
		part(11, value(fromInput, tensor.Float32, "outer", "slots", "inner")).
		part(11, value(indexInput, tensor.Int64, "places")).
		part(11, value(takenInput, tensor.Float32, "places", "one")).
		part(11, value(fillInput, tensor.Float32, "one")).
		part(12, value(toOutput, tensor.Float32, "outer", "places", "inner")))
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

// value is a ValueInfoProto of a tensor with named axes.
func value(name string, dtype tensor.DType, axes ...string) message {
	var shape message
	for _, axis := range axes {
		shape = shape.part(1, message(nil).text(2, axis))
	}
	of := message(nil).number(1, uint64(dtype.ONNX())).part(2, shape)
	return message(nil).text(1, name).part(2, message(nil).part(1, of))
}
