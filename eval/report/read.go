package report

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/summary"
	"github.com/nopezoo/zoo/internal/files"
)

// Results are what files hold.
type Results struct {
	Files        []string // in the order in which they were read
	Rows         []eval.Row
	Observations []eval.Observation
}

// Read reads result files in the order of paths; of a folder, all files below it that end in .jsonl or .jsonl.gz, in lexical
// order. A file holds rows or observations. A line that cannot be read is an error with its file and number, and so are paths
// without any.
func Read(paths ...string) (Results, error) {
	names, err := resultFiles(paths)
	if err != nil {
		return Results{}, err
	}
	r := Results{Files: names}
	for _, name := range names {
		rows, found, err := readFile(name)
		if err != nil {
			return Results{}, fmt.Errorf("report: %s: %w", name, err)
		}
		r.Rows, r.Observations = append(r.Rows, rows...), append(r.Observations, found...)
	}
	if len(r.Rows)+len(r.Observations) == 0 {
		return Results{}, fmt.Errorf("report: %s: no results; write some with: zoo bench -o results/bench.jsonl",
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
			results := filepath.Ext(strings.TrimSuffix(name, ".gz")) == ".jsonl"
			if err == nil && !d.IsDir() && (name == path || results) {
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

// PublishedFile is the name of a file of published numbers in a folder of results.
const PublishedFile = "published.csv"

// Published reads a file of published numbers (see summary.ReadPublished). For name "" it is the PublishedFile in the folder of
// the results, or in the folder that a file of results is in: nil for none, and several are an error.
func Published(name string, results ...string) (*summary.Published, error) {
	if name == "" {
		var err error
		if name, err = publishedFile(results); err != nil || name == "" {
			return nil, err
		}
	}
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

func publishedFile(results []string) (string, error) {
	var found []string
	for _, folder := range results {
		info, err := os.Stat(folder)
		if err != nil {
			return "", fmt.Errorf("report: %w", err)
		}
		if !info.IsDir() {
			folder = filepath.Dir(folder)
		}
		name := filepath.Join(folder, PublishedFile)
		_, err = os.Stat(name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("report: %w", err)
		}
		if err == nil && !slices.Contains(found, name) {
			found = append(found, name)
		}
	}
	if len(found) > 1 {
		return "", fmt.Errorf("report: published numbers lie beside the results in %s and %s; say which with --published",
			found[0], found[1])
	}
	return strings.Join(found, ""), nil
}
