package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/nopezoo/zoo/cmd/zoo/internal/terminal"
	"github.com/nopezoo/zoo/eval/corpora"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/files"
	"github.com/nopezoo/zoo/internal/human"
)

// mostText is the largest file of plain text that is read, in bytes.
const mostText = 1 << 28

// makeCorpus makes a corpus of files of plain text.
func (a *app) makeCorpus(o dataOptions, paths []string) error {
	if o.output == "" {
		return errors.New("--text makes a corpus, which is a file: name it, such as -o corpus.jsonl")
	}
	var documents []task.Document
	for _, path := range paths {
		data, err := files.ReadRegular(path, mostText)
		if err != nil {
			return fmt.Errorf("--text: %w", err)
		}
		documents = append(documents, cutTexts(filepath.Base(path), string(data), o.separator)...)
	}
	out := terminal.Output{Path: o.output, Inputs: paths}
	stream := a.IsStream(out)
	if err := a.Write(out, func(w io.Writer) error {
		return task.WriteTexts(w, documents)
	}); err != nil {
		return fmt.Errorf("--text: %w", err)
	}
	a.Note("%s: %s", o.output, counted(documents))
	switch {
	case stream: // no file that could be trained on
	case strings.ContainsAny(o.output, ",+#"):
		a.Note("to train on it, give it a path without comma, plus and #, which the name of a task cannot have")
	default:
		a.Note("train on it: zoo train --task %s", human.Shell("text:"+pathOfCorpus(o.output)))
	}
	return nil
}

// cutTexts cuts a plain text into documents at the lines that are separator; "" leaves it
// whole. Documents of nothing but white space are left out, and so is a mark, U+FEFF, before the text.
func cutTexts(name, text, separator string) (out []task.Document) {
	text = strings.TrimPrefix(text, "\ufeff")
	if separator == "" {
		return []task.Document{{Name: name, Text: text}}
	}
	var now strings.Builder
	end := func() {
		if strings.TrimSpace(now.String()) != "" {
			out = append(out, task.Document{Name: fmt.Sprintf("%s %d", name, len(out)+1), Text: now.String()})
		}
		now.Reset()
	}
	for line := range strings.Lines(text) {
		if strings.TrimRight(line, "\r\n") == separator {
			end()
			continue
		}
		now.WriteString(line)
	}
	end()
	return out
}

// counted says how many documents there are in each split.
func counted(documents []task.Document) string {
	splits := map[task.Split]int{}
	for _, d := range documents {
		splits[task.SplitOf(d.Text)]++
	}
	return fmt.Sprintf("%s, %.1f MB: %d for training, %d for validation, %d for test", human.Plural(len(documents), "document", "documents"),
		megabytes(documents), splits[task.Train], splits[task.Validation], splits[task.Test])
}

func megabytes(documents []task.Document) float64 {
	bytes := 0
	for _, d := range documents {
		bytes += len(d.Text)
	}
	return float64(bytes) / 1e6
}

// pathOfCorpus is a path that is not read as the name of a corpus in the per-user cache.
func pathOfCorpus(path string) string {
	if known, _ := task.CorpusPath(path); known != path {
		return "." + string(filepath.Separator) + path
	}
	return path
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
		path := name
		if o.output != "" {
			path = pathOfCorpus(o.output)
		}
		c, file, fetched, err := corpora.Fetch(ctx, name, o.output)
		if err != nil {
			return err
		}
		t, err := task.Lookup("text:" + path)
		if err != nil {
			return err
		}
		how := "is there already"
		if fetched {
			how = "fetched from " + c.From + ", hash verified"
		}
		documents, err := t.Corpus.Documents(task.Whole)
		if err != nil {
			return err
		}
		a.Print("%s: %s: %s", name, how, file)
		a.Print("%s; %d of them, %.1f MB. %s", c.About, len(documents), megabytes(documents), c.Licence)
		a.Print("task: %s", task.Names([]task.Task{t}))
	}
	return nil
}
