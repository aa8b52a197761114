package hf

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/tokenizer"
)

// randomText has words of few letters, so that pairs recur, are as frequent as others, and
// overlap, and characters of up to four bytes.
func randomText(rng *rand.Rand, n int) string {
	alphabet := []rune("aaabbc de  é東😀\n1'")
	var b strings.Builder
	for range n {
		b.WriteRune(alphabet[rng.IntN(len(alphabet))])
	}
	return b.String()
}

// naiveBPE is trainBPE that counts all pairs anew at each merge.
func naiveBPE(t *testing.T, size int, texts []string) []string {
	t.Helper()
	p := expression(t, gpt2)
	var words [][]string // one for each occurrence
	for _, text := range texts {
		for _, word := range spansOf(t, p, text) {
			words = append(words, strings.Split(spelled(text[word.from:word.to]), ""))
		}
	}
	pieces := []string{"<pad:bpe>", "</s>"}
	id := map[string]int{} // by what is spelled
	for b := range 256 {
		s := spelled(string([]byte{byte(b)}))
		id[s] = len(pieces)
		pieces = append(pieces, s)
	}
	for len(pieces) < size {
		counts := map[[2]string]int{}
		for _, w := range words {
			for i := range len(w) - 1 {
				counts[[2]string{w[i], w[i+1]}]++
			}
		}
		var best [2]string
		most := 1
		for p, n := range counts {
			if _, known := id[p[0]+p[1]]; known || n < most {
				continue
			}
			if n > most || id[p[0]] < id[best[0]] || id[p[0]] == id[best[0]] && id[p[1]] < id[best[1]] {
				if n > 1 {
					best, most = p, n
				}
			}
		}
		if most < 2 {
			return pieces
		}
		for k, w := range words {
			var out []string
			for i := 0; i < len(w); i++ {
				if i+1 < len(w) && w[i] == best[0] && w[i+1] == best[1] {
					out = append(out, best[0]+best[1])
					i++
				} else {
					out = append(out, w[i])
				}
			}
			words[k] = out
		}
		id[best[0]+best[1]] = len(pieces)
		pieces = append(pieces, best[0]+" "+best[1])
	}
	return pieces
}

func TestTrainBPE(t *testing.T) {
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 1))
		texts := []string{randomText(rng, 600), "aaaa aaaaa aaaaaaa", randomText(rng, 300)}
		want := naiveBPE(t, 340, texts)
		got, err := learn(len(want), texts...)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("seed %d: pieces (-naive +trained):\n%s", seed, diff)
		}
		tok, err := tokenizer.New(got)
		if err != nil {
			t.Fatal(err)
		}
		// what was not trained on, too: the end token's text, and bytes that no text had
		for _, text := range append(texts, "", "</s> <pad:bpe>", "Größe\x00 \t\u2003東京 🙂"+randomText(rng, 100)) {
			ids, err := tok.Encode(t.Context(), text)
			if err != nil {
				t.Fatal(err)
			}
			if back, err := tok.Decode(ids); err != nil || back != text {
				t.Fatalf("%q comes back as %q, %v", text, back, err)
			}
			if slices.Contains(ids, tokenizer.EOS) || slices.Contains(ids, tokenizer.Pad) {
				t.Errorf("%q has special tokens: %v", text, ids)
			}
		}
		// training and encoding merge the same: with the naive merges the text has as many tokens
		ids, err := tok.Encode(t.Context(), texts[0])
		if err != nil || len(ids) >= len(texts[0])*3/4 {
			t.Errorf("%d bytes in %d tokens, %v", len(texts[0]), len(ids), err)
		}
	}
}

func TestTrainBPEKnown(t *testing.T) {
	// "low" is the example of Sennrich et al. Pairs: lo 7 and ow 7 (lo has the lower left id), then
	// low of 7, then the pairs of " l".
	texts := []string{strings.Repeat("low ", 5) + "lowest lowest"}
	got, err := learn(firstMerge+3, texts...)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"l o", "lo w", "Ġ low"}, got[firstMerge:]); diff != "" {
		t.Error(diff)
	}
	if _, err := learn(512, texts...); err == nil || !strings.Contains(err.Error(),
		"512 pieces are asked for, and the training text has pairs for 26") {
		t.Errorf("error %v", err)
	}
}

func TestSubwordsRefused(t *testing.T) {
	pieces, _ := bytePieces()
	for want, list := range map[string][]string{
		`has the pieces "<pad:bpe>" and "</s>" and then the 256 bytes`: pieces[:257],
		"piece 258 is \"a </s>\", which does not join":                 append(slices.Clone(pieces), "a </s>"),
		"piece 258 is \"ab c\", which does not join":                   append(slices.Clone(pieces), "ab c"),
		"which does not join two":                                      append(slices.Clone(pieces), "a bc"),
		"piece 258 is \"</s> a\", which does not join":                 append(slices.Clone(pieces), "</s> a"),
		"makes the text of a piece before it":                          append(slices.Clone(pieces), "a b", "b c", "a bc", "ab c"),
	} {
		if _, err := tokenizer.New(list); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not contain %q", err, want)
		}
	}
}

// TestPairs: pairs are counted as often as their words occur, and each of their words is looked at once.
func TestPairs(t *testing.T) {
	const a, b = 2 + 'a', 2 + 'b'
	ab, ba, bb := pair{a, b}, pair{b, a}, pair{b, b}
	unexported := cmp.AllowUnexported(pair{})
	p := newPairs(map[string]int{"abab": 3, "abb": 2, "b": 7})
	check := func(count map[pair]int, where map[pair][]int, words [][]int64) {
		t.Helper()
		if diff := cmp.Diff(count, p.count, unexported) + cmp.Diff(where, p.where, unexported) + cmp.Diff(words, p.words); diff != "" {
			t.Errorf("counts, places and words (-want +got):\n%s", diff)
		}
	}
	check(map[pair]int{ab: 8, ba: 3, bb: 2}, map[pair][]int{ab: {0, 1}, ba: {0}, bb: {1}}, [][]int64{{a, b, a, b}, {a, b, b}, {b}})
	if top, ok := p.most(); top != ab || !ok {
		t.Errorf("%v, %v", top, ok)
	}
	p.merge(ab, 300)
	check(map[pair]int{ba: 0, bb: 0, {300, a}: 0, {300, 300}: 3, {300, b}: 2}, map[pair][]int{ba: {0}, bb: {1}, {300, a}: {0}, {300, 300}: {0}, {300, b}: {1}},
		[][]int64{{300, 300}, {300, b}, {b}})
	for _, want := range []pair{{300, 300}, {300, b}} {
		if top, ok := p.most(); top != want || !ok {
			t.Errorf("%v, %v, want %v", top, ok, want)
		}
	}
	if top, ok := p.most(); ok || len(p.queue) != 0 {
		t.Errorf("%v, and %d in the queue", top, len(p.queue))
	}
}

// TestOrders: what is in the queues of training and of merging is in a strict order.
func TestOrders(t *testing.T) {
	ordered := []counted{{pair{9, 9}, 3}, {pair{1, 2}, 2}, {pair{1, 3}, 2}, {pair{2, 0}, 2}, {pair{0, 0}, 1}}
	merges := candidates{{merge{1, 9}, 0, pair{}}, {merge{1, 8}, 1, pair{}}, {merge{1, 8}, 4, pair{}}, {merge{2, 7}, 0, pair{}}, {merge{2, 7}, 3, pair{}}}
	for i := range ordered {
		for k := range ordered {
			if ordered[i].before(ordered[k]) != (i < k) || merges.Less(i, k) != (i < k) {
				t.Errorf("%d and %d: %v, %v", i, k, ordered[i].before(ordered[k]), merges.Less(i, k))
			}
		}
	}
}

// The smallest vocabulary has no merge.
func TestSmallestBPE(t *testing.T) {
	bytes, _ := bytePieces()
	if pieces, err := learn(258, "aa aa"); err != nil || !slices.Equal(pieces, bytes) {
		t.Errorf("258: %d pieces, %v", len(pieces), err)
	}
	if _, err := tokenizer.New(append(slices.Clone(bytes), "\u0100 a", "a \u0100")); err != nil { // the byte 0
		t.Error(err)
	}
	if _, err := tokenizer.New(bytes); err != nil {
		t.Error(err)
	}
	if pieces, err := learn(259, "ab", "ab"); err != nil || !slices.Equal(pieces, append(bytes, "a b")) {
		t.Errorf("one pair: %d pieces, %v", len(pieces), err)
	}
	if _, err := learn(257, "aa aa"); err == nil || !strings.Contains(err.Error(), "has 258 pieces or more, not 257") {
		t.Errorf("257: %v", err)
	}
}

// The prompt's tokens are the same before any target.
func TestSubwordPairs(t *testing.T) {
	pieces, err := learn(firstMerge+3, "low low low lowest lowest")
	if err != nil {
		t.Fatal(err)
	}
	tok, err := tokenizer.New(pieces)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range [][2]string{{"low ", "low"}, {"lo", "west"}, {"", "low"}, {"low", ""}} {
		ids, start, err := tok.EncodePair(tc[0], tc[1])
		if err != nil {
			t.Fatal(err)
		}
		prompt, err := tok.EncodePrompt(t.Context(), tc[0])
		if err != nil || !slices.Equal(ids[:start], prompt) {
			t.Errorf("%q: %v, alone %v, %v", tc, ids[:start], prompt, err)
		}
		if text, err := tok.Decode(ids); err != nil || text != tc[0]+tc[1] {
			t.Errorf("%q comes back as %q, %v", tc, text, err)
		}
	}
}

// The file for other programs is read with the same result, but that it knows its special tokens.
func TestSubwordFile(t *testing.T) {
	text := randomText(rand.New(rand.NewPCG(7, 7)), 500)
	pieces, err := learn(300, text)
	if err != nil {
		t.Fatal(err)
	}
	ours, err := tokenizer.New(pieces)
	if err != nil {
		t.Fatal(err)
	}
	file, err := bpeFile(pieces, true)
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := parse(file)
	if err != nil {
		t.Fatal(err)
	}
	a, errA := ours.Encode(t.Context(), text)
	b, errB := theirs.Encode(t.Context(), text)
	if errA != nil || errB != nil || !slices.Equal(a, b) || len(theirs.pieces) != ours.Size() {
		t.Errorf("%v and %v, %v, %v", a, b, errA, errB)
	}
	if id, ok := theirs.idOf(tokenizer.EOSPiece); !ok || id != tokenizer.EOS {
		t.Errorf("the end token is %d, %v", id, ok)
	}
	if ids, err := theirs.Encode(t.Context(), "</s><pad:bpe>"); err != nil || !slices.Equal(ids, []int64{tokenizer.EOS, tokenizer.Pad}) || len(theirs.added.ids) != 2 {
		t.Errorf("%v, %v, of the added tokens %v", ids, err, theirs.added.ids)
	}
}

// The pieces of a version stay: who changes them raises trainVersion, and the sum here.
func TestTrainVersion(t *testing.T) {
	pieces, err := learn(450, randomText(rand.New(rand.NewPCG(2, 2)), 5000), "it's a test, isn't it?\n\n  isn't it")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(strings.Join(pieces, "\n")))
	if got := fmt.Sprintf("%d %x", trainVersion, sum[:8]); got != "1 4658878e528df2bd" {
		t.Errorf("version and pieces: %s", got)
	}
}

// Training tells how far it is, and ends with its context.
func TestTrainProgress(t *testing.T) {
	texts := []string{randomText(rand.New(rand.NewPCG(2, 3)), 500_000), strings.Repeat("and again ", 50)}
	var told []string
	last := map[string]int{}
	progress := func(what string, done, total int) {
		if !slices.Contains(told, what) {
			told = append(told, what)
		}
		if done < last[what] || done > total || total != map[string]int{"bytes of text": len(texts[0]) + len(texts[1]), "subwords": 300}[what] {
			t.Fatalf("%s: %d of %d after %d", what, done, total, last[what])
		}
		last[what] = done
	}
	if _, err := trainBPE(t.Context(), 300, texts, progress); err != nil || !slices.Equal(told, []string{"bytes of text", "subwords"}) ||
		last["bytes of text"] != len(texts[0]) || last["subwords"] < 299 {
		t.Errorf("told of %q, at last %v, %v", told, last, err)
	}
	for at, want := range map[string]int{"bytes of text": 1, "subwords": firstMerge + 7} {
		enough := errors.New("enough")
		ctx, end := context.WithCancelCause(t.Context())
		calls := 0
		_, err := trainBPE(ctx, 300, texts, func(what string, done, _ int) {
			if what == at {
				calls++
				if done >= want {
					end(enough)
				}
			}
		})
		if !errors.Is(err, enough) || calls > 8 {
			t.Errorf("stopped in the %s: %v after %d calls", at, err, calls)
		}
	}
}

// TestWordCounts: words are counted over all texts, and progress is told of before each 65,536 words of a text.
func TestWordCounts(t *testing.T) {
	const many = 1 << 16
	var told [][2]int
	counts, err := wordCounts(t.Context(), []string{strings.Repeat(" a", many), "b", "", strings.Repeat(" a", many+1) + " b"}, func(_ string, done, total int) {
		told = append(told, [2]int{done, total})
	})
	const total = 2*many + 1 + 2*many + 4
	if want := [][2]int{{0, total}, {2 * many, total}, {2*many + 1, total}, {4*many + 1, total}}; err != nil || !slices.Equal(told, want) {
		t.Errorf("told %v, %v, want %v", told, err, want)
	}
	if diff := cmp.Diff(map[string]int{" a": 2*many + 1, "b": 1, " b": 1}, counts); diff != "" {
		t.Error(diff)
	}
}

func BenchmarkTrainBPE(b *testing.B) {
	text := zipfText(5_000_000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := learn(4096, text); err != nil {
			b.Fatal(err)
		}
	}
}
