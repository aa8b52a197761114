package summary

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/files"
	"github.com/nopezoo/zoo/internal/wrap"
)

// publishedNumbers are the numbers of a paper.
type publishedNumbers struct {
	Source  string   // how it is cited
	Caveats []string // what a reader of both must know, in sentences

	models []publishedModel
	ranks  contest  // mean reciprocal ranks over all tasks of the paper; nil where it has none
	order  []string // of encodings, which decides ties
}

// publishedModel is a paper's model of one task, encoding, size and learning rate.
type publishedModel struct {
	task, encoding string
	setup          string        // in words, such as "2l1h64d, learning rate 0.001"; "" where it is the paper's one
	fit            fit           // of all runs
	runs           []trainingRun // where the paper tells no runs, one that is their mean
	beyond         Number        // the mean at all longer lengths of the paper; unknown where it has none

	// differs lists the differences of a series; nil for nothing that is known.
	differs func(s *Series, t task.Task, lengths, all int) []string
}

// lengths are the lengths in the paper, ascending.
func (m *publishedModel) lengths() []task.Span {
	var out []task.Span
	for _, run := range m.runs {
		out = slices.AppendSeq(out, maps.Keys(run.cells))
	}
	return task.SortSpans(out)
}

// side is the paper's runs at lengths, or its mean.
func (m *publishedModel) side(lengths []task.Span) side {
	out := sideOf(m.runs, lengths, m.task)
	if len(m.runs) < m.fit.Runs {
		out.Fit, out.All = m.fit, unknownSpread
	}
	return out
}

// withBeyond is the model of a task and encoding ("" for any) that has means at longer lengths; nil for none.
func (p *publishedNumbers) withBeyond(task, encoding string) *publishedModel {
	i := slices.IndexFunc(p.models, func(m publishedModel) bool {
		return m.task == task && (encoding == "" || m.encoding == encoding) && m.beyond.Known()
	})
	if i < 0 {
		return nil
	}
	return &p.models[i]
}

// publishedHead are the first columns of a file of published numbers; each length or bin has another.
var publishedHead = []string{"task", "encoding", "size", "lr", "ended"}

// PublishedFile is the name of a file of published numbers in a folder of results.
const PublishedFile = "published.csv"

// ReadPublished reads the named file of published numbers; for "" the PublishedFile next to the results, nil for none. The file
// is CSV with the columns task, encoding, size, lr, ended ("fit" for a run that fitted), and one for each length or bin
// ("51-100") of accuracies in 0..1. A line is a run, an empty field unknown. Comments (#) stand first: the source, and after an
// empty comment line each caveat.
func ReadPublished(name string, results ...string) (*publishedNumbers, error) {
	if name == "" {
		found, err := publishedFile(results)
		if err != nil || found == "" {
			return nil, err
		}
		name = found
	}
	data, err := files.ReadRegular(name, 1<<26)
	if err != nil {
		return nil, fmt.Errorf("summary: published numbers: %w", err)
	}
	p, err := parsePublished(data)
	return wrap.Value(p, err, "summary: %s", name)
}

// publishedFile is the one PublishedFile next to results, "" for none.
func publishedFile(results []string) (string, error) {
	var found []string
	for _, folder := range results {
		info, err := os.Stat(folder)
		if err != nil {
			return "", fmt.Errorf("summary: published numbers: %w", err)
		}
		if !info.IsDir() {
			folder = filepath.Dir(folder)
		}
		name := filepath.Join(folder, PublishedFile)
		if _, err = os.Stat(name); err == nil && !slices.Contains(found, name) {
			found = append(found, name)
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("summary: published numbers: %w", err)
		}
	}
	if len(found) > 1 {
		return "", fmt.Errorf("summary: published numbers lie next to the results in %s and %s; say which with --published",
			found[0], found[1])
	}
	return strings.Join(found, ""), nil
}

func parsePublished(data []byte) (*publishedNumbers, error) {
	paragraphs := commentsOf(string(data))
	if len(paragraphs) == 0 {
		return nil, errors.New("published numbers: no comment names their source; begin the file with # and the paper")
	}
	p := &publishedNumbers{Source: paragraphs[0], Caveats: paragraphs[1:]}
	lines, err := readCSV(data, publishedHead...)
	if err != nil {
		return nil, err
	}
	var spans []task.Span
	for _, name := range lines[0][len(publishedHead):] {
		span, err := readSpan(name)
		if err != nil {
			return nil, fmt.Errorf("published numbers: column %q: %w", name, err)
		}
		spans = append(spans, span)
	}
	if len(spans) == 0 {
		return nil, errors.New("published numbers have no column for a length")
	}
	for _, fields := range lines[1:] {
		if err := p.add(fields, spans); err != nil {
			return nil, fmt.Errorf("published numbers %q: %w", fields, err)
		}
	}
	return p, nil
}

// add adds a run to its model.
func (p *publishedNumbers) add(fields []string, spans []task.Span) error {
	m := publishedModel{task: fields[0], encoding: fields[1], setup: fields[2], beyond: Unknown}
	if rate := fields[3]; rate != "" {
		m.setup = strings.TrimPrefix(m.setup+", learning rate "+rate, ", ")
	}
	run := trainingRun{cells: map[task.Span]cell{}}
	if fields[4] != "" {
		run.fitted = new(fields[4] == "fit")
	}
	for i, text := range fields[len(publishedHead):] {
		if text == "" {
			continue
		}
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || !(v >= 0 && v <= 1) {
			return fmt.Errorf("accuracy %q at %s: want a number in 0..1", text, spans[i])
		}
		run.cells[spans[i]] = cell{n: 1, accuracy: v}
	}
	i := slices.IndexFunc(p.models, func(o publishedModel) bool {
		return o.task == m.task && o.encoding == m.encoding && o.setup == m.setup
	})
	if i < 0 {
		i, p.models = len(p.models), append(p.models, m)
	}
	p.models[i].runs = append(p.models[i].runs, run)
	p.models[i].fit.count(run.fitted)
	return nil
}

// readSpan reads "20", or "51-100".
func readSpan(text string) (task.Span, error) {
	first, last, bin := strings.Cut(text, "-")
	if !bin {
		last = first
	}
	low, err := strconv.Atoi(first)
	high, errHigh := strconv.Atoi(last)
	if err != nil || errHigh != nil || high < low {
		return task.Span{}, errors.New("want a length, such as 20, or a bin, such as 51-100")
	}
	return task.Span{Min: low, Max: high}, nil
}

// commentsOf are the paragraphs of the comments that a file begins with.
func commentsOf(text string) []string {
	var out []string
	begin := true // of a paragraph
	for line := range strings.Lines(text) {
		comment, ok := strings.CutPrefix(line, "#")
		if !ok {
			break
		}
		words := strings.Join(strings.Fields(comment), " ")
		switch {
		case words == "":
			begin = true
		case begin:
			out, begin = append(out, words), false
		default:
			out[len(out)-1] += " " + words
		}
	}
	return out
}

// readCSV reads lines, of which the first begins with the names of some columns; lines of comments begin with #.
func readCSV(data []byte, columns ...string) ([][]string, error) {
	r := csv.NewReader(bytes.NewReader(data))
	r.Comment = '#'
	lines, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("published numbers: %w", err)
	}
	if len(lines) == 0 || len(lines[0]) < len(columns) || !slices.Equal(lines[0][:len(columns)], columns) {
		return nil, fmt.Errorf("published numbers do not begin with the columns %q", columns)
	}
	return lines, nil
}
