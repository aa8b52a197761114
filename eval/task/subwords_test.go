package task_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/tasktest"
	"github.com/nopezoo/zoo/tokenizer"
	_ "github.com/nopezoo/zoo/tokenizer/hf" // subwords
)

// syllable has letters that are its own.
func syllable(n int) string {
	return string([]byte{"bcdfghjklm"[n%10], "aeiou"[n%5], "npqrstvwxz"[n/2%10]})
}

// wordy writes a corpus with words of two syllables of 400, and returns what is learnt from, too.
func wordy(t *testing.T) (path string, documents []task.Document, training []string) {
	t.Helper()
	for i := range 80 {
		var b strings.Builder
		for j := range 30 {
			n := i*30 + j
			fmt.Fprintf(&b, "bière %s%s%d, ", syllable(n%20), syllable(n/20%20), i)
		}
		documents = append(documents, task.Document{Text: b.String()})
		if task.SplitOf(b.String()) == task.Train {
			training = append(training, b.String())
		}
	}
	return tasktest.WriteCorpus(t, "walls.jsonl", documents), documents, training
}

// Subwords of a corpus are learnt from its training documents alone, and write all of it.
func TestCorpusSubwords(t *testing.T) {
	tasktest.OwnCache(t)
	path, documents, training := wordy(t)
	k, err := task.Lookup("text:" + path)
	if err != nil {
		t.Fatal(err)
	}
	want, err := tokenizer.Vocabulary("bpe:600", nil, training...)
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
		t.Errorf("the vocabulary of 512 is not the beginning of the one of 600: %v", err)
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

// What was learnt is kept in the cache, by corpus, size and version. What is damaged there is named and learnt anew, what
// cannot be kept is said, and results are the same.
func TestLearntOnce(t *testing.T) {
	cache := tasktest.OwnCache(t)
	var warnings []string
	learnt := 0
	warn := func(err error) { warnings = append(warnings, err.Error()) }
	task.FollowLearning(t.Context(), func(what string, done, _ int) {
		if what == "subwords" && done < 512 {
			learnt++
		}
	}, warn)
	defer task.FollowLearning(context.Background(), nil, nil)
	path, _, _ := wordy(t)
	k, err := task.Lookup("text:" + path)
	if err != nil {
		t.Fatal(err)
	}
	// vocabulary belongs to a process of its own, which has to learn or not
	vocabulary := func(rule string, learns bool) []string {
		t.Helper()
		task.ForgetLearnt()
		learnt = 0
		pieces, err := task.Vocabulary(rule, k)
		if err != nil {
			t.Fatal(err)
		}
		if (learnt > 0) != learns {
			t.Fatalf("%s: %d merges are learnt", rule, learnt)
		}
		return pieces
	}
	file := func(rule string) string {
		t.Helper()
		files, err := filepath.Glob(filepath.Join(cache, "subwords", rule+"-*.json"))
		if err != nil || len(files) != 1 {
			t.Fatalf("files %q, %v", files, err)
		}
		return files[0]
	}
	want := vocabulary("bpe:600", true)
	if diff := cmp.Diff(want, vocabulary("bpe:600", false)); diff != "" {
		t.Errorf("read from the cache (-learnt +read):\n%s", diff)
	}
	if small := vocabulary("bpe:512", true); !slices.Equal(small, want[:512]) {
		t.Error("of another size are others")
	}
	if len(warnings) > 0 {
		t.Errorf("warned of %q", warnings)
	}
	good, err := os.ReadFile(file("bpe-600"))
	if err != nil {
		t.Fatal(err)
	}
	other, err := os.ReadFile(file("bpe-512"))
	if err != nil {
		t.Fatal(err)
	}
	for want, bad := range map[string]string{
		"is damaged: unexpected end of JSON":     string(good[:len(good)/2]),
		"is damaged: what it holds has the SHA-": strings.Replace(string(good), "Ġ b", "Ġ c", 1),
		`has the subwords of "version 1 bpe:512`: string(other),
	} {
		warnings = nil
		if err := os.WriteFile(file("bpe-600"), []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		vocabulary("bpe:600", true)
		if len(warnings) != 1 || !strings.Contains(warnings[0], want) || !strings.HasPrefix(warnings[0], file("bpe-600")) ||
			!strings.HasSuffix(warnings[0], "; the subwords are learnt anew") {
			t.Errorf("warned of %q, want %q", warnings, want)
		}
		if again, err := os.ReadFile(file("bpe-600")); err != nil || string(again) != string(good) {
			t.Errorf("the damaged file is not replaced: %v", err)
		}
	}
	// a folder that cannot be made
	cache = tasktest.OwnCache(t)
	if err := os.WriteFile(cache, nil, 0o600); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	warnings = nil
	vocabulary("bpe:600", true)
	if len(warnings) == 0 || !strings.Contains(warnings[len(warnings)-1], "could not be kept, so that every process learns them anew") {
		t.Errorf("warned of %q", warnings)
	}
	// who is interrupted keeps nothing
	cache = tasktest.OwnCache(t)
	ctx, end := context.WithCancel(t.Context())
	task.FollowLearning(ctx, func(what string, done, _ int) {
		if what == "subwords" && done > 300 {
			end()
		}
	}, warn)
	task.ForgetLearnt()
	if _, err := task.Vocabulary("bpe:600", k); err == nil || !strings.Contains(err.Error(), "interrupted while 600 subwords were learnt from text:"+path) {
		t.Errorf("error %v", err)
	}
	if left, err := os.ReadDir(filepath.Join(cache, "subwords")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v is left, %v", left, err)
	}
}
