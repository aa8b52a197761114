package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/nopezoo/zoo/corpora"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/terminal"
)

// mostText is the largest file of plain text that is read, in bytes.
const mostText = 1 << 28

// makeCorpus makes a corpus of files of plain text.
func (a *app) makeCorpus(o dataOptions, files []string) error {
	if o.output == "" {
		return errors.New("--text makes a corpus, which is a file: name it, such as -o corpus.jsonl")
	}
	var documents []task.Document
	for _, path := range files {
		data, err := tensor.ReadRegular(path, mostText)
		if err != nil {
			return fmt.Errorf("--text: %w", err)
		}
		documents = append(documents, task.CutTexts(filepath.Base(path), string(data), o.separator)...)
	}
	if err := a.Write(terminal.Output{Path: o.output, Inputs: files}, func(w io.Writer) error {
		return task.WriteTexts(w, documents)
	}); err != nil {
		return fmt.Errorf("--text: %w", err)
	}
	a.Note("%s: %v", o.output, task.CountTexts(documents))
	a.Note("train on it: zoo train --task text:%s", o.output)
	return nil
}

// fetchCorpora fetches corpora by name.
func (a *app) fetchCorpora(ctx context.Context, o dataOptions, names []string) error {
	if len(names) == 0 {
		var lines [][]string
		for _, c := range corpora.Known() {
			lines = append(lines, []string{c.Name, c.About + "; from " + c.From + ". " + c.Licence})
		}
		return a.Table(lines)
	}
	if o.output != "" && len(names) > 1 {
		return fmt.Errorf("--output names one file, and %d corpora are to be fetched; fetch one by one", len(names))
	}
	for _, name := range names {
		c, err := corpora.Find(name)
		if err != nil {
			return err
		}
		file, fetched, err := c.Fetch(ctx, o.output)
		if err != nil {
			return err
		}
		t, err := task.Lookup("text:" + cmp.Or(o.output, name))
		if err != nil {
			return err
		}
		how := "is there already"
		if fetched {
			how = "fetched from " + c.From + ", hash verified"
		}
		documents, bytes, err := t.Corpus.Count(task.Whole)
		if err != nil {
			return err
		}
		a.Print("%s: %s: %s", name, how, file)
		a.Print("%s; %d of them, %.1f MB. %s", c.About, documents, float64(bytes)/1e6, c.Licence)
		a.Print("task: %s", task.Names([]task.Task{t}))
	}
	return nil
}
