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
	if got := task.Label(stored); got != k.Name {
		t.Errorf("Label(%s) = %s, want %s", stored, got, k.Name)
	}
	if !task.Related(stored, "text:"+path) || task.Related(stored, "copy") {
		t.Error("a corpus is not related to itself, or to another task")
	}
	pieces, err := task.Vocabulary("", k)
	if err != nil || len(pieces) != 258 || pieces[0] != tokenizer.PadBytes {
		t.Fatalf("%d pieces, %v; want those of bytes", len(pieces), err)
	}
	if _, err := task.Vocabulary(tokenizer.Characters, k); err == nil {
		t.Error("a corpus is written in characters")
	}
	tok, err := tokenizer.New(pieces)
	if err != nil {
		t.Fatal(err)
	}
	// every document is in one split, as its hash says, and its tokens are its bytes
	counts := task.CountTexts(documents)
	for split := task.Train; split.Valid(); split++ {
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
		if diff := cmp.Diff(want, got); diff != "" || len(got) != counts.Documents[split] {
			t.Errorf("%v: %d documents counted (-want +got):\n%s", split, counts.Documents[split], diff)
		}
	}
	// a sample is a passage of a document of the split, cut between characters
	for range 200 {
		s, err := task.SampleSplit(k, rand.New(rand.NewPCG(1, 2)), 40, task.Test)
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
	if err != nil || again.Name != k.Name || task.CheckStored(stored) != nil {
		t.Fatalf("%+v, %v", again, err)
	}
	if _, _, err := again.Corpus.Count(task.Train); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v, want that there is no file", err)
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(task.WriteTexts(f, documents[1:]), f.Close()); err != nil {
		t.Fatal(err)
	}
	if _, _, err := again.Corpus.Count(task.Train); err == nil || !strings.Contains(err.Error(), "the file was changed") {
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
	if _, _, err := k.Corpus.Count(task.Test); !errors.Is(err, task.ErrNoSplit) {
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

func TestCutTexts(t *testing.T) {
	got := task.CutTexts("a.txt", "one\ntwo\n%\n \n%\r\nthree", "%")
	want := []task.Document{{Name: "a.txt 1", Text: "one\ntwo\n"}, {Name: "a.txt 2", Text: "three"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if whole := task.CutTexts("a.txt", "one\n%\n", ""); len(whole) != 1 || whole[0].Text != "one\n%\n" {
		t.Errorf("%+v", whole)
	}
}

// Windows lie within documents, are different, and end at the same places whatever their length.
func TestWindows(t *testing.T) {
	var documents [][]int64
	next := int64(0)
	for i := range 12 {
		var d []int64
		for range 30 * i {
			d, next = append(d, next), next+1 // each token is its own place
		}
		documents = append(documents, d)
	}
	var ends []int64
	for _, length := range []int{1, 8, 16, 200} {
		windows, err := task.Windows(documents, length, 200, 50, 7)
		if err != nil || len(windows) != 50 {
			t.Fatalf("%d windows, %v", len(windows), err)
		}
		var last []int64
		for _, w := range windows {
			if at := slices.Index(documents[w.Document], w.IDs[0]); at < 0 || len(w.IDs) != length+1 ||
				!slices.Equal(documents[w.Document][at:at+length+1], w.IDs) {
				t.Fatalf("length %d: %v is no part of document %d", length, w.IDs, w.Document)
			}
			last = append(last, w.IDs[length])
		}
		if ends == nil {
			ends = slices.Clone(last)
		}
		if !slices.Equal(last, ends) {
			t.Errorf("length %d: windows end at %d, and those of 1 at %d", length, last, ends)
		}
		if slices.Sort(last); len(slices.Compact(last)) != 50 {
			t.Errorf("length %d: a window is drawn twice", length)
		}
	}
	if got := task.LongestWindow(documents, []int{1, 239, 240, 500}); got != 239 {
		t.Errorf("the longest window that there is has %d tokens, want 239", got)
	}
	if got := task.LongestWindow(documents, []int{500}); got != 0 {
		t.Errorf("a window of %d tokens is none of those asked for", got)
	}
	// where there are few, all of them; where too few documents are long enough, an error
	few, err := task.Windows(documents, 239, 0, 1000, 7)
	if want := 1 + 31 + 61 + 91; err != nil || len(few) != want {
		t.Errorf("%d windows, %v; want %d", len(few), err, want)
	}
	if _, err := task.Windows(documents, 240, 0, 1, 7); !errors.Is(err, task.ErrNoLength) {
		t.Errorf("error %v, want ErrNoLength", err)
	}
}
