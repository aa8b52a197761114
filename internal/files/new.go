package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// New makes an empty file in a folder, which it makes if need be, and returns its path: NAME and the extension, or NAME-2, NAME-3
// and so on where that is taken.
func New(folder, name, extension string) (string, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	for n := 1; ; n++ {
		path := filepath.Join(folder, name+extension)
		if n > 1 {
			path = filepath.Join(folder, fmt.Sprintf("%s-%d%s", name, n, extension))
		}
		f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		return path, f.Close()
	}
}
