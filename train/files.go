package train

import (
	"errors"
	"io/fs"
	"os"
)

// fileNames returns the names in a directory; none where there is no directory. Unlike
// filepath.Glob it takes the directory's own path as it is, which may hold brackets and
// stars, and says when it cannot be read: to take a run for one without checkpoints
// would be to begin it anew.
func fileNames(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, nil
}
