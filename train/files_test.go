package train_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/train/runfile"
)

// touch makes empty files in a directory.
func touch(t *testing.T, dir string, names ...string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func fileNames(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// A run's path may be anything: what would be a pattern in it is none, and siblings
// that would match it are left alone.
func TestPathsThatLookLikePatterns(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such names")
	}
	four := []string{"checkpoint-00000001.safetensors", "checkpoint-00000002.safetensors",
		"checkpoint-00000003.safetensors", "checkpoint-00000004.safetensors"}
	for _, tc := range []struct{ name, sibling string }{{"exp[1]", "exp1"}, {"v?", "v1"}, {"a*", "ab"},
		{"[", "b"}, {`e\1`, "e1"}} {
		root := t.TempDir()
		dir, sibling := filepath.Join(root, tc.name), filepath.Join(root, tc.sibling)
		touch(t, dir, four...)
		touch(t, sibling, append([]string{".half.tmp"}, four...)...)
		steps, err := runfile.Steps(dir)
		if want := []int{4, 3, 2, 1}; err != nil || !slices.Equal(steps, want) {
			t.Errorf("%s: checkpoints of steps %v (%v), want %v", tc.name, steps, err, want)
		}
		if err := train.Prune(dir, 4, 2, 1); err != nil {
			t.Errorf("%s: %v", tc.name, err)
		}
		if diff := cmp.Diff([]string{four[0], four[2], four[3]}, fileNames(t, dir)); diff != "" {
			t.Errorf("%s: files after pruning (-want +got)\n%s", tc.name, diff)
		}
		touch(t, dir, ".half.tmp")
		if err := train.SweepTemporary(dir); err != nil {
			t.Errorf("%s: %v", tc.name, err)
		}
		if names := fileNames(t, dir); slices.Contains(names, ".half.tmp") {
			t.Errorf("%s: %v: a temporary file is left", tc.name, names)
		}
		if n := len(fileNames(t, sibling)); n != 5 {
			t.Errorf("%s: its sibling %s has %d files, want all 5", tc.name, tc.sibling, n)
		}
	}
}

// What is named almost like a checkpoint is none, and is left alone: it kept every
// later one from being saved.
func TestForeignCheckpointNames(t *testing.T) {
	dir := t.TempDir()
	foreign := []string{"checkpoint-+0000007.safetensors", "checkpoint--0000007.safetensors",
		"checkpoint-0000000009.safetensors", "checkpoint-9.safetensors", "checkpoint-best.safetensors"}
	touch(t, dir, foreign...)
	r := start(t, dir, micro("nope", 12))
	losses(t, r)
	steps, err := runfile.Steps(dir)
	if want := []int{12, 8}; err != nil || !slices.Equal(steps, want) {
		t.Errorf("checkpoints of steps %v (%v), want %v", steps, err, want)
	}
	for _, name := range foreign {
		if !slices.Contains(fileNames(t, dir), name) {
			t.Errorf("%s is gone", name)
		}
	}
}

// A directory that cannot be read is not one without checkpoints.
func TestCheckpointsOfAnUnreadableDirectory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	touch(t, filepath.Dir(file), "file")
	if steps, err := runfile.Steps(file); err == nil {
		t.Errorf("a file in a directory's place has the checkpoints %v", steps)
	}
}
