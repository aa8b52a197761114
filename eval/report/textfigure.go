package report

import (
	"fmt"
	"slices"

	"github.com/nopezoo/zoo/eval/summary"
	"github.com/nopezoo/zoo/eval/task"
)

// textFigures are the charts of a corpus: bits per byte by length of the context, in the two protocols of
// Press et al. 2022 (see eval.TextScore), and by place in the longest windows.
func (s *Report) textFigures(t *summary.Text) []Figure {
	series := summary.Each(t.Series, func(s summary.TextSeries) summary.Series {
		return summary.Series{Name: s.Name, Encoding: s.Encoding, Variant: s.Variant}
	})
	var out []Figure
	add := func(name, axis, y string, lengths []task.Span, k chart) {
		if len(lengths) > 1 {
			over := &summary.Task{Axis: axis, Octaves: true, Lengths: lengths, X: summary.Each(lengths, task.Span.Middle), Trained: t.Trained, Series: series}
			out = append(out, s.lineFigure(name+"-"+fileName(t.Name), y, over, k))
		}
	}
	const context = "length of the windows, tokens"
	add("bits", context, "bits per byte, every token", t.Lengths, windowChart(t, bitsOf))
	add("bits-sliding", context, fmt.Sprintf("bits per byte, last %d tokens", t.Stride), t.Lengths, windowChart(t, slidingOf))
	if t.Longest >= 0 {
		places := placeChart(t)
		add("bits-place", fmt.Sprintf("tokens before, in windows of %s", t.Lengths[t.Longest].Label()), "bits per byte", places.lengths(), places)
	}
	return drawable(out)
}

func bitsOf(p summary.TextPoint) summary.Spread    { return p.Bits }
func slidingOf(p summary.TextPoint) summary.Spread { return p.Sliding }

// windowChart has bits per byte by the length of windows.
func windowChart(t *summary.Text, measure func(summary.TextPoint) summary.Spread) chart {
	return textChart(t, func(c *curve, s summary.TextSeries) {
		for i, length := range t.Lengths {
			c.add(length, measure(s.Points[i]), 1)
		}
	})
}

// placeChart has bits per byte by the tokens before, in the longest windows.
func placeChart(t *summary.Text) chart {
	return textChart(t, func(c *curve, s summary.TextSeries) {
		for _, p := range s.Points[t.Longest].Positions {
			c.add(task.Span{Min: p.From, Max: p.To}, p.Bits, 1)
		}
	})
}

// textChart has a curve for each series with points. Bits per byte of 0, which no model has, stand nowhere on an axis
// of octaves.
func textChart(t *summary.Text, fill func(*curve, summary.TextSeries)) chart {
	return newOctaves(withPoints(curvesOf(t.Series, func(c *curve, s summary.TextSeries) {
		fill(c, s)
		c.Points = slices.DeleteFunc(c.Points, func(d dot) bool { return d.Y <= 0 })
	})), []dot{})
}
