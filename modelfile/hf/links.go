package hf

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// checkLinks wants the folder's files in the folder itself, or behind links that stay within its root: in Hugging
// Face's cache the folder of a revision is snapshots/REVISION, with links to ../../blobs, and the root is the folder
// with both. Who publishes a folder could else have any file of this machine read.
func checkLinks(dir string) error {
	root, err := filepath.EvalSymlinks(dir)
	if err == nil {
		root, err = filepath.Abs(root)
	}
	if err != nil {
		return err
	}
	if above := filepath.Dir(root); filepath.Base(above) == "snapshots" {
		if info, err := os.Lstat(filepath.Join(filepath.Dir(above), "blobs")); err == nil && info.IsDir() {
			root = filepath.Dir(above)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Type()&fs.ModeSymlink == 0 || !slices.Contains([]string{".json", ".safetensors", ".jinja"}, filepath.Ext(e.Name())) {
			continue
		}
		path := filepath.Join(dir, e.Name())
		end, err := filepath.EvalSymlinks(path)
		if err == nil {
			end, err = filepath.Abs(end)
		}
		if err != nil {
			return fmt.Errorf("%s is a link that leads nowhere: %w", path, err)
		}
		if !strings.HasPrefix(end, root+string(filepath.Separator)) {
			return fmt.Errorf("%s is a link to %s, outside of %s; put the file itself there", path, end, root)
		}
	}
	return nil
}
