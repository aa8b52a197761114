package report

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/nopezoo/zoo/eval/summary"
	"github.com/nopezoo/zoo/internal/files"
)

// PublishedFile is what a file of published numbers is called that lies beside results.
const PublishedFile = "published.csv"

// Beside finds the published numbers that belong to results: the PublishedFile of a folder of
// results, or of the folder that a file of results is in. "" for none; several are an error.
func Beside(paths ...string) (string, error) {
	var found []string
	for _, path := range paths {
		folder := path
		if info, err := os.Stat(path); err != nil {
			return "", fmt.Errorf("report: %w", err)
		} else if !info.IsDir() {
			folder = filepath.Dir(path)
		}
		name := filepath.Join(folder, PublishedFile)
		if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return "", fmt.Errorf("report: %w", err)
		}
		if !slices.Contains(found, name) {
			found = append(found, name)
		}
	}
	switch len(found) {
	case 0:
		return "", nil
	case 1:
		return found[0], nil
	}
	return "", fmt.Errorf("report: published numbers lie beside the results in %s and %s; say which with --published",
		found[0], found[1])
}

// ReadPublished reads a file of published numbers (see summary.ReadPublished).
func ReadPublished(name string) (*summary.Published, error) {
	f, _, err := files.OpenRegular(name, 1<<26)
	if err != nil {
		return nil, fmt.Errorf("report: published numbers: %w", err)
	}
	defer f.Close()
	p, err := summary.ReadPublished(f)
	if err != nil {
		return nil, fmt.Errorf("report: %s: %w", name, err)
	}
	return p, nil
}
