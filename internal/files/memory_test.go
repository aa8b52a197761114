package files

import (
	"errors"
	"io/fs"
	"testing"
)

func TestMemory(t *testing.T) {
	folder := Memory("a.json", []byte("{}"))
	if text, err := fs.ReadFile(folder, "a.json"); err != nil || string(text) != "{}" {
		t.Errorf("%q, %v", text, err)
	}
	if about, err := fs.Stat(folder, "a.json"); err != nil || !about.Mode().IsRegular() || about.Size() != 2 || about.Name() != "a.json" {
		t.Errorf("%v, %v", about, err)
	}
	if _, err := fs.ReadFile(folder, "b.json"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("another name: %v", err)
	}
}
