package corpora

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/eval/task"
)

// compressed is what Unix's compress writes, without its head: codes of one width stand in
// groups of eight. Where the table has clear entries it begins anew; 0 for never.
func compressed(text string, clear int) []byte {
	var out []byte
	var group []int
	width := 9
	flush := func(codes int) {
		bits := make([]byte, (codes*width+7)/8)
		for i, code := range group {
			for b := range width {
				bits[(i*width+b)/8] |= byte(code>>b&1) << ((i*width + b) % 8)
			}
		}
		out, group = append(out, bits...), nil
	}
	whole := func() { flush((len(group) + 7) / 8 * 8) }
	var table map[string]int
	next, first := 0, true
	reset := func() {
		table, width, next, first = map[string]int{}, 9, 257, true
		for i := range 256 {
			table[string([]byte{byte(i)})] = i
		}
	}
	reset()
	for at := 0; at < len(text); {
		n := 1
		for at+n < len(text) && table[text[at:at+n+1]] != 0 {
			n++
		}
		group = append(group, table[text[at:at+n]])
		if !first { // a reader has an entry one code later than its writer
			if next++; next == 1<<width && width < 16 {
				whole()
				width++
			}
		}
		if first = false; at+n < len(text) {
			table[text[at:at+n+1]] = next
		}
		if at += n; clear > 0 && next >= clear {
			group = append(group, 256)
			whole()
			reset()
		}
	}
	flush(len(group))
	return out
}

func TestUncompress(t *testing.T) {
	text := strings.Repeat("In the beginning God created the heaven and the earth.\n", 40)
	var long strings.Builder
	for i := range 60000 {
		long.WriteByte(byte(i*i>>3) ^ byte(i>>7))
	}
	for _, plain := range []string{"", "a", "aaaaaaaaaaaaaaaa", text, long.String()} {
		for _, clear := range []int{0, 300, 700} {
			got, err := uncompress(compressed(plain, clear), 1<<20)
			if err != nil || string(got) != plain {
				t.Errorf("%d bytes, cleared at %d: %d come back, %v", len(plain), clear, len(got), err)
			}
		}
	}
	if _, err := uncompress(compressed(text, 0), 100); err == nil {
		t.Error("more bytes than a window has are no error")
	}
	if _, err := uncompress([]byte{0xff, 0xff}, 100); err == nil {
		t.Error("an unknown code is no error")
	}
}

func TestBible(t *testing.T) {
	windows := []string{"Holy Bible.\nGe1:1 In the beginning God\nGe1:2 And the ear", "th was\nGe2:1 Thus\n1Co13:1 Though I speak\n"}
	head := append([]byte(bibleMark), make([]byte, bibleWindows-4-len(bibleMark))...)
	head = binary.BigEndian.AppendUint32(head, 65536)
	head = binary.BigEndian.AppendUint32(head, uint32(len(windows)))
	at := len(head) + 4*len(windows) + 4
	var body []byte
	for _, w := range windows {
		head = binary.BigEndian.AppendUint32(head, uint32(at+len(body)))
		body = append(body, compressed(w, 0)...)
	}
	head = binary.BigEndian.AppendUint32(head, uint32(at+len(body)))
	plain, err := bibleText(append(head, body...))
	if err != nil || plain != strings.Join(windows, "") {
		t.Fatalf("%q, %v", plain, err)
	}
	got, err := books(plain)
	if err != nil {
		t.Fatal(err)
	}
	want := []task.Document{{Name: "Ge", Text: "In the beginning God\nAnd the earth was\n\nThus\n"},
		{Name: "1Co", Text: "Though I speak\n"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, broken := range [][]byte{nil, []byte(bibleMark), head[:len(head)-8], head} {
		if _, err := bibleText(broken); err == nil {
			t.Errorf("%d bytes are no error", len(broken))
		}
	}
}

func TestUntagged(t *testing.T) {
	got, err := untagged("\n\n\tThe/at jury/nn 1/2/cd ``/`` ./.\n\n\n\tA/at b/nn\nc/nn\n\n")
	if want := "The jury 1/2 `` .\n\nA b\nc\n\n"; err != nil || got != want {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
	if _, err := untagged("The/at jury\n"); err == nil || !strings.Contains(err.Error(), `"jury" has no tag`) {
		t.Errorf("error %v", err)
	}
}

func TestSections(t *testing.T) {
	got := sections(" The File\n\nChapter 1. Slang\n\n text\nnot a heading\n\nGlossary\n\n   Abbot\n\n   :(TM): //\n\n x\n\n   :Abbot: n.\n\n a\n\n" +
		"Code\n\n   :404: n.\n\n n\n\n   :bug: n.\n b\n\nAppendix\u00a0A. Lore\n\n l\n")
	var names []string
	all := ""
	for _, d := range got {
		names, all = append(names, d.Name), all+d.Text
	}
	want := []string{"contents", "Chapter 1. Slang", "Glossary", "entries from ( on", "entries from A on", "entries from B on",
		"Appendix\u00a0A. Lore"}
	if diff := cmp.Diff(want, names); diff != "" || !strings.HasSuffix(all, "\n l\n") {
		t.Errorf("%s\n%q", diff, all)
	}
}

func TestChapters(t *testing.T) {
	long := strings.Repeat("# B.2 Why?\n", leastChapter/11+1)
	var files []packed
	for _, f := range [][2]string{{"secB2", long}, {"alinks", long}, {"biblio", long}, {"secBcon", "short\n"}, {"append1", long + "\n"}} {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		if _, err := io.WriteString(z, f[1]); err != nil || z.Close() != nil {
			t.Fatal(err)
		}
		files = append(files, packed{"usr/share/doc/anarchism/markdown/" + f[0] + ".md.gz", b.Bytes()})
	}
	got, err := chapters(files)
	want := []task.Document{{Name: "secB2", Text: long}, {Name: "append1", Text: long + "\n"}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
	if _, err := chapters([]packed{{"a.md.gz", []byte("no gzip")}}); err == nil || !strings.Contains(err.Error(), "a.md.gz") {
		t.Errorf("error %v", err)
	}
}

// The client npm is a script that leaves a package of two texts.
func TestFetch(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("the client is a script for a shell")
	}
	dir := t.TempDir()
	var pack bytes.Buffer
	z := gzip.NewWriter(&pack)
	archive := tar.NewWriter(z)
	for name, text := range map[string]string{"package/ca01": "The/at jury/nn\n", "package/README": "not a text"} {
		if err := archive.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg, Size: int64(len(text)), Mode: 0o644}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(archive, text); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(dir, "package.tgz")
	npm := filepath.Join(dir, "npm")
	if err := errors.Join(archive.Close(), z.Close(), os.WriteFile(file, pack.Bytes(), 0o600),
		os.WriteFile(npm, []byte("#!/bin/sh\ncp "+file+" \"$4\"\n"), 0o755)); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	c, err := find("brown")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "brown", "brown.jsonl")
	killed := filepath.Join(dir, "brown", ".fetch-1")
	if err := errors.Join(os.MkdirAll(killed, 0o755), os.WriteFile(killed+".lock", nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.into(t.Context(), path); err == nil || !strings.Contains(err.Error(), "another version of the text") {
		t.Errorf("error %v, want that the hash is another", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Error("what has another hash was written")
	}
	want := `{"name":"ca01","text":"The jury\n"}` + "\n"
	c.SHA256 = fmt.Sprintf("%x", sha256.Sum256([]byte(want)))
	if file, fetched, err := c.into(t.Context(), path); err != nil || !fetched || file != path {
		t.Fatalf("%s, %v, %v", file, fetched, err)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != want {
		t.Errorf("%q, %v", data, err)
	}
	if _, fetched, err := c.into(t.Context(), path); err != nil || fetched {
		t.Errorf("fetched again: %v, %v", fetched, err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "brown", ".fetch-*")); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}

// Where the client is missing, the error says what to do.
func TestFetchWithout(t *testing.T) {
	none := func(name string) (string, error) { return "", errors.New(name + " is not in the PATH") }
	for _, c := range Known() {
		if _, err := c.fetch(context.Background(), t.TempDir(), none); err == nil || !strings.Contains(err.Error(), "there is no ") ||
			!strings.Contains(err.Error(), "bring its file here") {
			t.Errorf("%s: error %v", c.Name, err)
		}
		if len(c.SHA256) != 64 || c.Licence == "" {
			t.Errorf("%s: hash %q, licence %q", c.Name, c.SHA256, c.Licence)
		}
	}
	if _, err := find("bibel"); err == nil || !strings.Contains(err.Error(), `did you mean "bible"`) {
		t.Errorf("error %v", err)
	}
}
