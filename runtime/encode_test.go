package runtime_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/runtime"
)

// TestEncodeEnds: cutting texts ends with its context.
func TestEncodeEnds(t *testing.T) {
	s := open(t, build(t, spec{encoding: "nope"}), runtime.Options{Provider: "go"})
	ended, end := context.WithCancelCause(t.Context())
	end(errors.New("enough"))
	_, encode := s.Encode(ended, "a a")
	_, prompt := s.EncodePrompt(ended, "a a")
	_, complete := s.Complete(ended, "a a", runtime.GenerateOptions{})
	for name, err := range map[string]error{"Encode": encode, "EncodePrompt": prompt, "Complete": complete} {
		if !errors.Is(err, context.Canceled) || errors.Is(err, runtime.ErrInput) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestLeastTokens: a text that the model has no positions for, however it is cut, is refused before it is.
func TestLeastTokens(t *testing.T) {
	s := open(t, build(t, spec{encoding: "nope", maxLength: 10}), runtime.Options{Provider: "go"})
	const longest = len("<pad>")
	for text, want := range map[string]int{"": 0, " ": 0, "a": 1, strings.Repeat("a", longest): 1, strings.Repeat("a", longest) + " ": 1,
		strings.Repeat("a", longest+1): 2, strings.Repeat(".", 10*longest): 10} {
		if got := s.LeastTokens(text); got != want {
			t.Errorf("%q has %d tokens at least, want %d", text, got, want)
		}
	}
	for n, long := range map[int]bool{10 * longest: false, 10*longest + 1: true} {
		_, err := s.Complete(t.Context(), strings.Repeat(".", n), runtime.GenerateOptions{})
		if !errors.Is(err, runtime.ErrInput) || errors.Is(err, runtime.ErrTooLong) != long {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	free := open(t, build(t, spec{encoding: "nope"}), runtime.Options{Provider: "go"})
	if _, err := free.Complete(t.Context(), strings.Repeat(".", 1000), runtime.GenerateOptions{}); errors.Is(err, runtime.ErrTooLong) {
		t.Error(err)
	}
}

// TestPromptOfBoth: token ids of a text are its prompt, and what is left to the answer of that text stays so.
func TestPromptOfBoth(t *testing.T) {
	const text = "a bé.xyz"
	s := bytesModel(t, text)
	for _, prompt := range []string{"a", "a "} {
		ids, err := s.EncodePrompt(t.Context(), prompt)
		if err != nil {
			t.Fatal(err)
		}
		both, err := runtime.Completions(s.Stream(t.Context(), []runtime.Prompt{{Text: prompt, IDs: ids}}, runtime.GenerateOptions{}))
		if err != nil {
			t.Fatal(err)
		}
		alone, err := runtime.Completions(s.Stream(t.Context(), texts(prompt), runtime.GenerateOptions{}))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(alone, both); diff != "" || prompt+both[0].Text != text {
			t.Errorf("%q: %+v (-text +both):\n%s", prompt, both, diff)
		}
	}
}
