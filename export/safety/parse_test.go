package safety

import (
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/nopezoo/zoo/internal/onnxpb"
)

// field is a field of a message that is a message.
func field(num protowire.Number, content []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, num, protowire.BytesType), content)
}

// TestParseForm: what has not the form of a file is named, with the byte.
func TestParseForm(t *testing.T) {
	head := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), 8) // ir_version 8
	graph := func(content ...byte) []byte { return slices.Concat(head, field(7, content)) }
	for _, tc := range []struct {
		name string
		data []byte
		want string // "" passes
	}{
		{"empty", nil, "the file is empty"},
		{"one byte", []byte{8}, "not an ONNX file, or truncated: field 1 at byte 0 of 1, in model, is incomplete"},
		{"field 0", slices.Concat(head, []byte{0}), "no field at byte 2 of 3, in model"},
		{"no tag", slices.Concat(head, []byte{0xff}), "no field at byte 2 of 3, in model"},
		{"a field cut off", slices.Concat(head, []byte{0x3a, 5, 1}), "field 7 at byte 2 of 5, in model, is incomplete"},
		{"in a graph", graph(0), "no field at byte 4 of 5, in model.graph"},
		{"later in a graph", graph(append(field(1, nil), 0)...), "no field at byte 6 of 7, in model.graph"},
		{"in a node", graph(field(1, []byte{0xff})...), "no field at byte 6 of 7, in model.graph.node"},
		{"a field cut off in a node", graph(append(field(1, nil), field(1, []byte{8})...)...), "field 1 at byte 8 of 9, in model.graph.node, is incomplete"},
		{"no graph", head, "it has no graph or no ir_version"},
		{"no version", field(7, nil), "it has no graph or no ir_version"},
		{"no message", slices.Concat(head, protowire.AppendVarint(protowire.AppendTag(nil, 7, protowire.VarintType), 3)), "not an ONNX file"},
		{"good", graph(), ""},
		{"unknown fields", append(graph(), field(999, []byte{0xff})...), ""},
	} {
		m, err := parse(tc.data, false)
		if tc.want == "" && (err != nil || m.Graph == nil) || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%s: %v, want %q", tc.name, err, tc.want)
		}
	}
}

// TestParseLimits: the most bytes, messages, and messages within one another, and one more.
func TestParseLimits(t *testing.T) {
	zeros := make([]byte, MaxFile+1) // whose first byte is no field, so that only this one is looked at
	if _, err := parse(zeros[:MaxFile], true); err == nil || !strings.Contains(err.Error(), "no field at byte 0 of 2147483647") {
		t.Errorf("the most bytes: %v", err)
	}
	if _, err := parse(zeros, true); err == nil || !strings.Contains(err.Error(), "the file has 2147483648 bytes; an ONNX file has at most 2147483647") {
		t.Errorf("one more: %v", err)
	}
	nodes := func(n int) []byte {
		data, err := onnxpb.Marshal(&onnxpb.ModelProto{IrVersion: 8, Graph: &onnxpb.GraphProto{Node: make([]*onnxpb.NodeProto, n)}})
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	if err := onnxpb.Scan(nodes(1<<19 - 2)); err != nil { // in addition to the model and its graph
		t.Errorf("the most messages: %v", err)
	}
	if err := onnxpb.Scan(nodes(1<<19 - 1)); err == nil || !strings.Contains(err.Error(), "more than 524288 nodes, attributes, tensors and axes") {
		t.Errorf("one more: %v", err)
	}
	// The model is the first message, its graph the second; each graph within a node's attribute takes three more. Below the
	// last graph there may be a node.
	deep := func(graphs int, inner []byte) []byte {
		g := inner
		for range graphs - 1 {
			g = field(1, field(5, field(6, g))) // node.attribute.g
		}
		return field(7, g)
	}
	if err := onnxpb.Scan(deep(11, nil)); err != nil {
		t.Errorf("depth 32: %v", err)
	}
	if err := onnxpb.Scan(deep(11, field(1, nil))); err == nil || !strings.Contains(err.Error(), "graphs within graphs more than 10 deep") {
		t.Errorf("depth 33: %v", err)
	}
}

// copied returns a copy of a message, which shares no memory with it.
func copied[T any](t *testing.T, message *T) *T {
	t.Helper()
	data, err := onnxpb.Marshal(message)
	if err != nil {
		t.Fatal(err)
	}
	again := new(T)
	if err := onnxpb.Unmarshal(data, again, true); err != nil {
		t.Fatal(err)
	}
	return again
}
