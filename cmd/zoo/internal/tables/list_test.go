package tables_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/nopezoo/zoo/cmd/zoo/internal/tables"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/models/pe"
)

// gated caches two numbers for each head in every layer but the first, in addition to keys and values.
type gated struct{ pe.NoPE }

func (gated) Bias(s *pe.Site) *graph.Node {
	if s.Layer == 0 {
		return nil
	}
	b := s.B
	mean := b.Reshape(b.ReduceMean(s.Hidden, true, -1), s.Batch, graph.N(1), s.Seq, graph.N(1))
	rows := b.Expand(mean, s.Batch, graph.N(s.Heads), s.Seq, graph.N(2))
	all := s.Grow("gate", rows, 2)
	return b.Unsqueeze(b.ReduceSum(all, false, -1), 2) // [B,H,1,S]
}

func newGated(pe.Dims, struct{}) (pe.Encoding, error) { return gated{}, nil }

func init() {
	pe.Register(pe.Row{Name: "gated", Formula: "q·k + g_j", Source: "a test", Cost: "a sum", Make: pe.With(newGated)})
}

// TestEncodings: what each token keeps is read off the model, and nothing is wider than
// a terminal.
func TestEncodings(t *testing.T) {
	_, lines := tables.Encodings()
	text := human.Table(lines)
	for name, want := range map[string]string{
		"nope": "2·L·H·K", "rope": "2·L·H·K", "gated": "2·L·H·K + 2·H·2", "cwrnn": "0 (n in all)", "abacus": "1 + 2·L·H·K",
		"pope": "3·L·H·K", "selective-rope": "2·L·H·K (L·3·H·K/2 + L·H·K/2 in all)",
		"swa": "0 (2·L·H·15·K in all)", "deltanet": "0 (L·3·3·H·K + L·H·K·K in all)", "lstm": "0 (2·n in all)",
	} {
		_, entry, _ := strings.Cut("\n"+text, "\n"+name+" ")
		if _, state, _ := strings.Cut(entry, "state: "); !strings.HasPrefix(state, want+"\n") {
			t.Errorf("%s: no line with the state %s", name, want)
		}
	}
	for line := range strings.Lines(text) {
		if n := utf8.RuneCountInString(line) - 1; n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
		if strings.Contains(line, "state: unknown") {
			t.Errorf("not told: %s", line)
		}
	}
}
