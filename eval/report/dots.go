package report

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/nopezoo/zoo/eval/summary"
)

// bigMarker is the radius of a marker without a curve.
const bigMarker = 1.3 * markerSize

// tradeoffFigure sets accuracy against the cost of a step.
func (s *Report) tradeoffFigure(t *summary.Task, place summary.Place, file string) figure {
	p := panel{x: axis{label: fmt.Sprintf("median decode step at length %s, ms", place.Common.Label()), ticks: even(0)},
		y: axis{label: "exact match beyond the trained lengths, %", high: 10, ticks: even(0)}}
	for _, c := range place.Series {
		series, step := t.Series[c.Series], c.Common.Values[summary.DecodeCost].Median
		if !step.Known() || !series.Score.Median.Known() {
			continue
		}
		d, colour := plotter.XY{X: float64(step), Y: 100 * float64(series.Score.Median)}, s.colour(series.Encoding)
		p.marks = append(p.marks, s.marker(series.Encoding, d, bigMarker, colour, colour))
		p.names = append(p.names, name{text: series.Name, end: d, key: s.key(series.Encoding)})
		p.x.high, p.y.high = max(p.x.high, 1.25*d.X), max(p.y.high, min(100, 1.25*d.Y))
	}
	return figure{Name: "tradeoff-" + file, width: 5 * vg.Inch, height: 3.6 * vg.Inch, panels: []panel{p}, across: 1}
}

// pair is a line of a dot chart: a value here, and the published one, which may be unknown.
type pair struct {
	name            string
	encoding        int
	here, published summary.Number
	runs            []summary.Number // of here, where there are several
}

// publishedFigure has a task's accuracies and the published ones.
func (s *Report) publishedFigure(t *summary.Task) figure {
	var pairs []pair
	for _, c := range s.Published {
		if c.Task == t.Name {
			d := pair{name: s.comparedName(c.Name, t.Name, c.Lengths), encoding: c.Encoding, here: 100 * c.Here, published: 100 * c.Published}
			if c.Ours.All.Over == summary.OverRuns {
				d.runs = each(c.Ours.All.Runs, func(n summary.Number) summary.Number { return 100 * n })
			}
			pairs = append(pairs, d)
		}
	}
	const x = "exact match, % (filled: here, small: each run, hollow: published)"
	return s.dotFigure("published-"+fileName(t.Name), x, pairs, 100)
}

// comparedName is a series, with its lengths where it was compared at several.
func (s *Report) comparedName(name, task, lengths string) string {
	n := 0
	for _, c := range s.Published {
		if c.Task == task && c.Name == name {
			n++
		}
	}
	if n < 2 {
		return name
	}
	return name + ", " + lengths
}

// rankFigure has the mean reciprocal ranks and the published ones.
func (s *Report) rankFigure() figure {
	var pairs []pair
	for _, r := range s.Ranks {
		pairs = append(pairs, pair{name: r.Name, encoding: r.Encoding, here: r.MRR, published: r.Published})
	}
	return s.dotFigure("ranks", "mean reciprocal rank (filled: here, hollow: published)", pairs, 1)
}

// dotFigure has a line with two dots for each pair.
func (s *Report) dotFigure(name, x string, pairs []pair, most float64) figure {
	p := panel{x: axis{label: x, high: most, ticks: even(0)}, y: axis{low: -0.6, high: float64(len(pairs)) - 0.4, named: true}}
	var names []plot.Tick
	for i, d := range pairs {
		height, colour := float64(len(pairs)-1-i), s.colour(d.encoding)
		names = append(names, plot.Tick{Value: height, Label: d.name})
		place := func(value summary.Number) plotter.XY { return plotter.XY{X: float64(value), Y: height} }
		if d.published.Known() {
			between := draw.LineStyle{Color: faded(colour, 120), Width: lineWidth}
			p.marks = append(p.marks, stroke(between, place(d.here), place(d.published)),
				s.marker(d.encoding, place(d.published), bigMarker, paper, colour))
		}
		for _, run := range d.runs {
			if run.Known() {
				p.marks = append(p.marks, runDot(place(run), colour))
			}
		}
		p.marks = append(p.marks, s.marker(d.encoding, place(d.here), bigMarker, colour, colour))
	}
	p.y.ticks = plot.ConstantTicks(names)
	return figure{Name: name, width: 5.6 * vg.Inch, height: vg.Inch * vg.Length(0.7+0.27*float64(len(pairs))), panels: []panel{p}, across: 1}
}
