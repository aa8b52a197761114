package hf_test

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/nopezoo/zoo/tokenizer"
	"github.com/nopezoo/zoo/tokenizer/hf"
)

const model = `"model":{"type":"BPE","vocab":{"a":0,"b":1,"ab":2},"merges":["a b"]}`

// TestRefused: what is not supported, or makes no sense, is named.
func TestRefused(t *testing.T) {
	split := func(regex string) string {
		return fmt.Sprintf(`{%s,"pre_tokenizer":{"type":"Split","pattern":{"Regex":%q},"behavior":"Isolated"}}`, model, regex)
	}
	for _, tc := range []struct{ file, want string }{
		{`{`, "not the JSON of a tokenizer"},
		{`{}`, "it has no model"},
		{"{\"model\":{\"type\":\"BPE\",\"vocab\":{\"\xff\":0},\"merges\":[]}}", "tokenizer: it is not valid UTF-8"},
		{`{"model":{"type":"BPE","vocab":{"\ud800":0,"\ud801":1},"merges":[]}}`, `tokenizer: it has \ud800, half of a surrogate pair`},
		{`{"model":{"type":"CRF"}}`, `model: type "CRF" is not supported`},
		{`{` + model + `,"normalizer":{"type":"Precompiled"}}`, "precompiled_charsmap is missing"},
		{`{` + model + `,"normalizer":{"type":"Precompiled","precompiled_charsmap":"!"}}`, "normalizer: "},
		{`{` + model + `,"normalizer":{"type":"Precompiled","precompiled_charsmap":"CAAAAAQAAAA="}}`, "a trie of 8 bytes in 4"},
		{`{` + model + `,"normalizer":{"type":"Sequence","normalizers":[{"type":"Other"}]}}`, `normalizer: type "Other" is not`},
		{`{` + model + `,"pre_tokenizer":{"type":"Other"}}`, `pre_tokenizer: type "Other"`},
		{`{` + model + `,"decoder":{"type":"CTC"}}`, `decoder: type "CTC"`},
		{`{` + model + `,"post_processor":{"type":"Other"}}`, `post_processor: type "Other"`},
		{`{` + model + `,"pre_tokenizer":{"type":"Split","pattern":{"String":"a"},"behavior":"Odd"}}`, `behavior "Odd"`},
		{`{` + model + `,"pre_tokenizer":{"type":"Split","pattern":{},"behavior":"Isolated"}}`, "pattern: it has neither a String nor a Regex"},
		{`{` + model + `,"pre_tokenizer":{"type":"Split","pattern":{"String":""},"behavior":"Isolated"}}`, "pattern: it has neither"},
		{`{` + model + `,"normalizer":{"type":"Replace","pattern":{"String":""},"content":"a"}}`, "pattern: it has neither"},
		{`{` + model + `,"normalizer":{"type":"Replace","pattern":5,"content":"a"}}`, "normalizer: pattern: "},
		{split(`(a)\1`), `the regular expression (a)\1: byte 3: \1 is not supported`},
		{`{` + model + `,"normalizer":{"type":"Replace","pattern":{"Regex":"(?x)a"},"content":""}}`, "the regular expression (?x)a: "},
		{`{` + model + `,"decoder":{"type":"Replace","pattern":{"Regex":"[a"},"content":""}}`, "the regular expression [a: "},
		{`{` + model + `,"pre_tokenizer":{"type":"CharDelimiterSplit"}}`, "no delimiter"},
		{`{` + model + `,"pre_tokenizer":{"type":"CharDelimiterSplit","delimiter":"ab"}}`, "pre_tokenizer: delimiter has 2 characters; want one"},
		{`{` + model + `,"pre_tokenizer":{"type":"Metaspace","replacement":"éé"}}`, "pre_tokenizer: replacement has 2 characters; want one"},
		{`{` + model + `,"decoder":{"type":"Metaspace","replacement":"  "}}`, "decoder: replacement has 2 characters; want one"},
		{split(`(a`), "a group is not closed"},
		{`{"model":{"type":"BPE","vocab":{"a":0},"merges":["a b"]}}`, "merge 0"},
		{`{"model":{"type":"BPE","vocab":{"b":0,"ab":1},"merges":["a b"]}}`, `merge 0, of "a" and "b"`},
		{`{"model":{"type":"BPE","vocab":{"a":0,"ab":1},"merges":["a b"]}}`, `merge 0, of "a" and "b"`},
		{`{"model":{"type":"BPE","vocab":{"a":0,"b":1},"merges":["a b"]}}`, `merge 0, of "a" and "b"`},
		{`{"model":{"type":"BPE","vocab":{"a":0,"b":1,"ab":2},"merges":["a b",["a","b","ab"]]}}`, "merge 1: it is not two tokens"},
		{`{"model":{"type":"BPE","vocab":{"a":0,"b":1,"ab":2},"merges":[["a"]]}}`, "merge 0: it is not two tokens"},
		{`{"model":{"type":"BPE","vocab":{"a":0},"merges":["a"]}}`, "merge 0: it is not two tokens"},
		{`{"model":{"type":"BPE","vocab":{"a":0},"merges":[5]}}`, "merge 0: it is not two tokens"},
		{`{` + model + `,"post_processor":{"type":"BertProcessing","cls":["a"]}}`, "BertProcessing: cls is no token and its id"},
		{`{` + model + `,"post_processor":{"type":"RobertaProcessing","cls":["a",1,2]}}`, "RobertaProcessing: cls is no token"},
		{`{` + model + `,"post_processor":{"type":"BertProcessing","cls":["a","b"]}}`, "cls is no token"},
		{`{` + model + `,"post_processor":{"type":"TemplateProcessing","single":[]}}`, "the template has no place for the text"},
		{`{` + model + `,"post_processor":{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"x"}}]}}`,
			`the template has the token "x", and special_tokens has no ids for it`},
		{`{` + model + `,"post_processor":{"type":"TemplateProcessing","single":[{"SpecialToken":5}]}}`, "post_processor: the template: "},
		{`{` + model + `,"normalizer":{"type":"Sequence"}}`, `normalizer: type "Sequence": it has no normalizers`},
		{`{` + model + `,"normalizer":{"type":"Sequence","normalizers":5}}`, `normalizer: type "Sequence": normalizers: `},
		{`{` + model + `,"decoder":5}`, "decoder: "},
		{`{"model":{"type":"BPE","vocab":{},"merges":[],"dropout":0.1}}`, "dropout is 0.1"},
		{`{"model":{"type":"BPE","vocab":{},"merges":[],"unk_token":"u"}}`, `unk_token "u"`},
		{`{"model":{"type":"Unigram","vocab":[["a",-1]],"unk_id":4}}`, "unk_id is 4"},
		{`{"model":{"type":"Unigram","vocab":[["a",-1]],"unk_id":1}}`, "unk_id is 1, and the vocabulary has the tokens 0 to 0"},
		{`{"model":{"type":"Unigram","vocab":[["a",-1]],"unk_id":-1}}`, "unk_id is -1"},
		{`{"model":{"type":"Unigram","vocab":[["a"]]}}`, "token 0 is"},
		{`{"model":{"type":"Unigram","vocab":[["a",-1],["b",-1,0]]}}`, "token 1 is"},
		{`{"model":{"type":"Unigram","vocab":[["a","b"]]}}`, "token 0 is"},
		{`{"model":{"type":"WordPiece","vocab":{}}}`, "no unk_token"},
		{`{"model":{"type":"WordPiece","vocab":{"u":0},"unk_token":"u"}}`, "no max_input_chars_per_word"},
	} {
		_, err := hf.New([]byte(tc.file))
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", tc.file, err, tc.want)
		}
	}
}

// TestUnknown: without a token for the unknown a text that needs one is an error where the library
// has one. Ids without a token have no text, as there.
func TestUnknown(t *testing.T) {
	words, err := hf.New([]byte(`{"model":{"type":"Unigram","vocab":[["a",-1],["ab",-3]]}}`))
	if err != nil {
		t.Fatal(err)
	}
	if ids, err := words.Encode(t.Context(), "ac"); err == nil {
		t.Errorf("unknown c: %v", ids)
	}
	if text, err := words.Decode([]int64{0, 2, 1}); err != nil || text != "a ab" {
		t.Errorf("unknown id: %q, %v", text, err)
	}
	if _, err := words.Decode([]int64{0, -2}); err == nil || !strings.Contains(err.Error(), "id -2 at index 1") {
		t.Errorf("negative id: %v", err)
	}
	if _, err := words.Encode(t.Context(), "\xff"); err == nil {
		t.Error("no error for text that is not UTF-8")
	}
}

// TestPieces: the texts of single tokens put together are the text, also where a character is
// several tokens, and special tokens' spans are empty.
func TestPieces(t *testing.T) {
	c := readCases(t, "testdata/gpt2.json.gz")
	words, err := hf.New(c.Tokenizer)
	if err != nil {
		t.Fatal(err)
	}
	const text = "naïve 😀 and 你好<|endoftext|>"
	ids, err := words.Encode(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, id := range ids {
		piece, err := words.Decode([]int64{id})
		if err != nil {
			t.Fatal(err)
		}
		all.WriteString(piece)
	}
	if want := strings.TrimSuffix(text, "<|endoftext|>"); all.String() != want {
		t.Errorf("pieces make %q, want %q", all.String(), want)
	}
}

// TestBefore: what post-processors put before a prompt, of which one trailing space is left out.
func TestBefore(t *testing.T) {
	const template = `{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"x"}},{"SpecialToken":{"id":"y"}},{"Sequence":{"id":"A"}},
		{"SpecialToken":{"id":"y"}}],"special_tokens":{"x":{"ids":[7,8]},"y":{"ids":[9]}}}`
	const bert = `{"type":"BertProcessing","cls":["c",5],"sep":["s",6]}`
	for post, want := range map[string][]int64{
		`null`: {2}, template: {7, 8, 9, 2}, bert: {5, 2}, `{"type":"ByteLevel"}`: {2},
		`{"type":"Sequence","processors":[` + template + `,` + bert + `]}`: {5, 7, 8, 9, 2},
	} {
		words, err := hf.New([]byte(`{` + model + `,"post_processor":` + post + `}`))
		if err != nil {
			t.Errorf("%s: %v", post, err)
			continue
		}
		if ids, err := words.EncodePrompt(t.Context(), "ab "); err != nil || !slices.Equal(ids, want) {
			t.Errorf("%s: %v, %v, want %v", post, ids, err, want)
		}
	}
}

// reader is what the package registers to read a folder.
func reader(t *testing.T) func(fs.FS) (tokenizer.Coder, []int64, error) {
	t.Helper()
	library, err := tokenizer.Linked()
	if err != nil {
		t.Fatal(err)
	}
	return library.Read
}

// TestReader: the package registers what reads a folder, with the token that ends a text.
func TestReader(t *testing.T) {
	read := reader(t)
	file := []byte(`{` + model + `,"added_tokens":[{"id":3,"content":"</s>","special":true}]}`)
	for config, want := range map[string][]int64{
		`{"eos_token":"</s>"}`: {3}, `{"eos_token":{"content":"ab"}}`: {2}, `{"eos_token":null}`: nil, `{"eos_token":"x"}`: nil,
	} {
		words, ends, err := read(fstest.MapFS{tokenizer.File: {Data: file}, "tokenizer_config.json": {Data: []byte(config)}})
		if err != nil || !slices.Equal(ends, want) {
			t.Errorf("%s: ends %v, %v, want %v", config, ends, err, want)
		} else if ids, err := words.Encode(t.Context(), "ab</s>b"); err != nil || !slices.Equal(ids, []int64{2, 3, 1}) {
			t.Errorf("ids %v, %v", ids, err)
		}
	}
	if _, _, err := read(fstest.MapFS{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if _, _, err := read(fstest.MapFS{tokenizer.File: {Data: file}, "tokenizer_config.json": {Data: []byte("x")}}); err == nil {
		t.Error("no error for a tokenizer_config.json that is no JSON")
	}
}

// sized is a folder whose files say that they have so many bytes, or are folders.
type sized struct {
	fstest.MapFS
	size int64
	mode fs.FileMode
}

type sizedInfo struct {
	fs.FileInfo
	sized
}

func (s sizedInfo) Size() int64       { return s.size }
func (s sizedInfo) Mode() fs.FileMode { return s.mode }

func (s sized) Stat(name string) (fs.FileInfo, error) {
	info, err := s.MapFS.Stat(name)
	return sizedInfo{info, s}, err
}

// TestSizes: files have 256 MiB at most, and are regular.
func TestSizes(t *testing.T) {
	files := fstest.MapFS{tokenizer.File: {Data: []byte(`{` + model + `}`)}}
	for _, tc := range []struct {
		folder sized
		fits   bool
	}{{sized{files, 1 << 28, 0}, true}, {sized{files, 1<<28 + 1, 0}, false}, {sized{files, 1, fs.ModeDir}, false}} {
		_, _, err := reader(t)(tc.folder)
		if ok := err == nil; ok != tc.fits || !ok && err.Error() != "tokenizer.json is no regular file of at most 268435456 bytes" {
			t.Errorf("%d bytes, %v: %v", tc.folder.size, tc.folder.mode, err)
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	for _, name := range []string{"gpt2", "llama3", "llama2", "unigram"} {
		b.Run(name, func(b *testing.B) {
			c := readCases(b, "testdata/"+name+".json.gz")
			words, err := hf.New(c.Tokenizer)
			if err != nil {
				b.Fatal(err)
			}
			text := strings.Repeat("The quick brown fox jumps over the lazy dog, and 1984 others. ", 100)
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, err := words.Encode(b.Context(), text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
