package summary

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/nopezoo/zoo/eval/task"
)

// Published are the numbers of a paper, which stand beside ours.
type Published struct {
	Source  string   // how it is cited
	Caveats []string // what a reader of both must know, in sentences
	Models  []PublishedModel
	Ranks   []PublishedRank // over all tasks of the paper; nil where it has none
}

// PublishedModel is what a paper tells of one task, encoding, size and learning rate.
type PublishedModel struct {
	Task, Encoding string
	Setup          string // in words, such as "2l1h64d, learning rate 0.001"; "" where it is the paper's one
	Fit            Fit
	Runs           []PublishedValues     // each run, where the paper tells; else
	Means          map[task.Span]float64 // the means over runs, by length; 0..1
	Beyond         Number                // the mean at all longer lengths of the paper; unknown where it has none

	// differs tells in what a series differs; nil for nothing that is known.
	differs func(s *Series, t task.Task, lengths, all int) []string
}

// PublishedValues is one run of a paper.
type PublishedValues struct {
	Fitted *bool                 // nil where the paper does not tell
	At     map[task.Span]float64 // exact match by length or bin, 0..1
}

// lengths are those that the paper tells of a model, in order.
func (m *PublishedModel) lengths() []task.Span {
	var out []task.Span
	for length := range m.Means {
		out = append(out, length)
	}
	for _, run := range m.Runs {
		for length := range run.At {
			out = append(out, length)
		}
	}
	return task.SortSpans(out)
}

// order lists the encodings as the paper decides ties.
func (p *Published) order() []string {
	return Each(p.Ranks, func(r PublishedRank) string { return r.Encoding })
}

// withBeyond is the model of a task and encoding of which the paper has means at longer lengths, or nil.
func (p *Published) withBeyond(task, encoding string) *PublishedModel {
	for i := range p.Models {
		if m := &p.Models[i]; m.Task == task && m.Encoding == encoding && m.Beyond.Known() {
			return m
		}
	}
	return nil
}

// hasBeyond reports whether the paper has such models of a task.
func (p *Published) hasBeyond(task string) bool {
	return slices.ContainsFunc(p.Models, func(m PublishedModel) bool { return m.Task == task && m.Beyond.Known() })
}

// publishedHead are the first columns of a file of published numbers; a column for each
// length or bin follows.
var publishedHead = []string{"task", "encoding", "size", "lr", "ended"}

// fittedMark says in the column ended that a run fitted; anything else that it did not, and
// nothing that the paper does not tell.
const fittedMark = "fit"

// ReadPublished reads published numbers: CSV with the columns task, encoding, size, lr and
// ended ("fit" for a run that fitted), and one for each length or bin ("51-100") of accuracies
// in 0..1. What the paper does not tell is empty. A line is a run.
// Comments (#) stand first: the source, and after an empty comment line each caveat.
func ReadPublished(r io.Reader) (*Published, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	p := &Published{}
	paragraphs := commentsOf(string(data))
	if len(paragraphs) == 0 {
		return nil, errors.New("summary: published numbers: no comment names their source; begin the file with # and the paper")
	}
	p.Source, p.Caveats = paragraphs[0], paragraphs[1:]
	lines, err := readLines(data)
	if err != nil {
		return nil, err
	}
	if len(lines) == 0 || len(lines[0]) <= len(publishedHead) || !slices.Equal(lines[0][:len(publishedHead)], publishedHead) {
		return nil, fmt.Errorf("summary: published numbers do not begin with the columns %q and one for each length",
			publishedHead)
	}
	var spans []task.Span
	for _, name := range lines[0][len(publishedHead):] {
		span, err := readSpan(name)
		if err != nil {
			return nil, fmt.Errorf("summary: published numbers: column %q: %w", name, err)
		}
		spans = append(spans, span)
	}
	for _, fields := range lines[1:] {
		if err := p.add(fields, spans); err != nil {
			return nil, fmt.Errorf("summary: published numbers %q: %w", fields, err)
		}
	}
	return p, nil
}

// add adds a run to those of its model.
func (p *Published) add(fields []string, spans []task.Span) error {
	m := PublishedModel{Task: fields[0], Encoding: fields[1], Setup: fields[2], Beyond: Unknown}
	if rate := fields[3]; rate != "" {
		m.Setup = strings.TrimPrefix(m.Setup+", learning rate "+rate, ", ")
	}
	run := PublishedValues{At: map[task.Span]float64{}}
	if fields[4] != "" {
		run.Fitted = new(fields[4] == fittedMark)
	}
	for i, text := range fields[len(publishedHead):] {
		if text == "" {
			continue
		}
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || !(v >= 0 && v <= 1) {
			return fmt.Errorf("accuracy %q at %s: want a number in 0..1", text, spans[i])
		}
		run.At[spans[i]] = v
	}
	i := slices.IndexFunc(p.Models, func(o PublishedModel) bool {
		return o.Task == m.Task && o.Encoding == m.Encoding && o.Setup == m.Setup
	})
	if i < 0 {
		i, p.Models = len(p.Models), append(p.Models, m)
	}
	p.Models[i].Runs = append(p.Models[i].Runs, run)
	p.Models[i].Fit.count(run.Fitted)
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
	if err != nil || errHigh != nil || low < 0 || high < low {
		return task.Span{}, errors.New("want a length, such as 20, or a bin, such as 51-100")
	}
	return task.Span{Min: low, Max: high}, nil
}

// commentsOf are the paragraphs of the comments that a file begins with.
func commentsOf(text string) []string {
	var out []string
	var words []string
	end := func() {
		if len(words) > 0 {
			out, words = append(out, strings.Join(words, " ")), nil
		}
	}
	for line := range strings.Lines(text) {
		comment, ok := strings.CutPrefix(line, "#")
		if !ok {
			break
		}
		if strings.TrimSpace(comment) == "" {
			end()
		}
		words = append(words, strings.Fields(comment)...)
	}
	end()
	return out
}

// readLines reads CSV with comments; all lines have as many fields.
func readLines(data []byte) ([][]string, error) {
	r := csv.NewReader(bytes.NewReader(data))
	r.Comment = '#'
	lines, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("summary: published numbers: %w", err)
	}
	return lines, nil
}

// readCSV calls row with the fields of every line after the head.
func readCSV(data []byte, head []string, row func([]string) error) error {
	lines, err := readLines(data)
	if err != nil {
		return err
	}
	if len(lines) == 0 || !slices.Equal(lines[0], head) {
		return fmt.Errorf("summary: published numbers do not begin with the columns %q", head)
	}
	for _, fields := range lines[1:] {
		if err := row(fields); err != nil {
			return fmt.Errorf("summary: published numbers %q: %w", fields, err)
		}
	}
	return nil
}

// parse reads numbers; an empty one is NaN.
func parse(fields []string, into ...*Number) error {
	for i, f := range fields {
		if f == "" {
			*into[i] = Unknown
			continue
		}
		v, err := strconv.ParseFloat(f, 64)
		if err != nil {
			return err
		}
		*into[i] = Number(v)
	}
	return nil
}
