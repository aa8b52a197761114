package hf_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/modelfile/hf"
	"github.com/nopezoo/zoo/tokenizer"
	_ "github.com/nopezoo/zoo/tokenizer/hf"
)

// A vocabulary of subwords is written as tokenizer.json, and read back with its merges.
func TestSubwordFolder(t *testing.T) {
	library, err := tokenizer.Linked()
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{strings.Repeat("the other, then the rather ", 4)}
	pieces, err := library.Train(t.Context(), 264, texts, func(string, int, int) {})
	if err != nil {
		t.Fatal(err)
	}
	c := micro("nope", "modern")
	c.VocabSize = len(pieces)
	m := sample(t, c)
	m.Card = card.Card{Tokenizer: pieces}
	dir := written(t, m)
	got, err := hf.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(pieces, got.Card.Tokenizer); diff != "" {
		t.Errorf("pieces (-written +read):\n%s", diff)
	}
	path := filepath.Join(dir, "tokenizer.json")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for change, want := range map[[2]string]string{
		{`"use_regex": true`, `"use_regex": false`}:         "its decoder cuts texts otherwise",
		{`"merges": [`, `"merges": "none", "x": [`}:         "its merges are not one pair of pieces",
		{`"ignore_merges": false`, `"ignore_merges": true`}: "its model cuts texts otherwise",
	} {
		changed := strings.Replace(string(data), change[0], change[1], 1)
		if changed == string(data) {
			t.Fatalf("%q is not in the file", change[0])
		}
		if err := os.WriteFile(path, []byte(changed), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := hf.Read(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v does not contain %q", change[1], err, want)
		}
	}
}
