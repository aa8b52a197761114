package ort_test

import "google.golang.org/protobuf/encoding/protowire"

// This file hand-encodes small ONNX models (field numbers from onnx.proto).

// ONNX element types.
const (
	onnxFloat   = 1
	onnxInt16   = 5
	onnxInt64   = 7
	onnxBool    = 9
	onnxFloat16 = 10
)

type message []byte

func (m message) num(field protowire.Number, v uint64) message {
	return protowire.AppendVarint(protowire.AppendTag(m, field, protowire.VarintType), v)
}

func (m message) bytes(field protowire.Number, v []byte) message {
	return protowire.AppendBytes(protowire.AppendTag(m, field, protowire.BytesType), v)
}

func (m message) str(field protowire.Number, v string) message { return m.bytes(field, []byte(v)) }

// value is a ValueInfoProto; dims are int (static), string (symbolic, "" unnamed).
func value(name string, elem uint64, dims ...any) message {
	var shape message
	for _, d := range dims {
		var dim message
		switch d := d.(type) {
		case int:
			dim = dim.num(1, uint64(d))
		case string:
			if d != "" {
				dim = dim.str(2, d)
			}
		}
		shape = shape.bytes(1, dim)
	}
	return message{}.str(1, name).bytes(2, message{}.bytes(1, message{}.num(1, elem).bytes(2, shape)))
}

// node is a NodeProto.
func node(op string, in, out []string, attributes ...message) message {
	var m message
	for _, s := range in {
		m = m.str(1, s)
	}
	for _, s := range out {
		m = m.str(2, s)
	}
	m = m.str(4, op)
	for _, a := range attributes {
		m = m.bytes(5, a)
	}
	return m
}

func intAttr(name string, v int64) message {
	return message{}.str(1, name).num(3, uint64(v)).num(20, 2)
}

func graphAttr(name string, g message) message {
	return message{}.str(1, name).bytes(6, g).num(20, 5)
}

// int64s is a TensorProto of raw int64 data; scalar when dims is empty.
func int64s(name string, v int64, dims ...int64) message {
	var m message
	for _, d := range dims {
		m = m.num(1, uint64(d))
	}
	raw := protowire.AppendFixed64(nil, uint64(v))
	return m.num(2, onnxInt64).str(8, name).bytes(9, raw)
}

func bools(name string, v byte) message {
	return message{}.num(2, onnxBool).str(8, name).bytes(9, []byte{v})
}

type graph struct {
	nodes, initializers, inputs, outputs []message
}

func (g graph) encode() message {
	var m message
	for _, n := range g.nodes {
		m = m.bytes(1, n)
	}
	m = m.str(2, "g")
	for _, t := range g.initializers {
		m = m.bytes(5, t)
	}
	for _, v := range g.inputs {
		m = m.bytes(11, v)
	}
	for _, v := range g.outputs {
		m = m.bytes(12, v)
	}
	return m
}

// model is a ModelProto of opset 18 in the default domain.
func (g graph) model(metadata ...string) []byte {
	m := message{}.num(1, 8).bytes(7, g.encode()).bytes(8, message{}.str(1, "").num(2, 18))
	for i := 0; i < len(metadata); i += 2 {
		m = m.bytes(14, message{}.str(1, metadata[i]).str(2, metadata[i+1]))
	}
	return m
}

// addModel computes sum = x + y and, as second output, twice = x + x.
func addModel() []byte {
	return graph{
		nodes: []message{
			node("Add", []string{"x", "y"}, []string{"sum"}),
			node("Add", []string{"x", "x"}, []string{"twice"}),
		},
		inputs:  []message{value("x", onnxFloat, "batch", 3), value("y", onnxFloat, "batch", 3)},
		outputs: []message{value("sum", onnxFloat, "batch", 3), value("twice", onnxFloat, "batch", 3)},
	}.model("encoding", "rope", "seed", "7")
}

// concatModel joins past [1,2,past,4] and new [1,2,seq,4] on axis 2.
func concatModel() []byte {
	return graph{
		nodes:   []message{node("Concat", []string{"past", "new"}, []string{"present"}, intAttr("axis", 2))},
		inputs:  []message{value("past", onnxFloat, 1, 2, "past", 4), value("new", onnxFloat, 1, 2, "seq", 4)},
		outputs: []message{value("present", onnxFloat, 1, 2, "past+seq", 4)},
	}.model()
}

// identityModel passes one value of the given type and dims through.
func identityModel(elem uint64, dims ...any) []byte {
	return graph{
		nodes:   []message{node("Identity", []string{"x"}, []string{"y"})},
		inputs:  []message{value("x", elem, dims...)},
		outputs: []message{value("y", elem, dims...)},
	}.model()
}

// endlessModel adds x to itself in a Loop of 2^60 rounds: only termination ends it.
func endlessModel() []byte {
	body := graph{
		nodes: []message{
			node("Identity", []string{"c_in"}, []string{"c_out"}),
			node("Tanh", []string{"a_in"}, []string{"a_out"}),
		},
		inputs:  []message{value("i", onnxInt64), value("c_in", onnxBool), value("a_in", onnxFloat, "n")},
		outputs: []message{value("c_out", onnxBool), value("a_out", onnxFloat, "n")},
	}
	return graph{
		nodes: []message{node("Loop", []string{"m", "cond", "x"}, []string{"y"},
			graphAttr("body", body.encode()))},
		initializers: []message{int64s("m", 1<<60), bools("cond", 1)},
		inputs:       []message{value("x", onnxFloat, "n")},
		outputs:      []message{value("y", onnxFloat, "n")},
	}.model()
}
