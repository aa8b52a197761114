package report

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/graph/tensor"
)

// Read reads the rows of result files in the order of paths; of a folder, all
// files below it that end in .jsonl or .jsonl.gz, in lexical order. A line that cannot be read
// is an error with its file and number, and so are paths without rows.
func Read(paths ...string) ([]eval.Row, error) {
	files, err := Files(paths...)
	if err != nil {
		return nil, err
	}
	var rows []eval.Row
	for _, name := range files {
		got, err := readFile(name)
		if err != nil {
			return nil, fmt.Errorf("report: %s: %w", name, err)
		}
		rows = append(rows, got...)
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("report: %s: no results; write some with: zoo bench -o results/bench.jsonl",
			strings.Join(paths, ", "))
	}
	return rows, nil
}

func readFile(name string) ([]eval.Row, error) {
	f, _, err := tensor.OpenRegular(name, eval.MaxResults)
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		err = path.Err // the caller names the file
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	plain, err := eval.Plain(f)
	if err != nil {
		return nil, err
	}
	return eval.ReadJSONL(plain)
}

// isResults reports whether a file in a folder is one of results.
func isResults(name string) bool { return filepath.Ext(strings.TrimSuffix(name, ".gz")) == ".jsonl" }

// Files lists the result files of paths, as Read reads them.
func Files(paths ...string) ([]string, error) {
	var out []string
	for _, path := range paths {
		found := len(out)
		err := filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && (name == path || isResults(name)) {
				out = append(out, name)
			}
			return err
		})
		if err == nil && len(out) == found {
			err = fmt.Errorf("%s holds no .jsonl file; write one with: zoo bench -o %s",
				path, filepath.Join(path, "bench.jsonl"))
		}
		if err != nil {
			return nil, fmt.Errorf("report: %w", err)
		}
	}
	return out, nil
}
