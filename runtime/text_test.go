package runtime_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/tokenizer"
)

// follower is a model of one table: each token of text is followed by the next one
// of text, and the last by the end token. No token may occur in it twice.
func follower(t *testing.T, pieces []string, text string) []byte {
	t.Helper()
	tok, err := tokenizer.New(pieces)
	if err != nil {
		t.Fatal(err)
	}
	ids, err := tok.Encode(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	n := tok.Size()
	table := tensor.New(tensor.Float32, n, n)
	for i, id := range ids {
		next := tokenizer.EOS
		if i+1 < len(ids) {
			next = ids[i+1]
		}
		tensor.Data[float32](table)[int(id)*n+int(next)] = 1
	}
	b := graph.NewBuilder()
	logits := b.Gather(b.Param("next", tensor.Float32, n, n), b.Input("input_ids", tensor.Int64, graph.Sym("batch"), graph.Sym("seq")),
		0)
	g, err := b.Build(graph.Output{Name: "logits", Node: logits})
	if err != nil {
		t.Fatal(err)
	}
	c := card.Card{Architecture: "table", Positions: "contiguous", Profile: card.Portable, Tokenizer: pieces}
	model, err := file(g, map[string]*tensor.Tensor{"next": table}, &c)
	if err != nil {
		t.Fatal(err)
	}
	return model
}

// TestPromptAndAnswerAreTheText: whether a prompt ends with a space or not, the
// prompt followed by the answer is the text that the model means, by every rule of
// cutting texts and at every place where a prompt may end.
func TestPromptAndAnswerAreTheText(t *testing.T) {
	for _, tt := range []struct{ rule, text string }{
		{tokenizer.Words, "Copy: 7 tree B[SEP] x y."},
		{tokenizer.Words, "one  two three"}, // a space by itself, too
		{tokenizer.Characters, "ab é1"},
		{tokenizer.Bytes, "ab 1c"},
	} {
		pieces, err := tokenizer.Vocabulary(tt.rule, []string{"[SEP]"}, tt.text)
		if err != nil {
			t.Fatal(err)
		}
		tok, err := tokenizer.New(pieces)
		if err != nil {
			t.Fatal(err)
		}
		s := open(t, follower(t, pieces, tt.text), runtime.Options{Provider: "go"})
		for at := 1; at <= len(tt.text); at++ {
			prompt, target := tt.text[:at], tt.text[at:]
			if _, _, err := tok.EncodePair(prompt, target); err != nil {
				continue // the prompt would end within a token
			}
			t.Run(fmt.Sprintf("%s/%q", tt.rule, prompt), func(t *testing.T) {
				answer, err := s.Complete(t.Context(), prompt, runtime.GenerateOptions{})
				if err != nil || prompt+answer != tt.text {
					t.Errorf("answer %q (%v), want %q", answer, err, target)
				}
				var streamed []string
				for step, err := range s.Stream(t.Context(), texts(prompt), runtime.GenerateOptions{}) {
					if err != nil {
						t.Fatal(err)
					}
					streamed = append(streamed, step.Text)
				}
				if got := strings.Join(streamed, ""); got != answer || slices.Contains(streamed, tokenizer.EOSPiece) {
					t.Errorf("streamed %q, the answer is %q", streamed, answer)
				}
			})
		}
	}
}

// TestAnswerWithoutSpace: a model that does not mean the prompt's last space keeps
// all of its answer.
func TestAnswerWithoutSpace(t *testing.T) {
	const text = "ab.c"
	pieces, err := tokenizer.Vocabulary("", nil, text)
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, follower(t, pieces, text), runtime.Options{Provider: "go"})
	if got, err := s.Complete(t.Context(), "ab ", runtime.GenerateOptions{}); err != nil || got != ".c" {
		t.Errorf("answer %q (%v), want %q", got, err, ".c")
	}
}
