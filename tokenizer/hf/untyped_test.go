package hf_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/tokenizer/hf"
)

// TestUntyped: files of before tokenizers 0.9 do not say of which kind their model is; the ids are from tokenizers 0.23.3.
func TestUntyped(t *testing.T) {
	const vocab = `"vocab":{"a":0,"b":1,"ab":2,"[UNK]":3,"##b":4}`
	const list = `"vocab":[["<unk>",0.0],["a",-1.0],["b",-2.0],["ab",-1.5]]`
	for _, tc := range []struct {
		model, text string
		want        []int64
	}{
		{vocab + `,"merges":["a b"]`, "zabb", []int64{2, 1}},
		{vocab + `,"merges":["a b"],"unk_token":"[UNK]"`, "zab", []int64{3, 2}},
		{vocab + `,"merges":[],"unk_token":"[UNK]","continuing_subword_prefix":"##","max_input_chars_per_word":100`, "ab", []int64{0, 4}},
		{vocab + `,"unk_token":"[UNK]","continuing_subword_prefix":"##","max_input_chars_per_word":100`, "abb", []int64{2, 4}},
		{vocab + `,"unk_token":"[UNK]","continuing_subword_prefix":"##"`, "abb", []int64{3}},
		{vocab + `,"unk_token":"[UNK]","max_input_chars_per_word":100`, "abb", []int64{3}},
		{vocab + `,"unk_token":"[UNK]"`, "ab", []int64{2}},
		{list + `,"unk_id":0`, "a b", []int64{1, 0, 2}},
		{list + `,"unk_id":0,"merges":[]`, "ab", []int64{3}},
		{list, "ab", []int64{3}},
		{list + `,"unk_id":null`, "ab", []int64{3}},
	} {
		words, err := hf.New([]byte(`{"model":{` + tc.model + `}}`))
		if err != nil {
			t.Errorf("%s: %v", tc.model, err)
			continue
		}
		if ids, err := words.Encode(t.Context(), tc.text); err != nil || !slices.Equal(ids, tc.want) {
			t.Errorf("%s: Encode(%q) = %v, %v, want %v", tc.model, tc.text, ids, err, tc.want)
		}
	}
	for model, want := range map[string]string{
		vocab:                          "it has no type, and not the fields of one",
		vocab + `,"unk_token":null`:    "it has no type",
		vocab + `,"merges":null`:       "it has no type",
		`"merges":[]`:                  "it has no type",
		`"unk_id":0`:                   "it has no type",
		`"unk_token":"a"`:              "it has no type",
		list + `,"unk_id":7`:           "unk_id is 7",
		`"vocab":null,"unk_token":"a"`: "it has no type",
	} {
		if _, err := hf.New([]byte(`{"model":{` + model + `}}`)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", model, err, want)
		}
	}
}

// TestUntypedFile: a whole file of T5's kind.
func TestUntypedFile(t *testing.T) {
	file, err := os.ReadFile("testdata/untyped/unigram.json")
	if err != nil {
		t.Fatal(err)
	}
	words, err := hf.New(file)
	if err != nil {
		t.Fatal(err)
	}
	want := []int64{2, 2, 3, 5}
	if ids, err := words.Encode(t.Context(), "red red d"); err != nil || !slices.Equal(ids, want) {
		t.Errorf("ids %v, %v, want %v", ids, err, want)
	}
}

// TestUntypedCases: each file of TestCases has the same ids when its model does not say its type.
func TestUntypedCases(t *testing.T) {
	for _, name := range []string{"gpt2", "llama2", "unigram", "unigram-bytes", "wordpiece", "wordlevel"} {
		c := readCases(t, "testdata/"+name+".json.gz")
		var file, model map[string]json.RawMessage
		err := json.Unmarshal(c.Tokenizer, &file)
		if err == nil {
			err = json.Unmarshal(file["model"], &model)
		}
		if err != nil {
			t.Fatal(err)
		}
		delete(model, "type")
		if file["model"], err = json.Marshal(model); err != nil {
			t.Fatal(err)
		}
		untyped, err := json.Marshal(file)
		if err != nil {
			t.Fatal(err)
		}
		words, err := hf.New(untyped)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, want := range c.Cases {
			if ids, err := words.Encode(t.Context(), want.Text); err != nil || !slices.Equal(ids, want.IDs) {
				t.Errorf("%s: Encode(%q) = %v, %v, want %v", name, want.Text, ids, err, want.IDs)
				break
			}
		}
	}
}
