package report

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/internal/files"
	"github.com/nopezoo/zoo/train/journal"
)

// results are the contents of files.
type results struct {
	Files        []string // in the order in which they were read
	Rows         []eval.Row
	Observations []eval.Observation
}

// Read reads files of rows or observations in the order of paths; of a folder, all .jsonl and .jsonl.gz below it but the
// metrics of training runs. A line that cannot be read is an error with its file and number, and so are paths without results.
func Read(paths ...string) (results, error) {
	names, err := resultFiles(paths)
	if err != nil {
		return results{}, err
	}
	r := results{Files: names}
	for _, name := range names {
		rows, found, err := readFile(name)
		if err != nil && !slices.Contains(paths, name) {
			err = fmt.Errorf("%w; to leave this file out, name the others", err)
		}
		if err != nil {
			return results{}, fmt.Errorf("report: %s: %w", name, err)
		}
		r.Rows, r.Observations = append(r.Rows, rows...), append(r.Observations, found...)
	}
	if len(r.Rows)+len(r.Observations) == 0 {
		return results{}, fmt.Errorf("report: %s: no results; write some with: zoo bench -o results/bench.jsonl",
			strings.Join(paths, ", "))
	}
	return r, nil
}

func readFile(name string) ([]eval.Row, []eval.Observation, error) {
	f, _, err := files.OpenRegular(name, eval.MaxResults)
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		err = path.Err // the caller names the file
	}
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	return eval.Read(f)
}

// resultFiles lists the result files of paths.
func resultFiles(paths []string) ([]string, error) {
	var out []string
	for _, path := range paths {
		found := len(out)
		err := filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
			results := filepath.Ext(strings.TrimSuffix(name, ".gz")) == ".jsonl" && filepath.Base(name) != journal.MetricsFile
			if err == nil && !d.IsDir() && (name == path || results) {
				out = append(out, name)
			}
			return err
		})
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%w; results are files that zoo bench writes, or folders of such", err)
		}
		if err == nil && len(out) == found {
			err = fmt.Errorf("%s holds no file of results (.jsonl); write one with: zoo bench -o %s",
				path, filepath.Join(path, "bench.jsonl"))
		}
		if err != nil {
			return nil, fmt.Errorf("report: %w", err)
		}
	}
	return out, nil
}
