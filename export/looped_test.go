package export_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/export"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
)

// TestWriteLoopedRefuses: a graph must have what a looped file feeds and reads, and
// nothing else.
func TestWriteLoopedRefuses(t *testing.T) {
	state := card.LayerState(0, "state")
	state.Shape = []string{card.Batch, "2"}
	for want, name := range map[string]struct{ ids, mask, keep, past, logits string }{
		"":                                       {"input_ids", "attention_mask", card.Kept, state.Past, "logits"},
		"must have the inputs input_ids and":     {"ids", "attention_mask", card.Kept, state.Past, "logits"},
		"and attention_mask, and the output":     {"input_ids", "mask", card.Kept, state.Past, "logits"},
		"and the output logits":                  {"input_ids", "attention_mask", card.Kept, state.Past, "scores"},
		"must have the input logits_to_keep":     {"input_ids", "attention_mask", card.PositionIDs.Name, state.Past, "logits"},
		"nothing feeds the graph's input keep":   {"input_ids", "attention_mask", "keep", state.Past, "logits"},
		"must have the state past.0.state and p": {"input_ids", "attention_mask", card.Kept, "past", "logits"},
	} {
		b := graph.NewBuilder()
		batch, seq := graph.Sym(card.Batch), graph.Sym(card.Seq)
		ids := b.Input(name.ids, tensor.Int64, batch, seq)
		mask := b.Input(name.mask, tensor.Int64, batch, graph.Sym(card.Past).Add(seq))
		keep := b.Input(name.keep, tensor.Int64, graph.N(1))
		past := b.Input(name.past, tensor.Float32, batch, graph.N(2))
		x := b.Cast(b.Add(b.Unsqueeze(ids, 2), b.Add(b.Unsqueeze(b.Slice(mask, 1, graph.N(0), seq), 2), keep)), tensor.Float32)
		g, err := b.Build(graph.Output{Name: name.logits, Node: b.Add(x, b.Float(1))},
			graph.Output{Name: state.Present, Node: b.Neg(past)})
		if err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		err = export.WriteLooped(&file, g, nil, []card.State{state}, 1, export.Options{})
		if want == "" && (err != nil || file.Len() == 0) || want != "" && (err == nil || file.Len() > 0 ||
			!strings.HasPrefix(err.Error(), "export: write answers: ") || !strings.Contains(err.Error(), want)) {
			t.Errorf("%d bytes, error %v, want %q", file.Len(), err, want)
		}
		if want != "" {
			continue
		}
		if _, err := readBytes(file.Bytes()); err == nil || !strings.Contains(err.Error(), "its subgraphs are not allowed") {
			t.Errorf("read: error %v", err)
		}
	}
}
