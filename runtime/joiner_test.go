package runtime

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// Token ids are bytes here. rawDecoder writes them as they are, and replacingDecoder does what
// decoders of other programs do with those that are no UTF-8.
func rawDecoder(ids []int64) (string, error) {
	var b strings.Builder
	for _, id := range ids {
		b.WriteByte(byte(id))
	}
	return b.String(), nil
}

func replacingDecoder(ids []int64) (string, error) {
	text, err := rawDecoder(ids)
	return strings.ToValidUTF8(text, "\uFFFD"), err
}

// trimmingDecoder drops a space at the beginning of a text, as SentencePiece's do.
func trimmingDecoder(ids []int64) (string, error) {
	text, err := rawDecoder(ids)
	return strings.TrimPrefix(text, " "), err
}

// silentDecoder drops the bytes 0 too, as special tokens' are.
func silentDecoder(ids []int64) (string, error) {
	text, err := rawDecoder(ids)
	return strings.TrimPrefix(strings.ReplaceAll(text, "\x00", ""), " "), err
}

func bytesOf(text string) []int64 {
	var ids []int64
	for _, b := range []byte(text) {
		ids = append(ids, int64(b))
	}
	return ids
}

// join returns the pieces of the tokens after a prompt.
func join(t *testing.T, decode func([]int64) (string, error), prompt string, ids []int64) []string {
	t.Helper()
	j, err := newJoiner(decode, bytesOf(prompt))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, id := range ids {
		piece, _, err := j.push(id)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, piece)
	}
	return append(out, j.rest())
}

func TestJoiner(t *testing.T) {
	for _, tt := range []struct {
		name   string
		decode func([]int64) (string, error)
		text   string
		want   []string // the pieces that are not empty
	}{
		{"letters", rawDecoder, "ab", []string{"a", "b"}},
		{"characters", rawDecoder, "é€😀x", []string{"é", "€", "😀", "x"}},
		{"replaced characters", replacingDecoder, "é€😀x", []string{"é", "€", "😀", "x"}},
		{"a character that breaks off", rawDecoder, "a\xe2\x82b", []string{"a", "\uFFFD\uFFFDb"}},
		{"no character", rawDecoder, "a\x80\xffb", []string{"a", "\uFFFD", "\uFFFD", "b"}},
		{"incomplete at the end", rawDecoder, "a\xf0\x9f\x98", []string{"a", "\uFFFD\uFFFD\uFFFD"}},
		{"replaced at the end", replacingDecoder, "a\xf0\x9f\x98", []string{"a", "\uFFFD"}},
		{"U+FFFD itself", rawDecoder, "\uFFFD\uFFFD\uFFFD\uFFFDa", []string{"\uFFFD", "\uFFFD", "\uFFFD", "\uFFFDa"}},
		{"a space after the prompt", trimmingDecoder, " a b", []string{" ", "a", " ", "b"}},
	} {
		got := slices.DeleteFunc(join(t, tt.decode, "prompt", bytesOf(tt.text)), func(s string) bool { return s == "" })
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: pieces %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestJoinerRandom: the pieces of any bytes are valid UTF-8, and joined what all bytes decode to.
func TestJoinerRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	bytes := []byte("ab \xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xff")
	for range 2000 {
		ids := make([]int64, rng.IntN(40))
		for i := range ids {
			ids[i] = int64(bytes[rng.IntN(len(bytes))])
		}
		pieces := join(t, rawDecoder, "€", ids)
		raw, _ := rawDecoder(ids)
		if got := strings.Join(pieces, ""); got != string([]rune(raw)) {
			t.Fatalf("%q is joined to %q", raw, got)
		}
		for _, p := range pieces {
			if !utf8.ValidString(p) {
				t.Fatalf("%q has the piece %q", raw, p)
			}
		}
		// Whole characters are the same for decoders that replace what is none.
		text := strings.Repeat("aé€😀", 1+rng.IntN(9))
		if got := strings.Join(join(t, replacingDecoder, "😀", bytesOf(text)), ""); got != text {
			t.Fatalf("%q is joined to %q", text, got)
		}
	}
}

// TestJoinerSilent: many tokens without a text do not make what follows the beginning of a text.
func TestJoinerSilent(t *testing.T) {
	silence := strings.Repeat("\x00", 20)
	for _, tt := range [][3]string{{"a", silence + " b" + silence + " c", " b c"}, {"a" + silence, " b", " b"}, {silence, " b c", "b c"}} {
		if got := strings.Join(join(t, silentDecoder, tt[0], bytesOf(tt[1])), ""); got != tt[2] {
			t.Errorf("after %q, %q is joined to %q, want %q", tt[0], tt[1], got, tt[2])
		}
	}
}

func TestStopper(t *testing.T) {
	for _, tt := range []struct {
		stops  []string
		pieces []string
		want   []string // what each piece makes certain, and the rest; shorter where the text ends
	}{
		{nil, []string{"a", "b"}, []string{"a", "b", ""}},
		{[]string{"b"}, []string{"abc"}, []string{"a"}},
		{[]string{"STOP"}, []string{"aST", "O", "P"}, []string{"a", "", ""}},
		{[]string{"STOP"}, []string{"aST", "O", "Sx"}, []string{"a", "", "STOSx", ""}},
		{[]string{"STOP"}, []string{"aST", "O"}, []string{"a", "", "STO"}},
		{[]string{"aab"}, []string{"aa", "a", "b"}, []string{"", "a", ""}},
		{[]string{"é\n", "\n\n"}, []string{"x\n", "é", "\n"}, []string{"x", "\n", ""}},
		{[]string{"abcd", "bc"}, []string{"abcd"}, []string{"a"}},         // complete first
		{[]string{"abcd", "bc"}, []string{"ab", "cd"}, []string{"", "a"}}, // however it is cut
		{[]string{"bc", "abc"}, []string{"abc"}, []string{""}},            // the longest of several
	} {
		s := stopper{stops: tt.stops}
		var got []string
		stopped := false
		for _, p := range tt.pieces {
			var piece string
			piece, stopped = s.push(p)
			if got = append(got, piece); stopped {
				break
			}
		}
		if !stopped {
			got = append(got, s.rest())
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("stops %q, pieces %q: %q, want %q", tt.stops, tt.pieces, got, tt.want)
		}
	}
}

// TestStopperRandom: cuts make no difference, and what is told has no stop string.
func TestStopperRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	word := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = "ab"[rng.IntN(2)]
		}
		return string(b)
	}
	stoppedTexts := 0
	for range 5000 {
		text := word(rng.IntN(12))
		var stops []string
		for range 1 + rng.IntN(3) {
			stops = append(stops, word(2+rng.IntN(4)))
		}
		// The text up to the first byte that completes a stop string, without the longest one.
		want, ends := text, false
		for end := 0; end <= len(text) && !ends; end++ {
			for _, stop := range stops {
				if strings.HasSuffix(text[:end], stop) && (!ends || end-len(stop) < len(want)) {
					want, ends = text[:end-len(stop)], true
				}
			}
		}
		s := stopper{stops: stops}
		got, stopped := "", false
		for rest := text; rest != "" && !stopped; {
			n := 1 + rng.IntN(len(rest))
			var piece string
			piece, stopped = s.push(rest[:n])
			got, rest = got+piece, rest[n:]
		}
		if stopped {
			stoppedTexts++
		} else {
			got += s.rest()
		}
		if got != want || stopped != ends {
			t.Fatalf("stops %q in %q: %q (stopped: %v), want %q (%v)", stops, text, got, stopped, want, ends)
		}
	}
	if stoppedTexts < 500 {
		t.Errorf("%d texts had a stop string", stoppedTexts)
	}
}

// TestStarts: where tokens begin in the text of an answer, in characters.
func TestStarts(t *testing.T) {
	for _, tt := range []struct {
		name   string
		decode func([]int64) (string, error)
		spaced bool
		text   string
		want   []int // of each byte of text
	}{
		{"letters", rawDecoder, false, "ab", []int{0, 1}},
		{"characters", rawDecoder, false, "é€x", []int{0, 0, 1, 1, 1, 2}},
		{"replaced characters", replacingDecoder, false, "é€x", []int{0, 0, 1, 1, 1, 2}},
		{"a character that breaks off", rawDecoder, false, "a\xe2\x82b", []int{0, 1, 1, 3}},
		{"no character", rawDecoder, false, "\x80\xffb", []int{0, 1, 2}},
		{"the prompt's space", rawDecoder, true, " ab", []int{0, 0, 1}},
		{"without the prompt's space", rawDecoder, true, "é b", []int{0, 0, 1, 2}},
		{"a stop string", rawDecoder, false, "é.,", []int{0, 0, 1, 2}},
	} {
		j, err := newJoiner(tt.decode, bytesOf("p"))
		if err != nil {
			t.Fatal(err)
		}
		a := completionText{joiner: j, stopper: stopper{stops: []string{".,"}}, spaced: tt.spaced}
		var starts []int
		for _, id := range bytesOf(tt.text) {
			if _, _, err := a.add(id); err != nil {
				t.Fatal(err)
			}
			starts = append(starts, a.start)
		}
		if !slices.Equal(starts, tt.want) {
			t.Errorf("%s: the bytes of %q begin at %v, want %v", tt.name, tt.text, starts, tt.want)
		}
	}
}
