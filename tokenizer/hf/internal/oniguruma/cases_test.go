package oniguruma

import (
	"compress/gzip"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// mark stands for a match in the cases.
const mark = "\ue000"

// TestCases: expressions that show what they do, and random ones, find what Oniguruma finds.
// scripts/oniguruma_cases.py writes the cases.
func TestCases(t *testing.T) {
	path := "testdata/cases.json.gz"
	if other := os.Getenv("ZOO_ONIGURUMA_CASES"); other != "" {
		path = other
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	var cases [][2]json.RawMessage
	if err == nil {
		err = json.NewDecoder(z).Decode(&cases)
	}
	if err != nil || len(cases) < 1500 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	wrong := 0
	for _, c := range cases {
		var expression string
		var found [][3]json.RawMessage
		if json.Unmarshal(c[0], &expression) != nil || json.Unmarshal(c[1], &found) != nil || len(found) == 0 {
			t.Fatalf("no case: %s", c)
		}
		r, err := Compile(expression)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, f := range found {
			var text, marked string
			var ends []int
			if json.Unmarshal(f[0], &text) != nil || json.Unmarshal(f[1], &marked) != nil || json.Unmarshal(f[2], &ends) != nil {
				t.Fatalf("no text: %s", f)
			}
			if text == "" {
				continue // nothing is looked for in it
			}
			matches, err := r.All(text, free)
			got, gotEnds := written(text, matches)
			if err != nil || got != marked || !slices.Equal(gotEnds, ends) {
				if wrong++; wrong < 10 {
					t.Errorf("%s in %q: %q %v, %v, want %q %v", expression, text, got, gotEnds, err, marked, ends)
				}
			}
		}
	}
	if wrong > 0 {
		t.Errorf("%d texts are wrong", wrong)
	}
}

// written writes matches as the cases have them: a mark for each, and the ends of the parts in characters.
func written(text string, matches []Match) (marked string, ends []int) {
	var b strings.Builder
	at := 0
	bytes := []int{len(text)}
	for _, m := range matches {
		b.WriteString(text[at:m.From] + mark)
		at = m.To
		bytes = append(bytes, m.From, m.To)
	}
	slices.Sort(bytes)
	for _, end := range slices.Compact(bytes) {
		if end > 0 {
			ends = append(ends, utf8.RuneCountInString(text[:end]))
		}
	}
	return b.String() + text[at:], ends
}
