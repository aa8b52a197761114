package files_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/internal/files"
)

func TestWriteFileAtomic(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	say := func(text string, err error) func(io.Writer) error {
		return func(w io.Writer) error {
			if _, e := io.WriteString(w, text); e != nil {
				return e
			}
			return err
		}
	}
	full := errors.New("disk full")
	for _, tc := range []struct {
		write func(io.Writer) error
		err   error
		want  string
	}{
		{say("one", nil), nil, "one"},
		{say("two", full), full, "one"},
		{say("three", nil), nil, "three"},
	} {
		if err := files.WriteAtomic(path, tc.write); !errors.Is(err, tc.err) {
			t.Errorf("got error %v, want %v", err, tc.err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != tc.want {
			t.Errorf("the file holds %q (%v), want %q", got, err, tc.want)
		}
		if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
			t.Errorf("the folder holds %v (%v), want one file", files, err)
		}
	}
	missing, taken := filepath.Join(dir, "none", "f"), filepath.Join(dir, "taken")
	if err := files.WriteAtomic(missing, say("", nil)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing folder gives %v", err)
	}
	if err := os.MkdirAll(filepath.Join(taken, "below"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{missing, taken} {
		err := files.WriteAtomic(path, say("", nil))
		if err == nil || !strings.HasPrefix(err.Error(), "write "+path+": ") || strings.Contains(err.Error(), ".tmp") {
			t.Errorf("error %v, want one that names %s and no temporary file", err, path)
		}
	}
}

// What a killed writer left goes with the next write of the same file; what a living
// one writes, or another made, stays.
func TestWriteFileAtomicClears(t *testing.T) {
	if !files.Works {
		t.Skip("no lock ends with its process here")
	}
	dir := t.TempDir()
	dead, living := ".f.0123456789abcdef.tmp", ".f.fedcba9876543210.tmp"
	others := []string{".f.tmp", ".f.0123456789abcdeg.tmp", ".f.x.0123456789abcdef.tmp", ".g.0123456789abcdef.tmp",
		"f.0123456789abcdef.tmp"}
	for _, name := range append(others, dead) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	lock, err := files.Take(filepath.Join(dir, living))
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if err := files.WriteAtomic(filepath.Join(dir, "f"), func(w io.Writer) error {
		if err := files.WriteBytesAtomic(filepath.Join(dir, "f"), []byte("inner")); err != nil {
			return err
		}
		_, err := io.WriteString(w, "outer")
		return err
	}); err != nil {
		t.Fatalf("while another writes the same file: %v", err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "f")); string(got) != "outer" {
		t.Errorf("the file holds %q (%v)", got, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	want := append(others, living, "f")
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
