package graphtest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const update = "UPDATE_GOLDEN"

func goldenPath(name string) string { return filepath.Join("testdata", name+".golden") }

// Golden compares text with the file testdata/name.golden of the tested package.
// With UPDATE_GOLDEN=1 in the environment it rewrites the file instead.
func Golden(t testing.TB, name, text string) {
	t.Helper()
	path := goldenPath(name)
	if os.Getenv(update) == "1" {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; %s=1 writes it", err, update)
	}
	if diff := cmp.Diff(string(want), text); diff != "" {
		t.Errorf("%s differs (-want +got); after a wanted change, %s=1 rewrites it:\n%s", path, update, diff)
	}
}

// NoOtherGolden fails when testdata holds a golden file that is none of names:
// a file that nothing compares proves nothing. With UPDATE_GOLDEN=1 it removes
// such files. Call it once in a package, with every name given to Golden.
func NoOtherGolden(t testing.TB, names ...string) {
	t.Helper()
	known := map[string]bool{}
	for _, name := range names {
		known[goldenPath(name)] = true
	}
	files, err := goldenFiles("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		switch {
		case known[path]:
		case os.Getenv(update) != "1":
			t.Errorf("no test uses %s; %s=1 removes it", path, update)
		default:
			if err := os.Remove(path); err != nil {
				t.Error(err)
			}
		}
	}
}

// goldenFiles lists the golden files in a folder and those below it.
func goldenFiles(dir string) ([]string, error) {
	var files []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, ".golden") {
			files = append(files, path)
		}
		return err
	})
	if os.IsNotExist(err) {
		return nil, nil
	}
	slices.Sort(files)
	return files, err
}
