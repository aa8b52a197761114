package task_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/tasktest"
	"github.com/nopezoo/zoo/tokenizer"
)

// writeCorpus makes a corpus of n documents of some hundred bytes each.
func writeCorpus(t *testing.T, n int) (path string, documents []task.Document) {
	t.Helper()
	for i := range n {
		text := strings.Repeat(fmt.Sprintf("%d bottles of bière stand on the wall,\n", i), 3+i%5)
		documents = append(documents, task.Document{Name: fmt.Sprint("wall ", i), Text: text})
	}
	return tasktest.WriteCorpus(t, "Some Walls.jsonl", documents), documents
}

func TestCorpus(t *testing.T) {
	path, documents := writeCorpus(t, 60)
	k, err := task.Lookup("text:" + path)
	if err != nil {
		t.Fatal(err)
	}
	stored := task.Names([]task.Task{k})
	if !strings.HasPrefix(k.Name, "text-some-walls-") || stored != "text:"+path+"#"+strings.TrimPrefix(k.Name, "text-some-walls-") {
		t.Errorf("name %s, stored %s", k.Name, stored)
	}
	if got, err := task.Label(stored); got != k.Name || err != nil {
		t.Errorf("Label(%s) = %s, want %s", stored, got, k.Name)
	}
	if !task.Related(stored, "text:"+path) || task.Related(stored, "copy") {
		t.Error("a corpus is not related to itself, or to another task")
	}
	pieces, err := task.Vocabulary("", k)
	if err != nil || len(pieces) != 258 || pieces[0] != tokenizer.PadBytes {
		t.Fatalf("%d pieces, %v; want pieces of bytes", len(pieces), err)
	}
	if _, err := task.Vocabulary(tokenizer.Characters, k); err == nil {
		t.Error("a corpus is written in characters")
	}
	tok, err := tokenizer.New(pieces)
	if err != nil {
		t.Fatal(err)
	}
	// every document is in one split, as its hash says, and its tokens are its bytes
	for _, split := range []task.Split{task.Train, task.Validation, task.Test, task.Whole} {
		encoded, err := k.Corpus.Encoded(tok, split)
		if err != nil {
			t.Fatal(err)
		}
		var got, want []string
		for _, ids := range encoded {
			text, err := tok.Decode(ids)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, text)
		}
		for _, d := range documents {
			if split == task.Whole || task.SplitOf(d.Text) == split {
				want = append(want, d.Text)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%v (-want +got):\n%s", split, diff)
		}
	}
	// a sample is a passage of a document of the split, cut between characters
	for range 200 {
		s, err := k.Sample(rand.New(rand.NewPCG(1, 2)), 40, task.Test)
		if err != nil {
			t.Fatal(err)
		}
		in := slices.IndexFunc(documents, func(d task.Document) bool { return strings.Contains(d.Text, s.Prompt+s.Target) })
		if in < 0 || task.SplitOf(documents[in].Text) != task.Test {
			t.Fatalf("%q is in no test document", s.Prompt+s.Target)
		}
		if strings.ToValidUTF8(s.Prompt+"|"+s.Target, "?") != s.Prompt+"|"+s.Target {
			t.Fatalf("%+v cuts a character", s)
		}
	}
}

// A stored name is known without the file; what needs the text says what is missing, or changed.
func TestCorpusLater(t *testing.T) {
	path, documents := writeCorpus(t, 60)
	k, err := task.Lookup("text:" + path)
	if err != nil {
		t.Fatal(err)
	}
	stored := task.Names([]task.Task{k})
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	again, err := task.Lookup(stored)
	if err != nil || again.Name != k.Name {
		t.Fatalf("%+v, %v", again, err)
	}
	if _, err := again.Corpus.Documents(task.Train); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v, want that there is no file", err)
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(task.WriteTexts(f, documents[1:]), f.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := again.Corpus.Documents(task.Train); err == nil || !strings.Contains(err.Error(), "the file was changed") {
		t.Errorf("error %v, want that the file was changed", err)
	}
}

func TestCorpusErrors(t *testing.T) {
	for name, want := range map[string]string{
		"text:":                     "has no path: want text:PATH, a corpus",
		"text:no-such-corpus":       "there is no corpus no-such-corpus; fetch it",
		"text:./nothing.jsonl":      "a path is from the folder in which zoo runs",
		"text:a.jsonl#12":           "the first 12 hex digits",
		"text:a.jsonl+noprefix":     "unknown option",
		"text-a-123456789abc":       "name it text:PATH",
		"text:testdata/words.jsonl": "line 1: has no text; want a document such as",
	} {
		if name == "text:testdata/words.jsonl" {
			path := filepath.Join(t.TempDir(), "words.jsonl")
			if err := os.WriteFile(path, []byte(`{"prompt": "a", "target": "b"}`), 0o600); err != nil {
				t.Fatal(err)
			}
			name = "text:" + path
		}
		if _, err := task.Lookup(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", name, err, want)
		}
	}
	path, _ := writeCorpus(t, 1)
	k, err := task.Lookup("text:" + path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := k.Corpus.Documents(task.Test); !errors.Is(err, task.ErrNoSplit) {
		t.Errorf("error %v, want ErrNoSplit", err)
	}
	var b strings.Builder
	for want, documents := range map[string][]task.Document{
		"document 2 (b) is not valid UTF-8: byte 3": {{Name: "a", Text: "a"}, {Name: "b", Text: "caf\xe9"}},
		"document 1 () is empty":                    {{}},
		"there are none":                            nil,
	} {
		if err := task.WriteTexts(&b, documents); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
