// Package report draws a study of result rows (see package summary): as tables of text
// and Markdown, as one self-contained HTML page, and as figures for papers. It works
// nothing out.
package report

import (
	"cmp"
	"slices"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/summary"
)

// Options say how to present rows. The zero value is ready to use.
type Options struct {
	Title   string // default: "Length generalization by positional encoding"
	Command string // that made the report; shown with the sources
	// Encodings lists the known encodings in their usual order, so that an encoding
	// has the same colour in every report. See summary.Options.
	Encodings []string
	Ranks     summary.Weighting
	// OnlyFitted and Published: see summary.Options.
	OnlyFitted   bool
	Published    *summary.Published
	Observations []eval.Observation // of what is within models; see summary.Inside
}

// Report is a study with its looks, by one measure.
type Report struct {
	*summary.Study
	Title     string     `json:"title"`
	Encodings []Encoding `json:"encodings"`
	Sources   Sources    `json:"-"`

	inside []summary.InsideTask
}

// Encoding is an encoding and its looks.
type Encoding struct {
	Name  string `json:"name"`
	Light string `json:"light"` // colour on white
	Dark  string `json:"dark"`  // colour on black
	shape outline
	Path  string `json:"path"` // the shape as an SVG path
}

// New works out a study of rows, by exact match, and of observations. That there is neither is an
// error.
func New(rows []eval.Row, opt Options) (*Report, error) {
	s := &summary.Study{}
	if len(rows) > 0 || len(opt.Observations) == 0 {
		var err error
		if s, err = summary.New(rows, summary.Options{Encodings: opt.Encodings, Ranks: opt.Ranks,
			OnlyFitted: opt.OnlyFitted, Published: opt.Published}); err != nil {
			return nil, err
		}
	}
	title := cmp.Or(opt.Title, "Length generalization by positional encoding")
	r := &Report{Study: s, Title: title, Sources: sources(rows, opt.Command),
		inside: summary.Inside(opt.Observations, opt.Encodings)}
	r.Sources.Rows += len(opt.Observations)
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

// Measures lists the report by exact match and by tokens right; where nothing is
// scored the report alone.
func (s *Report) Measures() []*Report {
	return summary.Each(s.Study.Measures(), func(by *summary.Study) *Report {
		r := *s
		r.Study = by
		return &r
	})
}
