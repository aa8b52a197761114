package task_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/tokenizer"
	_ "github.com/nopezoo/zoo/tokenizer/hf" // subwords
)

// syllable has letters that are its own.
func syllable(n int) string {
	return string([]byte{"bcdfghjklm"[n%10], "aeiou"[n%5], "npqrstvwxz"[n/2%10]})
}

// Subwords of a corpus are learnt from its training documents alone, and write all of it.
func TestCorpusSubwords(t *testing.T) {
	var documents []task.Document
	var training []string
	for i := range 80 {
		var b strings.Builder
		for j := range 30 {
			n := i*30 + j // words of two syllables of 400
			fmt.Fprintf(&b, "bière %s%s%d, ", syllable(n%20), syllable(n/20%20), i)
		}
		documents = append(documents, task.Document{Text: b.String()})
		if task.SplitOf(b.String()) == task.Train {
			training = append(training, b.String())
		}
	}
	path := filepath.Join(t.TempDir(), "walls.jsonl")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(task.WriteTexts(f, documents), f.Close()); err != nil {
		t.Fatal(err)
	}
	k, err := task.Lookup("text:" + path)
	if err != nil {
		t.Fatal(err)
	}
	want, err := tokenizer.VocabularyOf("bpe:600", nil, training...)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // learnt, and then known
		got, err := task.Vocabulary("bpe:600", k)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" || len(got) != 600 {
			t.Fatalf("%d pieces (-want +got):\n%s", len(got), diff)
		}
		got[300] = "changed" // it is the caller's
	}
	if other, err := task.Vocabulary("bpe:512", k); err != nil || !slices.Equal(other, want[:512]) {
		t.Errorf("the vocabulary of 512 is not the beginning of that of 600: %v", err)
	}
	tok, err := tokenizer.New(want)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := k.Corpus.Encoded(tok, task.Whole)
	if err != nil {
		t.Fatal(err)
	}
	for i, ids := range encoded {
		text, err := tok.Decode(ids)
		if err != nil || text != documents[i].Text || len(ids) >= len(text)/2 {
			t.Fatalf("document %d: %d tokens come back as %q, %v", i, len(ids), text, err)
		}
	}
	for rule, want := range map[string]string{
		"bpe:300":  "512 to 8192 pieces",
		"bpe:8192": "ask for fewer, or take more text",
		"bpe":      "choose byte, or bpe:2048",
	} {
		if _, err := task.Vocabulary(rule, k); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v does not contain %q", rule, err, want)
		}
	}
	copying, err := task.Lookup("copy")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := task.Vocabulary("bpe:512", copying); err == nil || !strings.Contains(err.Error(), "task copy is none") {
		t.Errorf("error %v", err)
	}
}
