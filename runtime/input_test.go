package runtime_test

import (
	"context"
	"errors"
	"strings"
	"testing"

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
	_, encode := s.Encode("zebra")
	_, decode := s.Decode([]int64{99})
	_, logits := s.Logits(t.Context(), [][]int64{make([]int64, 9)})
	_, score := s.Score(t.Context(), [][]int64{{1, 2}}, []int{0})
	for name, err := range map[string]error{
		"unknown word":  complete("zebra", runtime.GenerateOptions{}),
		"encode":        encode,
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

// TestLongInputIsNotQuoted: an error shows the start of what it is about.
func TestLongInputIsNotQuoted(t *testing.T) {
	s := open(t, build(t, spec{encoding: "nope"}), runtime.Options{Provider: "go"})
	_, err := s.EncodePrompt("a " + strings.Repeat("z", 1<<20))
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
		_, score := s.Score(none, ids, []int{1})
		_, all := s.GenerateAll(none, ids, runtime.GenerateOptions{})
		_, complete := s.Complete(none, "a", runtime.GenerateOptions{})
		for name, err := range map[string]error{"logits": logits, "score": score, "generate": all,
			"complete": complete} {
			if err == nil || !strings.Contains(err.Error(), "the context is nil") || errors.Is(err, runtime.ErrInput) {
				t.Errorf("%s, provider %s: %v", name, provider, err)
			}
		}
	}
}
