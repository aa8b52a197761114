package foreign

import (
	"maps"
	"testing"

	"github.com/nopezoo/zoo/internal/onnxpb"
)

func number(name string, v int64) *onnxpb.AttributeProto {
	return &onnxpb.AttributeProto{Name: name, Type: onnxpb.AttributeInt, I: &v}
}

// TestWindows: the windows of GroupQueryAttention nodes, and which inputs are caches of these alone.
func TestWindows(t *testing.T) {
	attentionNodeOf := func(op, domain string, inputs int, window, kept int64) *onnxpb.NodeProto {
		names := []string{"q", "k", "v", "keys", "values", "lengths", "total"}[:inputs]
		return &onnxpb.NodeProto{OpType: op, Domain: domain, Input: names, Attribute: []*onnxpb.AttributeProto{
			number("local_window_size", window), number("sliding_window_cache", kept)}}
	}
	const op, domain = "GroupQueryAttention", "com.microsoft"
	for _, tc := range []struct {
		n    *onnxpb.NodeProto
		want attention
	}{
		{attentionNodeOf(op, domain, 7, 8, 1), attention{1, true, map[string]int64{"keys": 8, "values": 8}}},
		{attentionNodeOf(op, domain, 5, 1, 1), attention{1, true, map[string]int64{"keys": 1, "values": 1}}},
		{attentionNodeOf(op, domain, 4, 8, 1), attention{count: 1, windowed: true}},
		{attentionNodeOf(op, domain, 7, 8, 0), attention{count: 1, windowed: true}},
		{attentionNodeOf(op, domain, 7, 0, 1), attention{count: 1}},
		{attentionNodeOf(op, domain, 7, -1, 1), attention{count: 1}},
		{attentionNodeOf(op, "", 7, 8, 1), attention{}},
		{attentionNodeOf("Attention", domain, 7, 8, 1), attention{}},
	} {
		got := attentionOf(&onnxpb.GraphProto{Node: []*onnxpb.NodeProto{tc.n}})
		if got.count != tc.want.count || got.windowed != tc.want.windowed || !maps.Equal(got.slots, tc.want.slots) {
			t.Errorf("%v: %v, want %v", tc.n, got, tc.want)
		}
	}
}
