package report

import (
	"fmt"
	"slices"

	"github.com/nopezoo/zoo/eval/summary"
	"github.com/nopezoo/zoo/eval/task"
)

// textFigures are a corpus' bits per byte by length of the context, in both protocols of Press et al. 2022 (see
// eval.TextScore), and by place.
func (s *Report) textFigures(t *summary.Text) []figure {
	var series []summary.Series
	for _, s := range t.Series {
		series = append(series, summary.Series{Name: s.Name, Encoding: s.Encoding, Variant: s.Variant})
	}
	var out []figure
	add := func(name, axis, y string, lengths []task.Span, k chart) {
		if len(lengths) > 1 {
			over := &summary.Task{Axis: axis, Octaves: true, Lengths: lengths, X: each(lengths, task.Span.Middle), Trained: t.Trained, Series: series}
			out = append(out, s.lineFigure(name+"-"+fileName(t.Name), y, over, k))
		}
	}
	const context = "length of the windows, tokens"
	add("bits", context, "bits per byte, every token", t.Lengths, windowChart(t, false))
	add("bits-sliding", context, fmt.Sprintf("bits per byte, last %d tokens", t.Stride), t.Lengths, windowChart(t, true))
	if t.Longest >= 0 {
		places := placeChart(t)
		add("bits-place", fmt.Sprintf("tokens before, in windows of %s", t.Lengths[t.Longest].Label()), "bits per byte", places.lengths(), places)
	}
	return drawable(out)
}

// windowChart has bits per byte by the length of windows, of every token or of those at the end.
func windowChart(t *summary.Text, sliding bool) chart {
	return textChart(t, func(c *curve, series int) {
		for i, length := range t.Lengths {
			value := t.Series[series].Points[i].Bits
			if sliding {
				value = t.Series[series].Points[i].Sliding
			}
			c.add(length, value, 1)
		}
	})
}

// placeChart has bits per byte by the tokens before, in the longest windows.
func placeChart(t *summary.Text) chart {
	return textChart(t, func(c *curve, series int) {
		for _, p := range t.Series[series].Points[t.Longest].Positions {
			c.add(task.Span{Min: p.From, Max: p.To}, p.Bits, 1)
		}
	})
}

// textChart has the curves with points. Bits per byte of 0, which no model has, stand nowhere on an axis of octaves.
func textChart(t *summary.Text, fill func(c *curve, series int)) chart {
	return newOctaves(withPoints(curvesOf(len(t.Series), func(c *curve, series int) {
		fill(c, series)
		c.Points = slices.DeleteFunc(c.Points, func(d dot) bool { return d.Y <= 0 })
	})), []dot{})
}
