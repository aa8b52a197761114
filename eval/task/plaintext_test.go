package task_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/eval/task"
)

// What is no text is named, with what converts it, where a corpus is made of it and where it is in one.
func TestNoText(t *testing.T) {
	utf16, err := os.ReadFile("testdata/utf16.txt")
	if err != nil {
		t.Fatal(err)
	}
	var latin1 strings.Builder // what iconv -f latin1 -t utf-8 makes of it
	for _, b := range utf16 {
		latin1.WriteRune(rune(b))
	}
	nul := func(nuls, all int) string { return strings.Repeat("\x00", nuls) + strings.Repeat("a", all-nuls) }
	for _, tc := range []struct{ text, want string }{
		{string(utf16), "is in UTF-16, by its first bytes; convert it, such as with: iconv -f utf-16 -t utf-8"},
		{"\xfe\xff\x00a", "is in UTF-16, by its first bytes; convert it, such as with: iconv -f utf-16 -t utf-8"},
		{"\xff\xfe\x00\x00a\x00\x00\x00", "is in UTF-32, by its first bytes; convert it, such as with: iconv -f utf-32 -t utf-8"},
		{"\x00\x00\xfe\xff\x00\x00\x00a", "is in UTF-32"},
		{latin1.String(), "is UTF-16 that was read as latin1, by its first bytes; convert it, such as with: iconv -f utf-16 -t utf-8, of the original"},
		{"þÿ\x00a", "is UTF-16 that was read as latin1"},
		{string(utf16[2:]), "is not valid UTF-8: byte 4;"},
		{"g\x00r\x00", "has 2 NUL in 4 bytes, as UTF-16 has"},
		{nul(101, 1009), "has 101 NUL in 1009 bytes"},
		{nul(101, 1010), ""},
		{"\x1f\x8b\x08\x00", "is compressed by gzip, by its first bytes; convert it, such as with: gunzip"},
		{"caf\xe9", "is not valid UTF-8: byte 3; convert it, such as with: iconv -f latin1 -t utf-8"},
		{"ÿ and þ", ""},
	} {
		err := task.WriteTexts(io.Discard, []task.Document{{Name: "a", Text: "a"}, {Name: "b", Text: tc.text}})
		if want := "document 2 (b) " + tc.want; tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%.20q: %v, want %q", tc.text, err, want)
		}
	}
	for _, tc := range []struct{ file, want string }{
		{"\ufeff" + `{"text": "a"}`, ""},
		{"\ufeff\n" + `{"text": "a"}`, ""},
		{`{"text": "\u00ff\u00feG\u0000"}`, "line 1: its text is UTF-16 that was read as latin1"},
		{`{"text": "G\u0000r\u0000"}`, "line 1: its text has 2 NUL in 4 bytes"},
		{`{"text": "a\udc00"}`, `line 1: has \udc00, half of a surrogate pair`},
		{`{"text": 7}`, `line 1: text is of kind number; want a line such as {"text": "In the beginning"}; zoo data --text makes a corpus`},
		{`"a"`, `line 1: is of kind string; want a line such as {"text": "In the beginning"}`},
		{string(utf16), "the file is in UTF-16"},
	} {
		path := filepath.Join(t.TempDir(), "corpus.jsonl")
		if err := os.WriteFile(path, []byte(tc.file), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := task.Lookup("text:" + path)
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), path+": "+tc.want)) {
			t.Errorf("%.20q: %v, want %q", tc.file, err, tc.want)
		}
	}
}

// Prompts to answer may have the mark before them.
func TestAnswersMark(t *testing.T) {
	k := lookup(t, "scan")
	for file, want := range map[string]string{"\ufeffwalk after run\njump": "", "\xff\xfew\x00": "line 1: the file is in UTF-16", "jump\n\ufeffjump": "line 2: "} {
		n, wrong := 0, ""
		for _, err := range k.Answers(strings.NewReader(file)) {
			if n++; err != nil {
				wrong = err.Error()
			}
		}
		if want == "" && (wrong != "" || n != 2) || !strings.HasPrefix(wrong, want) {
			t.Errorf("%q: %d answers, %q, want %q", file, n, wrong, want)
		}
	}
}
