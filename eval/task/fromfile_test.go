package task_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nopezoo/zoo/internal/tasktest"

	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/tokenizer"
)

// sampleFile writes lines into a file of a new folder and returns its path.
func sampleFile(t *testing.T, name string, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func line(prompt, target string, length int) string {
	return fmt.Sprintf(`{"prompt":%q,"target":%q,"length":%d}`, prompt, target, length)
}

// A file gives its samples, lengths and words; repeated and blank lines do not count.
func TestFromFile(t *testing.T) {
	lines := []string{line("7 + 5 = ", "12", 1), "", line("7 + 5 = ", "12", 1), line("6 + 6 = ", "12", 1),
		line("1 + 5 = ", "6", 1), line("un deux ", "deux  un", 5),
		`{"task":"other","split":"train","length":5,"target":"b","prompt":"a "}`}
	path := sampleFile(t, "My sums (v2).jsonl", lines...)
	k := lookup(t, "file:"+path)
	digest := strings.TrimPrefix(k.Name, "file-my-sums-v2-")
	if len(digest) != 12 || strings.Trim(digest, "0123456789abcdef") != "" {
		t.Errorf("the name is %q", k.Name)
	}
	if (k.Train != task.Range{Min: 1, Max: 5}) || k.Lengths != k.Train || k.CheckLength(task.At(3)) == nil || k.Version != 1 {
		t.Errorf("lengths %v, trained %v, version %d", k.Lengths, k.Train, k.Version)
	}
	if k.Space(1) != 3 || k.Space(5) != 2 || k.Weight(1) != 3 || k.Chance(1) != 2.0/3 || k.Chance(5) != 0.5 {
		t.Errorf("%v and %v prompts, chance %v and %v", k.Space(1), k.Space(5), k.Chance(1), k.Chance(5))
	}
	if !k.Correct("deux  un", " deux un") || k.Correct("deux un", "un deux") {
		t.Error("answers are not compared word by word")
	}
	tok, err := tokenizer.New(tasktest.Vocabulary(k))
	if err != nil {
		t.Fatal(err)
	}
	all, drawn := map[task.Sample]bool{}, map[task.Sample]bool{}
	for s := range k.Each {
		all[s] = true
		if _, _, err := tok.EncodePair(s.Prompt, s.Target); err != nil {
			t.Error(err)
		}
	}
	rng, lengths := seeded(1), k.LengthsIn(k.Train)
	for i := range 100 {
		s, err := k.Sample(rng, lengths[i%len(lengths)], task.Whole)
		if err != nil || !all[s] {
			t.Fatalf("%v, %v is not of the file", s, err)
		}
		drawn[s] = true
	}
	if len(all) != 5 || len(drawn) != 5 {
		t.Errorf("%d samples, %d drawn, want 5", len(all), len(drawn))
	}
}

// The samples of a task, written and read, are the task: split, prompts and vocabulary.
func TestFromFileOfATask(t *testing.T) {
	k := lookup(t, "parity")
	var b strings.Builder
	for s, err := range k.Different(t.Context(), seeded(2), 8, task.Whole) {
		if err == nil {
			err = k.Write(&b, "jsonl", s, task.Whole)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	of := lookup(t, "file:"+sampleFile(t, "parity.jsonl", b.String()))
	if of.Space(8) != 256 || of.Chance(8) != 0.5 || strings.Join(tasktest.Vocabulary(of), "|") == "" {
		t.Errorf("%v prompts, chance %v", of.Space(8), of.Chance(8))
	}
	for _, split := range []task.Split{task.Train, task.Validation, task.Test} {
		count := func(k task.Task) (n int) {
			for s, err := range k.Different(context.Background(), seeded(3), 8, split) {
				if err != nil || task.SplitOf(s.Prompt) != split {
					t.Fatalf("%q is not for %v, %v", s.Prompt, split, err)
				}
				n++
			}
			return n
		}
		if got, want := count(of), count(k); got != want || got == 0 {
			t.Errorf("%v has %d prompts, in the task itself %d", split, got, want)
		}
		if s, err := of.Sample(seeded(4), 8, split); err != nil || task.SplitOf(s.Prompt) != split {
			t.Errorf("%v: %v, %v", split, s, err)
		}
	}
}

// A mark before the lines is passed over, and a length is a whole number however it is written.
func TestFromFileForms(t *testing.T) {
	k := lookup(t, "file:testdata/mark.jsonl")
	first := ""
	for s := range k.Each {
		first = s.Prompt
		break
	}
	if first != "0 + 0 = " {
		t.Errorf("the first prompt is %q", first)
	}
	k = lookup(t, "file:"+sampleFile(t, "a.jsonl", `{"prompt":"\ud83d\ude00 ","target":"b","length":2.0}`, `{"prompt":"c ","target":"b","length":1e1}`))
	if k.Lengths != (task.Range{Min: 2, Max: 10}) {
		t.Errorf("lengths %v", k.Lengths)
	}
}

func TestFromFileRefuses(t *testing.T) {
	good := line("a ", "b", 1)
	for _, tc := range []struct {
		lines []string
		want  string
	}{
		{[]string{good, `{"prompt":`}, "line 2: is not JSON (unexpected end of JSON input); want a line such as {"},
		{[]string{"a\tb"}, "line 1: is not JSON (invalid character 'a'"},
		{[]string{good + good}, "line 1: is not JSON (invalid character '{' after"},
		{[]string{good, "", `{"prompt":"c ","target":"d"}`}, "line 3: lacks one of prompt, target and length"},
		{[]string{`{"prompt":"a ","target":"d","lenght":3}`}, "line 1: lacks one"},
		{[]string{`{"prompt":"a ","target":3,"length":3}`}, "line 1: target is of kind number; want a line such as {"},
		{[]string{`{"prompt":"a ","target":"b","length":1.5}`}, "line 1: length 1.5: want a whole number, 1 to 1048576"},
		{[]string{`{"prompt":"a ","target":"b","length":"1"}`}, "line 1: length is of kind string; want"},
		{[]string{`{"prompt":"a ","target":"b","length":-1e0}`}, "line 1: length -1: want"},
		{[]string{`[1]`}, "line 1: is of kind array; want"},
		{[]string{line("a ", "b", 0)}, "line 1: length 0: want a whole number, 1 to 1048576"},
		{[]string{line("a ", "b", 1<<20+1)}, "line 1: length 1048577: want"},
		{[]string{line(" ", "b", 1)}, `line 1: the prompt " " has no words`},
		{[]string{line("a ", "", 1)}, `line 1: the target "" has no words`},
		{[]string{line("a ", "b\n", 1)}, `line 1: the target "b\n" has a control character`},
		{[]string{`{"prompt":"a\u001b ","target":"b","length":1}`}, "line 1: the prompt \"a\\x1b \" has a control"},
		{[]string{line("a ", "b</s>", 1)}, `line 1: has </s>, which stands for`},
		{[]string{line("ab", "cd", 1)}, `line 1: the end of the prompt and the start of the target "cd" form one word`},
		{[]string{good, line("c ", "d", 1), line("a ", "c", 1)}, "line 3: has the prompt of line 1, with another target"},
		{[]string{good, line("a ", "b", 2)}, "line 2: has the prompt of line 1"},
		{[]string{good, "{\"prompt\":\"\xff \",\"target\":\"b\",\"length\":1}"}, "line 2: is not valid UTF-8"},
		{[]string{good, line(strings.Repeat("a", 1<<20), "b", 1)}, "line 2: has more than 1048576 bytes"},
		{[]string{good, `{"prompt":"a \ud83d b ","target":"b","length":1}`}, `line 2: has \ud83d, half of a surrogate pair`},
		{[]string{"\xff\xfe" + good}, "the file is in UTF-16, by its first bytes; convert it, such as with: iconv -f utf-16 -t utf-8"},
		{[]string{"\x1f\x8b" + good}, "the file is compressed by gzip"},
		{[]string{good, "\ufeff" + good}, "line 2: is not JSON"},
		{[]string{"", "  "}, "no samples; want lines such as"},
	} {
		path := sampleFile(t, "bad.jsonl", tc.lines...)
		_, err := task.Lookup("file:" + path)
		if err == nil || !strings.Contains(err.Error(), "task file:"+path+": "+tc.want) || len(err.Error()) > len(path)+400 {
			t.Errorf("%.80q: error %v does not contain %q", tc.lines, err, tc.want)
		}
	}
	huge := filepath.Join(t.TempDir(), "huge.jsonl")
	if err := os.WriteFile(huge, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(huge, 1<<30+1); err != nil { // with a hole, so that it takes no space
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"file:":                       "has no path",
		"file:" + huge:                "it has 1073741825 bytes; want at most 1073741824",
		"file:" + filepath.Dir(huge):  "it is not a regular file",
		"file:missing.jsonl":          "bring the file there, or name it where it is",
		"file:a.jsonl#xyz":            "after # stand the first 12 hex digits",
		"file:a.jsonl+full":           `unknown option "full": a task from a file has none, and its path no plus`,
		"file-sums-0123456789ab":      "comes from a file: name it file:PATH",
		"file-sums-0123456789ab+full": "comes from a file",
	} {
		if _, err := task.Lookup(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", name, err, want)
		}
	}
}

// The stored name finds the file again as long as its contents are the same; the name of
// results depends on the contents and on the file's own name alone.
func TestFileNames(t *testing.T) {
	path := sampleFile(t, "sums.jsonl", line("7 + 5 = ", "12", 1))
	k := lookup(t, "file:"+path)
	stored := task.Names([]task.Task{k})
	if again := lookup(t, stored); again.Name != k.Name || !strings.HasPrefix(stored, "file:"+path+"#") {
		t.Errorf("%q gives %q, not %q", stored, again.Name, k.Name)
	}
	for list, want := range map[string]string{
		stored:                           k.Name,
		"file:" + path:                   k.Name,
		"copy," + stored:                 "copy," + k.Name,
		"copy+noprefix":                  "copy+noprefix",
		"file:gone.jsonl":                "file:gone.jsonl",
		k.Name:                           k.Name,
		`file:C:\a\B c.txt#0123456789ab`: "file-b-c-0123456789ab",
		"file:../…#0123456789ab":         "file-0123456789ab",
		"file:" + strings.Repeat("a", 99) + "#0123456789ab": "file-" + strings.Repeat("a", 40) + "-0123456789ab",
	} {
		if got, _ := task.Label(list); got != want {
			t.Errorf("Label(%q) = %q, want %q", list, got, want)
		}
	}
	other := sampleFile(t, "sums.jsonl", line("7 + 5 = ", "12", 1))
	if moved := lookup(t, "file:"+other); moved.Name != k.Name || !task.Related("file:"+other, "copy,"+stored) ||
		!task.Related(k.Name, stored) || task.Base(stored) != stored {
		t.Errorf("in another folder it is %q, not %q", moved.Name, k.Name)
	}
	if _, err := task.Label("copy," + stored); err != nil {
		t.Error(err)
	}
	if _, err := task.LookupList(stored + ",file:" + other); err == nil || !strings.Contains(err.Error(), "named twice") {
		t.Errorf("one file twice: %v", err)
	}
	// Changed, and with a time that tells.
	if err := os.WriteFile(path, []byte(line("7 + 5 = ", "13", 1)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(path, later, later); err != nil {
		t.Fatal(err)
	}
	if _, err := task.Lookup(stored); err == nil || !strings.Contains(err.Error(), "the file was changed: its SHA-256 begins with") {
		t.Errorf("a changed file: %v", err)
	}
	if changed := lookup(t, "file:"+path); changed.Name == k.Name || task.Related("file:"+path, stored) {
		t.Errorf("with other contents it is %q, too", k.Name)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := task.Label("copy," + stored); err != nil {
		t.Errorf("a stored name needs no file: %v", err)
	}
	for _, bad := range []string{"copi", "file:" + path, "file:a#b", "file:#0123456789ab", k.Name, "../copy"} {
		if _, err := task.Label(bad); err == nil {
			t.Errorf("%q may be stored", bad)
		}
	}
}

// No line makes the reader panic, and what it takes is a sample that a tokenizer can write.
func FuzzFromFile(f *testing.F) {
	f.Add(line("7 + 5 = ", "12", 1) + "\n" + line("a ", "b", 2))
	f.Add("{\"prompt\":\"e\u0301\",\"target\":\"\u0301 a\",\"length\":1}")
	f.Add(`{"prompt":"<pad","target":">","length":1}`)
	f.Add(`{"prompt":"a  ","target":"  b","length":1}`)
	folder := f.TempDir() // the names of inputs, and so of their folders, have a #
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(folder, "f.jsonl")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		k, err := task.Lookup("file:" + path)
		if err != nil {
			return
		}
		tok, err := tokenizer.New(tasktest.Vocabulary(k))
		if err != nil {
			t.Fatal(err)
		}
		for s := range k.Each {
			ids, start, err := tok.EncodePair(s.Prompt, s.Target)
			if err != nil || start == 0 || start == len(ids) {
				t.Fatalf("%q %q: %d of %d, %v", s.Prompt, s.Target, start, len(ids), err)
			}
			if answer, err := tok.Decode(ids[start:]); err != nil || !k.Correct(s.Target, answer) || k.Correct(s.Target, "") {
				t.Fatalf("%q %q: the answer %q, %v", s.Prompt, s.Target, answer, err)
			}
		}
	})
}
