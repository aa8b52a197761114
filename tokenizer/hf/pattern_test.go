package hf

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/tokenizer/hf/internal/oniguruma"
)

// texts are the pieces that a pre-tokenizer makes of a text.
func texts(t testing.TB, pre, text string) (out []string) {
	t.Helper()
	split, err := pipeline([]byte(pre), "pretokenizers", sizeOfPieces, preTokenizer)
	if err != nil {
		t.Fatal(err)
	}
	pieces, err := split(newWalk(t.Context(), len(text)), []piece{{text, true}})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pieces {
		if p.first {
			out = append(out, "^"+p.text)
		} else {
			out = append(out, p.text)
		}
	}
	return out
}

// What a pre-tokenizer makes of a text, as tokenizers 0.23.3 does; ^ is before what the text begins with.
func TestCutPieces(t *testing.T) {
	split := func(pattern, behavior string) string {
		return `{"type":"Split","pattern":{` + pattern + `},"behavior":"` + behavior + `"}`
	}
	for _, tc := range []struct {
		pre, text string
		want      []string
	}{
		{split(`"String":"aa"`, "Isolated"), "aaaba", []string{"^aa", "aba"}},
		{split(`"String":"b"`, "Removed"), "babab", []string{"a", "a"}},
		{split(`"String":"b"`, "Isolated"), "", nil},
		{split(`"Regex":"b*"`, "Isolated"), "", nil},
		{split(`"Regex":"b*"`, "Isolated"), "abba", []string{"^a", "bb", "a"}},
		{split(`"Regex":"b*"`, "Removed"), "abba", []string{"^a", "a"}},
		{split(`"Regex":"\\b"`, "Isolated"), "ab cd", []string{"^ab", " ", "cd"}},
		{split(`"Regex":"(?=b)"`, "MergedWithPrevious"), "abbc", []string{"^a", "b", "bc"}},
		{split(`"Regex":"(?=b)"`, "MergedWithNext"), "bbc", []string{"^b", "bc"}},
		{split(`"Regex":"b|(?=c)"`, "Contiguous"), "abbcb", []string{"^a", "bb", "c", "b"}},
		{split(`"Regex":"b"`, "Contiguous"), "bbabb", []string{"^bb", "a", "bb"}},
		{split(`"Regex":"b"`, "MergedWithPrevious"), "babbab", []string{"^b", "ab", "b", "ab"}},
		{split(`"Regex":"b"`, "MergedWithNext"), "babbab", []string{"^ba", "b", "ba", "b"}},
		{split(`"Regex":"x*"`, "MergedWithPrevious"), "aab", []string{"^a", "a", "b"}},
		{split(`"Regex":"x*"`, "MergedWithNext"), "aab", []string{"^a", "a", "b"}},
		{split(`"Regex":"x*"`, "Contiguous"), "aab", []string{"^a", "a", "b"}},
		{split(`"Regex":"(?=b)"`, "MergedWithPrevious"), "bba", []string{"^b", "ba"}},
		{`{"type":"UnicodeScripts"}`, "Apples are りんご 林檎", []string{"^Apples are ", "りんご 林檎"}},
		{`{"type":"UnicodeScripts"}`, "どこで生れ。Yes", []string{"^どこで生れ", "。", "Yes"}},
		{`{"type":"UnicodeScripts"}`, "ーこ a", []string{"^ーこ ", "a"}},
		{`{"type":"UnicodeScripts"}`, "a1b 2c漢1あ", []string{"^a", "1", "b ", "2", "c", "漢", "1", "あ"}},
		{`{"type":"UnicodeScripts"}`, "Яa, 漢字ー カ1", []string{"^Я", "a", ", ", "漢字ー カ", "1"}},
		{`{"type":"UnicodeScripts"}`, "  a", []string{"a"}},
		{`{"type":"UnicodeScripts"}`, "\u0378a \u0378", []string{"a \u0378"}},
		{`{"type":"UnicodeScripts"}`, "  ", nil},
		{`{"type":"UnicodeScripts"}`, "", nil},
		{`{"type":"UnicodeScripts"}`, "ªǅ𝒳𐐀", []string{"^ªǅ", "𝒳", "𐐀"}},
		{`{"type":"Metaspace","prepend_scheme":"first"}`, "a b", []string{"^▁a", "▁b"}},
		{`{"type":"Sequence","pretokenizers":[` + split(`"Regex":"(?=a)"`, "Isolated") + `,{"type":"Metaspace","prepend_scheme":"first"}]}`, "aab",
			[]string{"^▁a", "ab"}},
	} {
		if got := texts(t, tc.pre, tc.text); !slices.Equal(got, tc.want) {
			t.Errorf("%s: %q: %q, want %q", tc.pre, tc.text, got, tc.want)
		}
	}
}

// What a normalizer makes of a text, as tokenizers 0.23.3 does.
func TestNormalized(t *testing.T) {
	for _, tc := range []struct{ normalizer, text, want string }{
		{`{"type":"Nmt"}`, "a\x00\x01\x08\t\n\x0b\x0c\r\x0e\x1f \x7e\x7f\u0080\u008e\u008f\u0090\u009e\u009f\u00a0b", "a\x00     \x7e\u0080\u008e\u0090\u009e\u00a0b"},
		{`{"type":"Nmt"}`, "\u167f\u1680\u1681|\u200a\u200b\u200d\u200f\u2010|\u2027\u2028\u2029\u202a|\u2580\u2581\u2582|\ufefe\ufeff\uff00|\ufffc\ufffd\ufffe",
			"\u167f \u1681|\u200a   \u2010|\u2027  \u202a|\u2580 \u2582|\ufefe \uff00|\ufffc \ufffe"},
		{`{"type":"ByteLevel"}`, "a é\n", "aĠÃ©Ċ"},
		{`{"type":"Replace","pattern":{"Regex":"x*"},"content":"-"}`, "axb", "-a-b-"},
		{`{"type":"Replace","pattern":{"Regex":"x*"},"content":"-"}`, "", ""},
		{`{"type":"Replace","pattern":{"Regex":"(?<=a)x"},"content":"-"}`, "axx", "a-x"},
		{`{"type":"Replace","pattern":{"String":"x"},"content":"--"}`, "axx", "a----"},
	} {
		f, err := normalizer([]byte(tc.normalizer))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := f(newWalk(t.Context(), len(tc.text)), tc.text); err != nil || got != tc.want {
			t.Errorf("%s: %q: %q, %v, want %q", tc.normalizer, tc.text, got, err, tc.want)
		}
	}
}

// An expression that is given up is an error wherever it stands, which names it; also in a part of a Sequence.
func TestGivenUp(t *testing.T) {
	const regex = `"pattern":{"Regex":"a{0,5000}b"}`
	long := strings.Repeat("a", 20_000)
	const want = "tokenizer: the regular expression a{0,5000}b: tokenizer.json takes more than "
	for _, part := range []string{
		`"normalizer":{"type":"Replace","content":"",` + regex + `}`,
		`"normalizer":{"type":"Sequence","normalizers":[{"type":"NFC"},{"type":"Replace","content":"",` + regex + `},{"type":"NFC"}]}`,
		`"pre_tokenizer":{"type":"Split","behavior":"Isolated",` + regex + `}`,
	} {
		tok := open(t, `{`+bytesModel+`,`+part+`}`)
		if ids, err := tok.Encode(t.Context(), long); err == nil || !strings.HasPrefix(err.Error(), want) || ids != nil {
			t.Errorf("%s: %d ids, %v", part, len(ids), err)
		}
		if ids, err := tok.EncodePrompt(t.Context(), long); err == nil || !strings.HasPrefix(err.Error(), want) || ids != nil {
			t.Errorf("%s: prompt: %d ids, %v", part, len(ids), err)
		}
	}
	file := `{"model":{"type":"WordLevel","unk_token":"u","vocab":{"u":0,"` + long + `":1}},"decoder":{"type":"Replace","content":"",` + regex + `}}`
	if text, err := open(t, file).Decode([]int64{0, 1}); err == nil || !strings.HasPrefix(err.Error(), want) || text != "" {
		t.Errorf("decoder: %d bytes, %v", len(text), err)
	}
	file = `{` + bytesModel + `,"normalizer":{"type":"Replace","content":"",` + regex + `},"added_tokens":[{"id":7,"content":"` + long + `","normalized":true}]}`
	if _, err := New([]byte(file)); err == nil || !strings.HasPrefix(err.Error(), "tokenizer: added_tokens: token 7: the regular expression a{0,5000}b: ") {
		t.Errorf("added token: %v", err)
	}
}

// A pattern of text looks at the context as one that is an expression does.
func TestPatternContext(t *testing.T) {
	e, err := oniguruma.Compile("a")
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancelCause(t.Context())
	end(errEnough)
	for _, p := range []pattern{{text: "a"}, {expression: e}} {
		if spans, err := p.spans(newWalk(ctx, 2*looked), strings.Repeat("a", 2*looked)); !errors.Is(err, errEnough) || spans != nil {
			t.Errorf("%d spans, %v", len(spans), err)
		}
		if spans, err := p.spans(newWalk(t.Context(), looked/8), strings.Repeat("a", looked/8)); err != nil || len(spans) != looked/8 {
			t.Errorf("%d spans of a short text, %v", len(spans), err)
		}
	}
	if text, err := (pattern{expression: e}).replace(newWalk(ctx, 2*looked), strings.Repeat("a", 2*looked), "b"); !errors.Is(err, errEnough) || text != "" {
		t.Errorf("%d bytes, %v", len(text), err)
	}
}
