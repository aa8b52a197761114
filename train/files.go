package train

import (
	"errors"
	"io/fs"
	"os"
	"path"
)

// filesLike returns the names in a directory that match a pattern of path.Match;
// none where there is no directory. Unlike filepath.Glob it takes the directory's
// own path as it is, which may hold brackets and stars, and says when it cannot be
// read: to take a run for one without checkpoints would be to begin it anew.
func filesLike(dir, pattern string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		match, err := path.Match(pattern, e.Name())
		if err != nil {
			return nil, err
		}
		if match {
			names = append(names, e.Name())
		}
	}
	return names, nil
}
