package report

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/nopezoo/zoo/eval/summary"
	"github.com/nopezoo/zoo/internal/lists"
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

// publishedFigure has a task's accuracies and the published ones.
func (s *Report) publishedFigure(t *summary.Task) figure {
	c := s.newDotChart("exact match, % (filled: here, small: each run, hollow: published)", 100)
	for _, p := range s.Published {
		if p.Task != t.Name {
			continue
		}
		name := p.Name
		for _, o := range s.Published {
			if o.Task == p.Task && o.Name == p.Name && o.Lengths != p.Lengths { // it was compared at several
				name = p.Name + ", " + p.Lengths
			}
		}
		var runs []summary.Number
		if p.Ours.All.Over == summary.OverRuns {
			runs = lists.Map(p.Ours.All.Runs, func(n summary.Number) summary.Number { return 100 * n })
		}
		c.add(name, p.Encoding, 100*p.Here, 100*p.Published, runs)
	}
	return c.figure("published-" + fileName(t.Name))
}

// rankFigure has the mean reciprocal ranks and the published ones.
func (s *Report) rankFigure() figure {
	c := s.newDotChart("mean reciprocal rank (filled: here, hollow: published)", 1)
	for _, r := range s.Ranks {
		c.add(r.Name, r.Encoding, r.MRR, r.Published, nil)
	}
	return c.figure("ranks")
}

// dotChart has a line for each name, downwards: a value here, and the published one.
type dotChart struct {
	*Report
	panel
	lines []plot.Tick
}

func (s *Report) newDotChart(x string, high float64) dotChart {
	return dotChart{Report: s, panel: panel{x: axis{label: x, high: high, ticks: even(0)}, y: axis{named: true, high: 0.6}}}
}

// add adds a line; published may be unknown, and runs are those of here, where there are several.
func (c *dotChart) add(name string, encoding int, here, published summary.Number, runs []summary.Number) {
	y, colour := -float64(len(c.lines)), c.colour(encoding)
	c.lines = append(c.lines, plot.Tick{Value: y, Label: name})
	place := func(value summary.Number) plotter.XY { return plotter.XY{X: float64(value), Y: y} }
	if published.Known() {
		between := draw.LineStyle{Color: faded(colour, 120), Width: lineWidth}
		c.marks = append(c.marks, stroke(between, place(here), place(published)), c.marker(encoding, place(published), bigMarker, paper, colour))
	}
	for _, run := range runs {
		if run.Known() {
			c.marks = append(c.marks, runDot(place(run), colour))
		}
	}
	c.marks = append(c.marks, c.marker(encoding, place(here), bigMarker, colour, colour))
}

func (c *dotChart) figure(name string) figure {
	n := len(c.lines)
	c.y.low, c.y.ticks = 0.4-float64(n), plot.ConstantTicks(c.lines)
	return figure{Name: name, width: 5.6 * vg.Inch, height: vg.Inch * vg.Length(0.7+0.27*float64(n)), panels: []panel{c.panel}, across: 1}
}
