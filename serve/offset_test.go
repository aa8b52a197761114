package serve_test

import (
	"bytes"
	"net/http/httptest"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/export"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/serve"
	"github.com/nopezoo/zoo/tokenizer"
)

// following serves a model of one table as "tiny": each token of text is followed by the next one, and the last by
// the end token. No token may occur in it twice.
func following(t *testing.T, pieces []string, text string, opt serve.Options) *httptest.Server {
	t.Helper()
	words, err := tokenizer.New(pieces)
	if err != nil {
		t.Fatal(err)
	}
	ids, err := words.Encode(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	n := words.Size()
	table := tensor.New(tensor.Float32, n, n)
	for i, next := range append(ids[1:], tokenizer.EOS) {
		tensor.Data[float32](table)[int(ids[i])*n+int(next)] = 1
	}
	b := graph.NewBuilder()
	logits := b.Gather(b.Param("next", tensor.Float32, n, n), b.Input("input_ids", tensor.Int64, graph.Sym("batch"), graph.Sym("seq")), 0)
	g, err := b.Build(graph.Output{Name: "logits", Node: logits})
	if err != nil {
		t.Fatal(err)
	}
	metadata, err := card.Card{Architecture: "table", Positions: "contiguous", Profile: card.Portable, Tokenizer: pieces}.Metadata()
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := export.Write(&file, g, map[string]*tensor.Tensor{"next": table}, export.Options{Metadata: metadata}); err != nil {
		t.Fatal(err)
	}
	s, err := runtime.OpenBytes(file.Bytes(), runtime.Options{Provider: "go"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	h, err := serve.New([]serve.Model{{Name: "tiny", Session: s}}, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server
}

// TestTextOffset: each token has its place in the choice's text, whole and as a stream, however
// characters and stop strings are cut into tokens.
func TestTextOffset(t *testing.T) {
	pieces, err := vocabulary()
	if err != nil {
		t.Fatal(err)
	}
	server := following(t, pieces, "H 🦙x", serve.Options{})
	all := []string{" ", `bytes:\xf0`, `bytes:\x9f`, `bytes:\xa6`, `bytes:\x99`, "x", "</s>"}
	for _, tt := range []struct {
		name, more, text string // more: the prompt, and how it is continued
		tokens           int
		offsets          []int
	}{
		{"characters", `"H", "max_tokens": 8`, " 🦙x", 7, []int{0, 1, 1, 1, 1, 2, 3}},
		{"a prompt's space", `"H ", "max_tokens": 8`, "🦙x", 7, []int{0, 0, 0, 0, 0, 1, 2}},
		{"a character that breaks off", `"H", "max_tokens": 3`, " \uFFFD\uFFFD", 3, []int{0, 1, 1}},
		{"a stop string", `"H", "max_tokens": 8, "stop": "🦙x"`, " ", 6, []int{0, 1, 1, 1, 1, 1}},
		{"a stop string that is not there", `"H", "max_tokens": 8, "stop": "🦙xy"`, " 🦙x", 7, []int{0, 1, 1, 1, 1, 2, 3}},
	} {
		body := `{"model": "tiny", "temperature": 0, "logprobs": 1, "prompt": ` + tt.more + `}`
		c := answer(t, server, body).Choices[0]
		if c.Text != tt.text || !slices.Equal(c.LogProbs.Tokens, all[:tt.tokens]) || !slices.Equal(c.LogProbs.Offsets, tt.offsets) {
			t.Errorf("%s: %q at %v in %q, want %q at %v in %q", tt.name, c.LogProbs.Tokens, c.LogProbs.Offsets, c.Text, all[:tt.tokens], tt.offsets, tt.text)
		}
		texts, _, parts, _ := streamed(t, server, `{"stream": true, `+body[1:])
		var tokens []string
		var offsets []int
		told := 0
		for _, part := range parts {
			if l := part.Choices[0].LogProbs; l != nil {
				if n := len(l.Tokens); n != len(l.Chosen) || n != len(l.Top) || n != len(l.Offsets) {
					t.Errorf("%s: an event has %+v", tt.name, l)
				}
				tokens, offsets = append(tokens, l.Tokens...), append(offsets, l.Offsets...)
			}
			told += utf8.RuneCountInString(part.Choices[0].Text)
			if come, _ := slices.BinarySearch(c.LogProbs.Offsets, told); part.Choices[0].Reason == nil && come != len(tokens) {
				t.Errorf("%s: with %d characters of the text %d tokens have come, want %d", tt.name, told, len(tokens), come)
			}
		}
		if texts[0] != c.Text || !slices.Equal(tokens, c.LogProbs.Tokens) || !slices.Equal(offsets, c.LogProbs.Offsets) {
			t.Errorf("%s as a stream: %q at %v in %q, want %q at %v in %q", tt.name, tokens, offsets, texts[0], c.LogProbs.Tokens, c.LogProbs.Offsets, c.Text)
		}
		if last := offsets[len(offsets)-1]; last > utf8.RuneCountInString(c.Text) {
			t.Errorf("%s: a token is at %d of %q", tt.name, last, c.Text)
		}
	}
}
