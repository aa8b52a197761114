// Package report draws a summary of result rows (see package summary): as one self-contained page, tables, and figures.
package report

import (
	"cmp"
	"slices"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/summary"
)

// Options say how to present rows. The zero value is ready to use.
type Options struct {
	summary.Options // Encodings in their usual order have the same colours in every report

	Title        string             // default: "Length generalization by positional encoding"
	Command      string             // that made the report; shown with the sources
	Observations []eval.Observation // of what is within models; see summary.Inside
}

// Report is a study with its looks.
type Report struct {
	*summary.Study
	Title     string     `json:"title"`
	Encodings []encoding `json:"encodings"`

	inside  []summary.InsideTask
	rows    []eval.Row
	options Options
}

// encoding is an encoding and its looks.
type encoding struct {
	Name  string `json:"name"`
	Light string `json:"light"` // colour on white
	Dark  string `json:"dark"`  // colour on black
	shape outline
	Path  string `json:"path"` // the shape as an SVG path
}

// New works out a study of rows and of observations. That there is neither is an error.
func New(rows []eval.Row, opt Options) (*Report, error) {
	s := &summary.Study{}
	if len(rows) > 0 || len(opt.Observations) == 0 {
		var err error
		if s, err = summary.New(rows, opt.Options); err != nil {
			return nil, err
		}
	}
	r := &Report{Study: s, Title: cmp.Or(opt.Title, "Length generalization by positional encoding"),
		inside: summary.Inside(opt.Observations, opt.Encodings), rows: rows, options: opt}
	next := len(opt.Encodings)
	for _, name := range s.Encodings {
		place := slices.Index(opt.Encodings, name)
		if place < 0 {
			place, next = next, next+1
		}
		r.Encodings = append(r.Encodings, look(name, place))
	}
	return r, nil
}

// measures lists the study by exact match and by tokens right; where nothing is scored the study alone.
func (s *Report) measures() []*summary.Study {
	if len(s.Scored) == 0 {
		return []*summary.Study{s.Study}
	}
	return []*summary.Study{s.Study, s.Tokens}
}
