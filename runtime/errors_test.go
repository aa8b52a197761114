package runtime_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/tokenizer"
)

// TestErrInput: what a caller gave wrong can be told from what went wrong here.
func TestErrInput(t *testing.T) {
	s := open(t, build(t, spec{encoding: "nope", maxLength: 8}), runtime.Options{Provider: "go"})
	complete := func(prompt string, opt runtime.GenerateOptions) error {
		_, err := s.Complete(t.Context(), prompt, opt)
		return err
	}
	_, encode := s.Encode(t.Context(), "zebra")
	_, space := s.EncodePrompt(t.Context(), " ")
	_, decode := s.Decode([]int64{99})
	_, logits := s.Logits(t.Context(), [][]int64{make([]int64, 9)})
	_, score := s.Score(t.Context(), [][]int64{{1, 2}}, []int{0}, nil)
	for name, err := range map[string]error{
		"unknown word":  complete("zebra", runtime.GenerateOptions{}),
		"encode":        encode,
		"space":         space,
		"no UTF-8":      complete("a\xff", runtime.GenerateOptions{}),
		"empty prompt":  complete("", runtime.GenerateOptions{}),
		"long prompt":   complete("aaaa", runtime.GenerateOptions{MaxNew: 100}),
		"temperature":   complete("a", runtime.GenerateOptions{Sampling: runtime.Sampling{Temperature: -1}}),
		"stop token":    complete("a", runtime.GenerateOptions{Stop: []int64{50}}),
		"id":            decode,
		"long sequence": logits,
		"start":         score,
	} {
		if !errors.Is(err, runtime.ErrInput) {
			t.Errorf("%s: %v is not ErrInput", name, err)
		}
	}
	var unknown *tokenizer.UnknownError
	if !errors.As(encode, &unknown) || unknown.Piece != "zebra" || unknown.At != 0 {
		t.Errorf("the unknown word is %+v, want zebra at byte 0", unknown)
	}

	ended, end := context.WithCancel(t.Context())
	end()
	_, cancelled := s.Complete(ended, "a", runtime.GenerateOptions{})
	table := open(t, follower(t, []string{tokenizer.PadPiece, tokenizer.EOSPiece, "a"}, "a"),
		runtime.Options{Provider: "go"})
	if err := table.Close(); err != nil {
		t.Fatal(err)
	}
	_, closed := table.Complete(t.Context(), "a", runtime.GenerateOptions{})
	for name, err := range map[string]error{"ended context": cancelled, "closed session": closed} {
		if err == nil || errors.Is(err, runtime.ErrInput) {
			t.Errorf("%s: %v is ErrInput", name, err)
		}
	}
}

// TestErrorsCanBeTold: each kind of failure is its error, and no other one.
func TestErrorsCanBeTold(t *testing.T) {
	model := build(t, spec{encoding: "nope"})
	opened := func(model []byte, opt runtime.Options) error {
		s, err := runtime.OpenBytes(model, opt)
		if err == nil {
			s.Close()
		}
		return err
	}
	goes := runtime.Options{Provider: "go"}
	changed := slices.Clone(model)
	changed[bytes.LastIndex(model, []byte("zoo.weights_sha256"))+len("zoo.weights_sha256")+10] ^= 1
	s := open(t, build(t, spec{encoding: "nope", maxLength: 8}), goes)
	broken := open(t, nanModel(t), goes)
	_, nan := broken.Score(t.Context(), [][]int64{{0, 1}}, []int{1}, nil)
	_, best := runtime.Tokens(broken.Generate(t.Context(), [][]int64{{0}}, runtime.GenerateOptions{MaxNew: 1}))
	nothing := map[int64]float64{}
	for id := range int64(50) {
		nothing[id] = math.Inf(-1)
	}
	_, ruledOut := runtime.Tokens(s.Generate(t.Context(), [][]int64{{5}}, runtime.GenerateOptions{Sampling: runtime.Sampling{LogitBias: nothing}}))
	_, long := s.Logits(t.Context(), [][]int64{make([]int64, 9)})
	kinds := map[string]error{"options": runtime.ErrOptions, "provider": runtime.ErrNoProvider, "file": runtime.ErrFile,
		"card": runtime.ErrNoCard, "input": runtime.ErrInput, "long": runtime.ErrTooLong, "logits": runtime.ErrLogits,
		"damaged": safety.ErrDamaged}
	for _, tt := range []struct {
		name  string
		err   error
		kinds string
	}{
		{"threads", opened(model, runtime.Options{Provider: "go", Threads: -1}), "options"},
		{"prefixes", opened(model, runtime.Options{Provider: "go", PrefixBytes: -1}), "options"},
		{"check", runtime.Check(runtime.Options{Provider: "go", ChunkSize: -1}), "options"},
		{"unknown provider", opened(model, runtime.Options{Provider: "tpu"}), "options"},
		{"no file of ONNX", opened([]byte("hello"), goes), "file"},
		{"damaged", opened(changed, goes), "damaged file"},
		{"no card", opened(small(t, nil, []string{"no state"}), goes), "card file"},
		{"other states", opened(small(t, &card.Card{Architecture: "x", Positions: "contiguous", Profile: card.Portable}, nil), goes), "file"},
		{"score of NaN", nan, "logits"},
		{"choice of NaN", best, "logits"},
		{"no token left", ruledOut, "input"},
		{"too long", long, "input long"},
	} {
		var got []string
		for name, kind := range kinds {
			if errors.Is(tt.err, kind) {
				got = append(got, name)
			}
		}
		slices.Sort(got)
		if tt.err == nil || strings.Join(got, " ") != tt.kinds {
			t.Errorf("%s: error %v is %v, want %s", tt.name, tt.err, got, tt.kinds)
		}
	}
}

// nanModel gives NaN for all logits.
func nanModel(t *testing.T) []byte {
	t.Helper()
	b := graph.NewBuilder()
	ids := b.Input("input_ids", tensor.Int64, graph.Sym("batch"), graph.Sym("seq"))
	logits := b.Sqrt(b.Gather(b.Param("table", tensor.Float32, 2, 2), ids, 0))
	g, err := b.Build(graph.Output{Name: "logits", Node: logits})
	if err != nil {
		t.Fatal(err)
	}
	weights := map[string]*tensor.Tensor{"table": tensor.Of([]float32{-1, -1, -1, -1}, 2, 2)}
	model, err := file(g, weights, &card.Card{Architecture: "table", Positions: "contiguous", Profile: card.Portable})
	if err != nil {
		t.Fatal(err)
	}
	return model
}

// TestLongInputIsNotQuoted: an error shows the start of what it is about.
func TestLongInputIsNotQuoted(t *testing.T) {
	s := open(t, build(t, spec{encoding: "nope"}), runtime.Options{Provider: "go"})
	_, err := s.EncodePrompt(t.Context(), "a "+strings.Repeat("z", 1<<20))
	if err == nil || len(err.Error()) > 300 || !strings.Contains(err.Error(), `" zzzz`) {
		t.Errorf("error of %d bytes: %.200v", len(err.Error()), err)
	}
}

func TestNilContext(t *testing.T) {
	var none context.Context
	for _, provider := range []string{"go", "cpu"} {
		s := open(t, build(t, spec{encoding: "nope"}), runtime.Options{Provider: provider})
		ids := [][]int64{{1, 2}}
		_, logits := s.Logits(none, ids)
		_, score := s.Score(none, ids, []int{1}, nil)
		_, all := runtime.Tokens(s.Generate(none, ids, runtime.GenerateOptions{}))
		_, complete := s.Complete(none, "a", runtime.GenerateOptions{})
		_, encode := s.Encode(none, "a")
		for name, err := range map[string]error{"logits": logits, "score": score, "generate": all, "encode": encode,
			"complete": complete} {
			if err == nil || !strings.Contains(err.Error(), "the context is nil") || errors.Is(err, runtime.ErrInput) {
				t.Errorf("%s, provider %s: %v", name, provider, err)
			}
		}
	}
}
