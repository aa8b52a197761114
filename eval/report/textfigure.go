package report

import (
	"fmt"
	"slices"

	"github.com/nopezoo/zoo/eval/summary"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/lists"
)

// textFigures are a corpus' bits per byte by length of the context, in both protocols of Press et al. 2022 (see
// eval.TextScore), and by place.
func (s *Report) textFigures(t *summary.Text) []figure {
	var out []figure
	add := func(name, axis, y string, lengths []task.Span, k chart) {
		if len(lengths) > 1 {
			over := &summary.Task{Axis: axis, Octaves: true, Lengths: lengths, X: lists.Map(lengths, task.Span.Middle), Trained: t.Trained, Series: t.Series}
			out = append(out, s.lineFigure(name+"-"+fileName(t.Name), y, over, k))
		}
	}
	const context = "length of the windows, tokens"
	every, sliding, places := textCharts(t)
	add("bits", context, "bits per byte, every token", t.Lengths, every)
	add("bits-sliding", context, fmt.Sprintf("bits per byte, last %d tokens", t.Stride), t.Lengths, sliding)
	if t.Longest >= 0 {
		add("bits-place", "tokens before, in windows of "+t.Lengths[t.Longest].Label(), "bits per byte", places.lengths(), places)
	}
	return drawable(out)
}

// textCharts have bits per byte by the length of windows, of every token and of those at the end, and by the tokens before, in
// the longest windows. Bits per byte of 0, which no model has, stand nowhere on an axis of octaves.
func textCharts(t *summary.Text) (every, sliding, places chart) {
	lines := make([][]curve, 3)
	for k := range lines {
		lines[k] = curvesOf(len(t.Series), func(c *curve, series int) {
			for i, p := range t.Series[series].Bits {
				switch {
				case k == 0:
					c.add(t.Lengths[i], p.Every, 1)
				case k == 1:
					c.add(t.Lengths[i], p.Sliding, 1)
				case i == t.Longest:
					for _, p := range p.Positions {
						c.add(task.Span{Min: p.From, Max: p.To}, p.Bits, 1)
					}
				}
			}
			c.Points = slices.DeleteFunc(c.Points, func(d dot) bool { return d.Y <= 0 })
		})
	}
	return newOctaves(lines[0], []dot{}), newOctaves(lines[1], []dot{}), newOctaves(lines[2], []dot{})
}
