package rowlog

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// letters is a file of letters, one a line; what follows the last end of line is half of one.
var letters = Format[string]{
	Holds: "letters", MaxBytes: 100,
	Read: func(r io.Reader) ([]string, int64, bool, error) {
		data, err := io.ReadAll(r)
		whole := bytes.LastIndexByte(data, '\n') + 1
		return strings.Fields(string(data[:whole])), int64(whole), true, err
	},
	Write: func(w io.Writer, all ...string) error {
		_, err := fmt.Fprintln(w, strings.Join(all, "\n"))
		return err
	},
}

// A file belongs to one writer at a time, under each of its names, and the second
// is told who has it; afterwards nothing is left beside it.
func TestLogIsLocked(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "rows.jsonl"), filepath.Join(dir, "link.jsonl")
	first, err := Open(path, letters)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path, link} {
		if _, err := Open(name, letters); err == nil || !strings.Contains(err.Error(),
			"another program writes letters to "+name+" (process "+strconv.Itoa(os.Getpid())) ||
			!strings.Contains(err.Error(), "name another file") {
			t.Errorf("a second one on %s: error %v", name, err)
		}
	}
	if err := first.Add("a", "b"); err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second, err := Open(path, letters)
	if err != nil || len(second.Records) != 2 {
		t.Fatalf("after its end: %v, error %v", second, err)
	}
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 2 {
		t.Errorf("the folder holds %v, error %v; want the file and the link", left, err)
	}
}

// What another program appends after the file was read is not cut off.
func TestLogKeepsWhatArrives(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.jsonl")
	whole, err := Open(path, letters)
	if err != nil {
		t.Fatal(err)
	}
	defer whole.Close()
	const torn = `{"schema":1,"mea`
	if _, err := whole.file.WriteString(torn); err != nil {
		t.Fatal(err)
	}
	const arrived = `sure":"speed"}` + "\n"
	if _, err := whole.file.WriteString(arrived); err != nil {
		t.Fatal(err)
	}
	if err := whole.repair(path, int64(len(torn)), 0, true); err == nil ||
		!strings.Contains(err.Error(), "another program writes to it") {
		t.Errorf("error %v", err)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != torn+arrived {
		t.Errorf("the file holds %q, error %v", data, err)
	}
}
