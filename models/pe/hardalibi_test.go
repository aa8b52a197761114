package pe_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/models/pe"
)

// Of three heads two have windows: the first sees itself alone, the second one token
// more, the third everything.
func TestHardALiBi(t *testing.T) {
	d := pe.Dims{Model: 6, Heads: 3, Head: 2}
	got := bias(t, newEncoding(t, "hard-alibi", `{"windowed":2}`, d), d, 4, nil)
	for h, reach := range []int{0, 1, 4} {
		for q := range 4 {
			for k := range q + 1 {
				want := 0.0
				if q-k > reach {
					want = -1e9
				}
				if b := got[(h*4+q)*4+k]; b != want {
					t.Errorf("head %d, query %d, key %d: bias %v, want %v", h, q, k, b, want)
				}
			}
		}
	}
}

// By default half of the heads have windows; one head has no half.
func TestHardALiBiDefault(t *testing.T) {
	d := pe.Dims{Model: 4, Heads: 4, Head: 1}
	half := bias(t, newEncoding(t, "hard-alibi", `{"windowed":2}`, d), d, 6, nil)
	near(t, "half of the heads", bias(t, newEncoding(t, "hard-alibi", ``, d), d, 6, nil), half, 0)

	row, err := pe.Find("hard-alibi")
	if err != nil {
		t.Fatal(err)
	}
	for settings, heads := range map[string]int{``: 1, `{"windowed":5}`: 4, `{"windowed":-1}`: 4} {
		_, err := row.Make.New(pe.Dims{Model: heads, Heads: heads, Head: 1}, json.RawMessage(settings))
		if err == nil || !strings.Contains(err.Error(), "the number of heads") {
			t.Errorf("settings %q with %d heads: error %v", settings, heads, err)
		}
	}
}
