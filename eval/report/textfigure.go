package report

import (
	"fmt"

	"github.com/nopezoo/zoo/eval/summary"
	"github.com/nopezoo/zoo/eval/task"
)

// textFigures are those of a corpus: bits per byte by length of the context, in the two protocols of
// Press et al. 2022 (see eval.TextScore), and by place in the longest windows.
func (s *Report) textFigures(t *summary.Text) []Figure {
	series := summary.Each(t.Series, func(of summary.TextSeries) summary.Series {
		return summary.Series{Name: of.Name, Encoding: of.Encoding, Variant: of.Variant}
	})
	var out []Figure
	add := func(name, axis, y string, lengths []task.Span, chart summary.Chart) {
		if len(chart.Lines) == 0 || len(lengths) < 2 {
			return
		}
		over := axes{name: axis, octaves: true, lengths: lengths, x: summary.Each(lengths, task.Span.Middle), trained: t.Trained}
		out = append(out, lineFigure(name+"-"+fileName(t.Name), y, curves{s, over, series, chart}))
	}
	const context = "length of the windows, tokens"
	add("bits", context, "bits per byte, every token", t.Lengths, t.All)
	add("bits-sliding", context, fmt.Sprintf("bits per byte, last %d tokens", t.Stride), t.Lengths, t.Sliding)
	if t.Longest >= 0 {
		add("bits-place", fmt.Sprintf("tokens before, in windows of %s", t.Lengths[t.Longest].Label()), "bits per byte", t.PlaceSpans(), t.Places)
	}
	return out
}
