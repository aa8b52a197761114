package files_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/internal/files"
)

// One holder at a time, who is named; the lock of a removed file keeps out nobody.
func TestTake(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no lock ends with its process here")
	}
	path := filepath.Join(t.TempDir(), "lock")
	held := func(want bool) {
		t.Helper()
		if got, err := files.Held(path); got != want || err != nil {
			t.Errorf("held: %v, %v; want %v", got, err, want)
		}
	}
	held(false) // there is no file
	first, err := files.Take(path)
	if err != nil {
		t.Fatal(err)
	}
	held(true)
	_, err = files.Take(path)
	var other *files.HeldError
	if !errors.As(err, &other) || other.Path != path || other.Process != strconv.Itoa(os.Getpid()) {
		t.Errorf("error %v, want the holder", err)
	}
	if err := errors.Join(os.Remove(path), first.Close()); err != nil {
		t.Fatal(err)
	}
	second, err := files.Take(path)
	if err != nil {
		t.Fatal(err)
	}
	held(true)
	second.Close()
	held(false) // the file is there
	if _, err := files.Take(filepath.Join(path, "below", "a file")); err == nil {
		t.Error("no error where no file can be")
	}
}

// What is no lock stays as it is: a link's end, a file that holds something else, a folder.
func TestTakeOnlyLocks(t *testing.T) {
	for _, test := range []struct {
		name string
		make func(path, precious string) error
		want string
	}{
		{"link", func(path, precious string) error { return os.Symlink(precious, path) }, "symbolic link"},
		{"link to nothing", func(path, precious string) error { return os.Symlink(precious+"2", path) }, "symbolic link"},
		{"hard link", func(path, precious string) error { return os.Link(precious, path) }, "holds something else"},
		{"folder", func(path, _ string) error { return os.Mkdir(path, 0o755) }, "no regular file"},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := t.TempDir()
			path, precious := filepath.Join(folder, "lock"), filepath.Join(folder, "precious")
			if err := os.WriteFile(precious, []byte("precious"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := test.make(path, precious); err != nil {
				t.Skip(err)
			}
			f, err := files.Take(path)
			if err == nil {
				f.Close()
			}
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), path) {
				t.Errorf("error %v, want %q and the path", err, test.want)
			}
			if _, err := files.Held(path); (err == nil) != (test.name == "hard link") {
				t.Errorf("held: %v", err) // which reads nothing
			}
			if data, err := os.ReadFile(precious); string(data) != "precious" {
				t.Errorf("the file holds %q now, %v", data, err)
			}
			if entries, _ := os.ReadDir(folder); len(entries) != 2 {
				t.Errorf("%d files, want 2", len(entries))
			}
		})
	}
}

// The lock of a file that holds something leaves its contents.
func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	if err := os.WriteFile(path, []byte("data"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := files.Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	_, err = files.Lock(path)
	var held *files.HeldError
	if files.Works && (!errors.As(err, &held) || held.Process != "(unknown)") {
		t.Errorf("error %v, want that it is held", err)
	}
	if data, err := os.ReadFile(path); string(data) != "data" {
		t.Errorf("the file holds %q now, %v", data, err)
	}
}
