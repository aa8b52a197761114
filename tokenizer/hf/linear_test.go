package hf

import (
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// allocated returns how many bytes f asks for.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// What is cut asks for memory as its length, not as its square: 16 times the text, about 16 times the bytes.
func TestCutsLinear(t *testing.T) {
	pre := map[string]string{
		"digits":      `{"type":"Digits"}`,
		"punctuation": `{"type":"Punctuation","behavior":"Contiguous"}`,
		"whitespace":  `{"type":"Whitespace"}`,
		"spaces":      `{"type":"WhitespaceSplit"}`,
		"delimiter":   `{"type":"CharDelimiterSplit","delimiter":"7"}`,
		"metaspace":   `{"type":"Metaspace"}`,
		"bert":        `{"type":"BertPreTokenizer"}`,
		"bytes":       `{"type":"ByteLevel"}`,
		"scripts":     `{"type":"UnicodeScripts"}`,
	}
	for _, behavior := range []string{"Isolated", "Removed", "Contiguous", "MergedWithPrevious", "MergedWithNext"} {
		for _, pattern := range []string{`{"String":"7"}`, `{"Regex":"7"}`, `{"Regex":"[7!]"}`, `{"Regex":"7!"}`} {
			pre[behavior+pattern] = `{"type":"Split","pattern":` + pattern + `,"behavior":"` + behavior + `"}`
		}
	}
	for name, file := range pre {
		split, err := preTokenizer([]byte(file))
		if err != nil {
			t.Fatal(name, err)
		}
		for _, unit := range []string{"7", "!", " ", "7!", "a"} {
			cut := func(n int) uint64 {
				text := strings.Repeat(unit, n/len(unit))
				return allocated(func() {
					if pieces, err := split(newWalk(t.Context(), len(text)), []piece{{text, true}}); err != nil || len(pieces) == 0 && unit == "a" {
						t.Errorf("%s: %q: %d pieces, %v", name, unit, len(pieces), err)
					}
				})
			}
			if short, long := cut(500), cut(8000); long > 64*short+1<<16 {
				t.Errorf("%s: %q: %d bytes for 16 times the text, which takes %d", name, unit, long, short)
			}
		}
	}
}

// Added tokens that take the spaces before them look no further back than the one before.
func TestAddedSpaces(t *testing.T) {
	tok := open(t, `{`+bytesModel+`,"added_tokens":[{"id":7,"content":"  ","lstrip":true},{"id":8,"content":"x","lstrip":true,"rstrip":true}]}`)
	for text, want := range map[string][]int64{
		"     a":      {7, 7, 4, 0},
		"a  \u00a0  ": {0, 7, 7},
		" x  xa":      {8, 8, 0},
		"a x b":       {0, 8, 1},
	} {
		if ids, err := tok.Encode(t.Context(), text); err != nil || !slices.Equal(ids, want) {
			t.Errorf("%q: %v, %v, want %v", text, ids, err, want)
		}
	}
	long := make(chan []int64)
	go func() {
		ids, _ := tok.Encode(t.Context(), strings.Repeat(" ", 1<<20))
		long <- ids
	}()
	select {
	case ids := <-long:
		if len(ids) != 1<<19 {
			t.Errorf("%d tokens", len(ids))
		}
	case <-time.After(time.Minute): // where each token looks at all before it, many minutes
		t.Error("a text of spaces takes more than a minute")
	}
}
