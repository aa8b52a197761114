package report

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/internal/files"
)

// Read reads the rows and observations of result files in the order of paths; of a folder, all
// files below it that end in .jsonl or .jsonl.gz, in lexical order. A file holds the one or the
// other. A line that cannot be read is an error with its file and number, and so are paths
// without any.
func Read(paths ...string) ([]eval.Row, []eval.Observation, error) {
	files, err := Files(paths...)
	if err != nil {
		return nil, nil, err
	}
	var rows []eval.Row
	var observations []eval.Observation
	for _, name := range files {
		got, found, err := readFile(name)
		if err != nil {
			return nil, nil, fmt.Errorf("report: %s: %w", name, err)
		}
		rows, observations = append(rows, got...), append(observations, found...)
	}
	if len(rows)+len(observations) == 0 {
		return nil, nil, fmt.Errorf("report: %s: no results; write some with: zoo bench -o results/bench.jsonl",
			strings.Join(paths, ", "))
	}
	return rows, observations, nil
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
	plain, err := eval.Plain(f)
	if err != nil {
		return nil, nil, err
	}
	lines := bufio.NewReaderSize(plain, 1<<10)
	first, _ := lines.Peek(1 << 10) // what is wrong with it is for the reader to say
	if eval.HoldsObservations(first) {
		found, err := eval.ReadObservations(lines)
		return nil, found, err
	}
	rows, err := eval.ReadJSONL(lines)
	return rows, nil, err
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
