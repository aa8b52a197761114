package hf

import "testing"

// TestTokenOf: a token for the unknown is none, or one of the vocabulary.
func TestTokenOf(t *testing.T) {
	vocab := map[string]int64{"a": 0, "u": 3}
	known, other := "u", "x"
	for name, tc := range map[string]struct {
		unknown *string
		id      int64
		ok, err bool
	}{"none": {nil, 0, false, false}, "known": {&known, 3, true, false}, "not known": {&other, 0, false, true}} {
		if id, ok, err := tokenOf(vocab, tc.unknown); id != tc.id || ok != tc.ok || (err != nil) != tc.err {
			t.Errorf("%s: %d, %v, %v", name, id, ok, err)
		}
	}
}
