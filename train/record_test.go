package train

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// broken fails at every write.
type broken struct{}

var errBroken = errors.New("broken")

func (broken) Write([]byte) (int, error) { return 0, errBroken }

// TestRecordClose: nothing was written, or all; and what goes wrong is told, the first of it.
func TestRecordClose(t *testing.T) {
	if err := (&record{path: "nowhere"}).close(); err != nil {
		t.Errorf("nothing to close: %v", err)
	}
	opened := func() *record {
		t.Helper()
		r := &record{path: filepath.Join(t.TempDir(), "record")}
		if err := r.add([]byte("a")); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.file.Close() })
		return r
	}
	r := opened()
	if err := r.close(); err != nil {
		t.Error(err)
	}
	if _, err := r.file.Stat(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("the file is open still: %v", err)
	}
	if err := r.close(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("what cannot be closed: %v", err)
	}
	r = opened()
	r.through = func(io.Writer) io.Writer { return broken{} }
	if err := r.add([]byte("b")); !errors.Is(err, errBroken) {
		t.Errorf("a write that fails: %v", err)
	}
	if err := r.close(); !errors.Is(err, errBroken) {
		t.Errorf("a last write that fails: %v", err)
	}
	if _, err := r.file.Stat(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("the file is open after a write that failed: %v", err)
	}
}
