// Package tasktest has what tests of several packages need of tasks.
package tasktest

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/nopezoo/zoo/eval/task"
)

// WriteCorpus writes a corpus in a folder of the test, and returns its path.
func WriteCorpus(t testing.TB, name string, documents []task.Document) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), name)
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(task.WriteTexts(f, documents), f.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// OwnCache has the test use a per-user cache of its own, and returns the folder of zoo in it.
func OwnCache(t testing.TB) string {
	t.Helper()
	for _, name := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData"} { // Linux, macOS, Windows
		t.Setenv(name, t.TempDir())
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "zoo")
}

// Vocabulary returns the words of a task in their fixed order, ready for tokenizer.New.
func Vocabulary(k task.Task) []string {
	pieces, err := task.Vocabulary("", k)
	if err != nil {
		panic(err) // a task's own texts are constants, which its tests check
	}
	return pieces
}
