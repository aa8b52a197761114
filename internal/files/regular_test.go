package files_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/internal/files"
)

func TestReadRegular(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	if err := os.WriteFile(path, []byte("12345"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := files.ReadRegular(path, 5); err != nil || string(got) != "12345" {
		t.Errorf("read %q, %v", got, err)
	}
	sparse := filepath.Join(dir, "sparse")
	if err := os.WriteFile(sparse, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(sparse, 6<<30); err != nil {
		t.Skip(err) // not every file system has them
	}
	refused := map[string]string{path: "has 5 bytes; such a file has at most 4", sparse: "has 6442450944 bytes",
		dir: "is a folder; want a file"}
	if runtime.GOOS != "windows" {
		refused["/dev/zero"] = "is no regular file; want one"
	}
	for path, want := range refused {
		if _, err := files.ReadRegular(path, 4); err == nil || !strings.HasPrefix(err.Error(), path+" ") &&
			!strings.HasPrefix(err.Error(), path+": ") || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s … %s", err, path, want)
		}
	}
	if _, err := files.ReadRegular(path+"x", 4); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}
