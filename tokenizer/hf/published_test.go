package hf_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestPublished: the expressions of BLOOM, a class within a class, and of cl100k_base as tiktoken has it today,
// with possessive quantifiers. The ids are from tokenizers 0.23.3, with vocabularies in which cuts show.
func TestPublished(t *testing.T) {
	for _, name := range []string{"bloom", "cl100k"} {
		folder := filepath.Join("testdata", "published", name)
		words, _, err := reader(t)(os.DirFS(folder))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		data, err := os.ReadFile(filepath.Join(folder, "expected.json"))
		if err != nil {
			t.Fatal(err)
		}
		var cases [][2]json.RawMessage
		if err := json.Unmarshal(data, &cases); err != nil || len(cases) < 10 {
			t.Fatalf("%d cases, %v", len(cases), err)
		}
		for _, c := range cases {
			var text string
			var want []int64
			if json.Unmarshal(c[0], &text) != nil || json.Unmarshal(c[1], &want) != nil {
				t.Fatalf("%s: not a text and its ids: %s", name, c)
			}
			if ids, err := words.Encode(t.Context(), text); err != nil || !slices.Equal(ids, want) {
				t.Errorf("%s: Encode(%q) = %v, %v, want %v", name, text, ids, err, want)
			}
		}
	}
}
