package files

import (
	"os"
	"path/filepath"
	"testing"
)

// A name that is taken gets a number, and a folder that is a file is an error.
func TestNew(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "results")
	for _, want := range []string{"a.jsonl", "a-2.jsonl", "a-3.jsonl"} {
		if got, err := New(folder, "a", ".jsonl"); err != nil || got != filepath.Join(folder, want) {
			t.Errorf("%s, %v; want %s", got, err, want)
		}
	}
	file := filepath.Join(folder, "a.jsonl")
	if _, err := New(file, "b", ".jsonl"); err == nil {
		t.Error("a folder was made of a file")
	}
	if info, err := os.Stat(file); err != nil || info.Size() != 0 {
		t.Errorf("%v, %v", info, err)
	}
}
