package hf

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/tokenizer"
)

const unknownModel = `"model":{"type":"WordLevel","vocab":{"u":0},"unk_token":"u"}`

// nested returns a part within so many Sequences.
func nested(depth int, list, part string) string {
	return strings.Repeat(`{"type":"Sequence","`+list+`":[`, depth) + part + strings.Repeat("]}", depth)
}

// several returns a Sequence of so many of a part.
func several(n int, list, part string) string {
	return `{"type":"Sequence","` + list + `":[` + strings.TrimSuffix(strings.Repeat(part+",", n), ",") + "]}"
}

func replacing(a, by string) string {
	return fmt.Sprintf(`{"type":"Replace","pattern":{"String":%q},"content":%q}`, a, by)
}

// What a file asks for without bound is an error when it is opened.
func TestBombsAtOpening(t *testing.T) {
	ids := strings.TrimSuffix(strings.Repeat("1,", 20_000), ",")
	piece := strings.TrimSuffix(strings.Repeat(`{"SpecialToken":{"id":"x","type_id":0}},`, 5_000), ",")
	for name, tc := range map[string]struct{ file, want string }{
		"added": {`"normalizer":` + several(36, "normalizers", replacing("a", "aa")) + `,"added_tokens":[{"id":1,"content":"a","normalized":true}]`,
			"added_tokens: token 1: tokenizer.json makes more than 1152 bytes of a text of 2"},
		"template": {`"post_processor":{"type":"TemplateProcessing","single":[` + piece + `,{"Sequence":{"id":"A","type_id":0}}],
			"special_tokens":{"x":{"id":"x","ids":[` + ids + `],"tokens":[]}}}`, "post_processor: it puts more than 1024 ids before a text"},
		"forms":       {`"normalizer":` + charsmap('a', "\xff"), "normalizer: type \"Precompiled\": the normal forms in precompiled_charsmap are not valid UTF-8"},
		"normalizers": {`"normalizer":` + nested(4000, "normalizers", `{"type":"NFC"}`), "normalizer: it has more than 16 Sequences within one another"},
		"pieces":      {`"pre_tokenizer":` + nested(4000, "pretokenizers", `{"type":"Digits"}`), "pre_tokenizer: it has more than 16 Sequences"},
		"decoders":    {`"decoder":` + nested(4000, "decoders", `{"type":"Fuse"}`), "decoder: it has more than 16 Sequences"},
		"processors":  {`"post_processor":` + nested(4000, "processors", `{"type":"ByteLevel"}`), "post_processor: it has more than 16 Sequences"},
	} {
		if _, err := New([]byte("{" + unknownModel + "," + tc.file + "}")); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
}

// atBound opens a file at a bound, and has the error of one beyond.
func atBound(t *testing.T, most int, want string, file func(n int) string) {
	t.Helper()
	if _, err := New([]byte("{" + unknownModel + "," + file(most) + "}")); err != nil {
		t.Errorf("%d: %v", most, err)
	}
	if _, err := New([]byte("{" + unknownModel + "," + file(most+1) + "}")); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%d: %v, want %q", most+1, err, want)
	}
}

// TestBoundsOfFiles: a file at each bound is read, and one beyond is not.
func TestBoundsOfFiles(t *testing.T) {
	for list, field := range map[string]string{"normalizers": "normalizer", "pretokenizers": "pre_tokenizer", "decoders": "decoder", "processors": "post_processor"} {
		part := map[string]string{"normalizers": `{"type":"NFC"}`, "pretokenizers": `{"type":"Digits"}`, "decoders": `{"type":"Fuse"}`,
			"processors": `{"type":"ByteLevel"}`}[list]
		atBound(t, 16, field+": it has more than 16 Sequences", func(n int) string { return `"` + field + `":` + nested(n, list, part) })
		atBound(t, 1024, field+": it has more than 1024 parts", func(n int) string { return `"` + field + `":` + several(n, list, part) })
		// Within one another they count together.
		atBound(t, 511, field+": it has more than 1024 parts", func(n int) string {
			return `"` + field + `":` + several(2, list, several(n, list, part)+","+part)
		})
	}
	cls := `{"type":"BertProcessing","sep":["x",1],"cls":["x",1]}`
	atBound(t, 1024, "post_processor: it ", func(n int) string { return `"post_processor":` + several(n, "processors", cls) })
	template := func(n int) string {
		ids := strings.TrimSuffix(strings.Repeat("1,", n), ",")
		return `{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"x"}},{"SpecialToken":{"id":"x"}},{"Sequence":{"id":"A"}}],
			"special_tokens":{"x":{"ids":[` + ids + `]}}}`
	}
	atBound(t, 512, "it puts more than 1024 ids", func(n int) string { return `"post_processor":` + template(n) })
	atBound(t, 256, "it puts more than 1024 ids", func(n int) string {
		return `"post_processor":` + several(2, "processors", template(n))
	})
	atBound(t, 1024, `precompiled_charsmap has a normal form of 1025 bytes; want at most 1024`, func(n int) string {
		return `"normalizer":` + charsmap('a', strings.Repeat("b", n))
	})
}

// TestGrowth: what normalizers and decoders make of one byte has 64 bytes and 1 kB at most.
func TestGrowth(t *testing.T) {
	const most = 64 + 1024
	b := func(n int) string { return strings.Repeat("b", n) }
	for name, normalizer := range map[string]func(n int) string{
		"replace":    func(n int) string { return replacing("a", b(n)) },
		"expression": func(n int) string { return `{"type":"Replace","pattern":{"Regex":"[a]"},"content":"` + b(n) + `"}` },
		"prepend":    func(n int) string { return `{"type":"Prepend","prepend":"` + b(n-1) + `"}` },
		"precompiled": func(n int) string {
			return several(1, "normalizers", charsmap('a', b(n-100))+`,{"type":"Prepend","prepend":"`+b(100)+`"}`)
		},
		"two": func(n int) string {
			return several(1, "normalizers", replacing("a", b(500))+","+replacing(b(500), b(n)))
		},
	} {
		for n, fits := range map[int]bool{most: true, most + 1: false} {
			tok := open(t, `{`+unknownModel+`,"normalizer":`+normalizer(n)+`}`)
			text, err := tok.normalize(newWalk(t.Context(), 1), "a")
			want := fmt.Sprintf("tokenizer.json makes more than %d bytes of a text of 1;", most)
			if ok := err == nil; ok != fits || ok && len(text) != n || !ok && !strings.Contains(err.Error(), want) {
				t.Errorf("%s of %d: %d bytes, %v", name, n, len(text), err)
			}
		}
	}
	// What is taken away makes no room.
	for n, fits := range map[int]bool{most: true, most + 1: false} {
		tok := open(t, `{`+unknownModel+`,"normalizer":`+several(1, "normalizers", replacing("a", b(500))+","+replacing(b(500), "")+
			`,{"type":"NFC"},`+replacing("c", "a")+","+replacing("a", b(n-499)))+`}`)
		if text, err := tok.normalize(newWalk(t.Context(), 1), "ac"); (err == nil) != fits || fits && len(text) != n-499 {
			t.Errorf("given back of %d: %d bytes, %v", n, len(text), err)
		}
	}
	for name, decoder := range map[string]func(n int) string{
		"replace":    func(n int) string { return replacing("a", b(n)) },
		"expression": func(n int) string { return `{"type":"Replace","pattern":{"Regex":"[a]"},"content":"` + b(n) + `"}` },
	} {
		for n, fits := range map[int]bool{most: true, most + 1: false} {
			tok := open(t, `{`+unknownModel+`,"decoder":`+decoder(n)+`}`)
			texts, err := tok.decode(newWalk(t.Context(), 1), []string{"a", "c"})
			if ok := err == nil; ok != fits || ok && (len(texts) != 2 || texts[0] != b(n) || texts[1] != "c") {
				t.Errorf("decoder %s of %d: %d, %v", name, n, len(texts), err)
			}
			// Tokens have the room together.
			texts, err = tok.decode(newWalk(t.Context(), 1), slices.Repeat([]string{"a"}, n))
			if err == nil {
				t.Errorf("decoder %s of %d tokens: %d", name, n, len(texts))
			}
		}
	}
}

// TestRoom: a part that may add many bytes asks for all that it adds, and for no more, before it does.
func TestRoom(t *testing.T) {
	forms, err := readPrecompiled(tableOf(charsmap('a', "bbb")))
	if err != nil {
		t.Fatal(err)
	}
	by := func(p pattern) func(w *walk, s string) (string, error) {
		return func(w *walk, s string) (string, error) { return p.replace(w, s, "bbb") }
	}
	for name, add := range map[string]func(w *walk, s string) (string, error){
		"text": by(pattern{text: "a"}), "expression": by(expression(t, "a")), "forms": forms.normalize,
	} {
		for text, want := range map[string]string{"": "", "c": "c", "a": "bbb", "aa": "bbbbbb", "xaya": "xbbbybbb", "caé": "cbbbé"} {
			added := len(want) - len(text)
			if got, err := add(&walk{Context: t.Context(), room: added, work: 1000}, text); err != nil || got != want {
				t.Errorf("%s: %q: %q, %v, want %q", name, text, got, err, want)
			}
			if got, err := add(&walk{Context: t.Context(), room: added - 1, work: 1000}, text); text != "" && (err == nil || got != "") {
				t.Errorf("%s: %q: %q where there is room for %d bytes", name, text, got, added-1)
			}
		}
	}
	// What takes bytes away needs no room.
	for _, p := range []pattern{{text: "aa"}, expression(t, "aa")} {
		if got, err := p.replace(&walk{Context: t.Context(), work: 1000}, "xaayaa", ""); err != nil || got != "xy" {
			t.Errorf("taken away: %q, %v", got, err)
		}
	}
}

// TestGrowthOfTexts: parts that double are an error that says of how much, in a text, a prompt and in tokens.
func TestGrowthOfTexts(t *testing.T) {
	double := map[string]string{
		"normalizer":    several(36, "normalizers", replacing("a", "aa")),
		"pre_tokenizer": several(36, "pretokenizers", `{"type":"ByteLevel","use_regex":false,"add_prefix_space":false}`),
		"decoder":       several(36, "decoders", replacing("a", "aa")),
	}
	for part, file := range double {
		tok := open(t, `{"model":{"type":"WordLevel","vocab":{"u":0,"aé":1},"unk_token":"u"},"`+part+`":`+file+`}`)
		var err error
		if want := "tokenizer: tokenizer.json makes more than "; part == "decoder" {
			if _, err = tok.Decode([]int64{1, 1}); err == nil || !strings.HasPrefix(err.Error(), want+"1536 bytes of a text of 8;") {
				t.Errorf("%s: %v", part, err)
			}
		} else if _, err = tok.Encode(t.Context(), "aéé"); err == nil || !strings.HasPrefix(err.Error(), want+"1344 bytes of a text of 5;") {
			t.Errorf("%s: %v", part, err)
		} else if _, err := tok.EncodePrompt(t.Context(), "aéé"); err == nil {
			t.Errorf("%s: no error for a prompt", part)
		}
	}
	// The parts of a text between added tokens have the room together.
	tok := open(t, `{`+unknownModel+`,"normalizer":`+replacing("a", strings.Repeat("b", 900))+`,"added_tokens":[{"id":1,"content":"<s>"}]}`)
	if ids, err := tok.Encode(t.Context(), "a<s>"); err != nil || !slices.Equal(ids, []int64{0, 1}) {
		t.Errorf("one part: %v, %v", ids, err)
	}
	if _, err := tok.Encode(t.Context(), strings.Repeat("a<s>", 2)); err == nil {
		t.Error("no error for two parts that become 1800 bytes")
	}
}

// TestLongestForm: what published files make of the longest of Unicode's normal forms is within the bounds.
func TestLongestForm(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "*.json.gz"))
	if err != nil || len(files) < 10 {
		t.Fatal(len(files), err)
	}
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		var file struct{ Tokenizer json.RawMessage }
		if err := json.NewDecoder(z).Decode(&file); err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{strings.Repeat("ﷺ", 1000), strings.Repeat("ﷺ ", 1000)} {
			if _, err := open(t, string(file.Tokenizer)).Encode(t.Context(), text); err != nil && strings.Contains(err.Error(), tokenizer.File) {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
}

// TestLook: a walk has 512 steps for each byte and 65,536 more, and ends with its context.
func TestLook(t *testing.T) {
	for _, n := range []int{0, 1, 7} {
		most := 512*n + 65536
		w := newWalk(t.Context(), n)
		if err := w.look(most); err != nil {
			t.Errorf("%d bytes: %v", n, err)
		}
		want := fmt.Sprintf("tokenizer.json takes more than %d steps for a text of %d bytes;", most, n)
		if err := w.look(1); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%d bytes: %v, want %q", n, err, want)
		}
	}
	ctx, end := context.WithCancelCause(t.Context())
	end(errEnough)
	if err := newWalk(ctx, 1).look(1); !errors.Is(err, errEnough) {
		t.Errorf("ended: %v", err)
	}
}

// stepsOf returns how many steps f counts.
func stepsOf(t *testing.T, text int, f func(w *walk) error) int {
	t.Helper()
	w := newWalk(t.Context(), text)
	before := w.work
	if err := f(w); err != nil {
		t.Fatal(err)
	}
	return before - w.work
}

// TestPasses: each part counts the bytes, the pieces and itself.
func TestPasses(t *testing.T) {
	tok := open(t, `{`+unknownModel+`,"normalizer":`+several(1, "normalizers", replacing("a", "bb")+","+replacing("b", "b"))+`,
		"pre_tokenizer":`+several(2, "pretokenizers", `{"type":"WhitespaceSplit"}`)+`,"decoder":`+several(2, "decoders", `{"type":"Fuse"}`)+`}`)
	if n := stepsOf(t, 3, func(w *walk) error { _, err := tok.normalize(w, "aac"); return err }); n != 3+1+5+1 {
		t.Errorf("normalizers: %d", n)
	}
	if n := stepsOf(t, 5, func(w *walk) error { _, err := tok.split(w, []piece{{"aa cc", true}}); return err }); n != 5+1+1+4+2+1 {
		t.Errorf("pre-tokenizers: %d", n)
	}
	if n := stepsOf(t, 5, func(w *walk) error { _, err := tok.decode(w, []string{"aa", "bbb"}); return err }); n != 5+2+1+5+1+1 {
		t.Errorf("decoders: %d", n)
	}
}

// TestLongToken: a token of 20 kB takes no steps but where a text goes on as it does, and then they are bounded.
func TestLongToken(t *testing.T) {
	long := strings.Repeat("a", 20_000)
	const part = 5_000
	for name, model := range map[string]string{
		"unigram":   `{"type":"Unigram","unk_id":0,"vocab":[["u",0],["a",-1],["b",-1],["` + long + `",-1]]}`,
		"wordpiece": `{"type":"WordPiece","unk_token":"u","continuing_subword_prefix":"","max_input_chars_per_word":1000000,"vocab":{"u":0,"a":1,"b":2,"` + long + `c":3}}`,
	} {
		tok := open(t, `{"model":`+model+`}`)
		text := strings.Repeat("ab", part)
		if n := stepsOf(t, len(text), func(w *walk) error { _, err := tok.model.encode(w, nil, text); return err }); n > 2*len(text) {
			t.Errorf("%s: %d steps for %d bytes", name, n, len(text))
		}
		if _, err := tok.Encode(t.Context(), strings.Repeat("a", 2*part)); err == nil || !strings.Contains(err.Error(), "takes more than 5185536 steps for a text of 10000 bytes") {
			t.Errorf("%s: %v", name, err)
		}
	}
	tok := open(t, `{`+unknownModel+`,"added_tokens":[{"id":1,"content":"`+long+`"},{"id":2,"content":"ab"}]}`)
	text := strings.Repeat("ab", part)
	if n := stepsOf(t, len(text), func(w *walk) error { _, err := tok.added.plain.cut(w, text, true); return err }); n > 2*len(text) {
		t.Errorf("added: %d steps for %d bytes", n, len(text))
	}
	if _, err := tok.Encode(t.Context(), strings.Repeat("a", 19_999)); err == nil || !strings.Contains(err.Error(), "takes more than") {
		t.Errorf("added: %v", err)
	}
}

// TestPrefixOfCharacters: a long continuing_subword_prefix counts for each character.
func TestPrefixOfCharacters(t *testing.T) {
	prefix := strings.Repeat("#", 2000)
	tok := open(t, `{"model":{"type":"BPE","vocab":{"a":0,"`+prefix+`a":1},"merges":[],"continuing_subword_prefix":"`+prefix+`"}}`)
	if ids, err := tok.Encode(t.Context(), "aaa"); err != nil || !slices.Equal(ids, []int64{0, 1, 1}) {
		t.Errorf("ids %v, %v", ids, err)
	}
	if _, err := tok.Encode(t.Context(), strings.Repeat("a", 1000)); err == nil || !strings.Contains(err.Error(), "takes more than") {
		t.Errorf("1000 characters: %v", err)
	}
}
