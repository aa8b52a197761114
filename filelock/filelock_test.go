package filelock_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"github.com/nopezoo/zoo/filelock"
)

// One holder at a time, who is named; the lock of a removed file keeps out nobody.
func TestTake(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no lock ends with its process here")
	}
	path := filepath.Join(t.TempDir(), "lock")
	held := func(want bool) {
		t.Helper()
		if got, err := filelock.Held(path); got != want || err != nil {
			t.Errorf("held: %v, %v; want %v", got, err, want)
		}
	}
	held(false) // there is no file
	first, err := filelock.Take(path)
	if err != nil {
		t.Fatal(err)
	}
	held(true)
	_, err = filelock.Take(path)
	var other *filelock.HeldError
	if !errors.As(err, &other) || other.Path != path || other.Process != strconv.Itoa(os.Getpid()) {
		t.Errorf("error %v, want the holder", err)
	}
	if err := errors.Join(os.Remove(path), first.Close()); err != nil {
		t.Fatal(err)
	}
	second, err := filelock.Take(path)
	if err != nil {
		t.Fatal(err)
	}
	held(true)
	second.Close()
	held(false) // the file is there
	if _, err := filelock.Take(filepath.Join(path, "below", "a file")); err == nil {
		t.Error("no error where no file can be")
	}
}
