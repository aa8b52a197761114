package bench

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/eval"
)

func naRow(length int) eval.Row {
	return eval.Row{Schema: eval.RowSchema, Task: "copy", Length: length, NA: true}
}

// A file belongs to one bench at a time, under each of its names, and the second
// is told who has it; afterwards nothing is left beside it.
func TestBenchLogIsLocked(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "rows.jsonl"), filepath.Join(dir, "link.jsonl")
	first, err := OpenLog(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path, link} {
		if _, err := OpenLog(name); err == nil || !strings.Contains(err.Error(),
			"another benchmark writes to "+name+" (process "+strconv.Itoa(os.Getpid())) ||
			!strings.Contains(err.Error(), "name another file") {
			t.Errorf("a second bench on %s: error %v", name, err)
		}
	}
	if err := first.Add(naRow(1)); err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second, err := OpenLog(path)
	if err != nil || len(second.Rows) != 1 {
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
func TestBenchLogKeepsWhatArrives(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.jsonl")
	whole, err := OpenLog(path)
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
