package files_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/nopezoo/zoo/internal/files"
)

// TestStage: a folder to work in goes with its lock; what dead processes left goes with the next one, and nothing
// else does.
func TestStage(t *testing.T) {
	if !files.Works {
		t.Skip("no lock ends with its process here")
	}
	parent := t.TempDir()
	make := func(name string, age time.Duration) {
		t.Helper()
		path := filepath.Join(parent, name)
		then := time.Now().Add(-age)
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err := errors.Join(err, os.WriteFile(path, nil, 0o600), os.Chtimes(path, then, then)); err != nil {
			t.Fatal(err)
		}
	}
	make(".work-1/file", 0)
	make(".work-1.lock", 0)            // of a dead process
	make(".work-2.lock", 0)            // of one that is about to make its folder
	make(".work-3.lock", 25*time.Hour) // of one that was killed before it did
	make(".work-mine/file", 25*time.Hour)
	make(".work-4/file", 25*time.Hour) // without a lock
	make(".other-1.lock", 25*time.Hour)
	dir, release, err := files.Stage(parent, ".work-")
	if err != nil {
		t.Fatal(err)
	}
	other, releaseOther, err := files.Stage(parent, ".work-")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); err != nil {
		t.Errorf("the folder of a process at work: %v", err)
	}
	want := []string{".other-1.lock", ".work-2.lock", ".work-4", ".work-mine"}
	at := []string{filepath.Base(dir), filepath.Base(dir) + ".lock", filepath.Base(other), filepath.Base(other) + ".lock"}
	if got, all := names(t, parent), slices.Sorted(slices.Values(slices.Concat(want, at))); !slices.Equal(got, all) {
		t.Errorf("there are %q, want %q", got, all)
	}
	release()
	releaseOther()
	if got := names(t, parent); !slices.Equal(got, want) {
		t.Errorf("left are %q, want %q", got, want)
	}
}

func names(t *testing.T, folder string) (out []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}
