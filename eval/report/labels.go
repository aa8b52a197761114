package report

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/nopezoo/zoo/eval/summary"
)

// label is the name of a curve, or of the limit, where it ends.
type label struct {
	name string
	mark func(c *draw.Canvas, at vg.Point)
	end  dot
	mean summary.Number // of all its points
}

// labels lists the names from the lowest end to the highest; of those that end alike the
// better one's stands above.
func (k curves) labels() []label {
	var out []label
	if n := len(k.chart.Limits); n > 0 {
		end := k.chart.Limits[n-1]
		out = append(out, label{limitName, func(c *draw.Canvas, at vg.Point) {
			c.StrokeLine2(limitStyle, at.X-markerSize, at.Y, at.X+markerSize, at.Y)
		}, dot{X: end.X, Y: end.Low}, end.Low})
	}
	for n, of := range k.chart.Lines {
		if len(of.Points) == 0 {
			continue
		}
		series := k.series(n)
		colour, shape := k.s.colour(series.Encoding), k.s.Encodings[series.Encoding].Shape
		name := series.Name
		if series.Fit.None() {
			name += ", did not fit"
		}
		l := label{name: name, end: of.Points[len(of.Points)-1], mark: func(c *draw.Canvas, at vg.Point) {
			shape.fill(c, at, markerSize, colour, colour)
		}}
		for _, d := range of.Points {
			l.mean += d.Y / summary.Number(len(of.Points))
		}
		out = append(out, l)
	}
	slices.SortStableFunc(out, func(a, b label) int {
		return cmp.Or(cmp.Compare(a.end.Y, b.end.Y), cmp.Compare(a.mean, b.mean))
	})
	return out
}

// write writes a name, in no colour of a curve, which is too faint for letters.
func (l label) write(c draw.Canvas, at vg.Point) {
	l.mark(&c, vg.Point{X: at.X + markerSize, Y: at.Y})
	c.FillText(textStyle(ink, draw.XLeft, draw.YCenter), vg.Point{X: at.X + labelIndent, Y: at.Y}, l.name)
}

// labelIndent is how far a name stands behind its marker.
const labelIndent = 3 * markerSize

// endLabels writes the names of curves: of those that end at the right, beside the chart
// and as near to their ends as they fit, and of others where they hide the least.
func (k curves) endLabels(c, data draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&data)
	place := func(d dot) vg.Point { return vg.Point{X: x(d.X), Y: y(float64(d.Y))} }
	labels := k.labels()
	last := 0.0
	for _, l := range labels {
		last = max(last, l.end.X)
	}
	taken := k.taken(place)
	var ends []vg.Length
	var right []label
	for _, l := range labels {
		end := place(l.end)
		if l.end.X == last {
			ends, right = append(ends, end.Y), append(right, l)
			continue
		}
		width := labelIndent + textStyle(ink, draw.XLeft, draw.YCenter).Width(l.name)
		box := free(end, width, fontSize, taken)
		taken = append(taken, box)
		l.write(c, vg.Point{X: box.Min.X, Y: middle(box).Y})
	}
	spread(ends, fontSize*1.35, data.Min.Y, data.Max.Y)
	for i, l := range right {
		l.write(c, vg.Point{X: data.Max.X + 8, Y: ends[i]})
	}
}

// taken are boxes along the curves and the limit, as tall as a marker.
func (k curves) taken(place func(dot) vg.Point) []vg.Rectangle {
	lines := summary.Each(k.chart.Lines, func(l curve) []dot { return l.Points })
	lines = append(lines, summary.Each(k.chart.Limits, func(l limit) dot {
		return dot{X: l.X, Y: l.High}
	}))
	var out []vg.Rectangle
	for _, of := range lines {
		for i := 1; i < len(of); i++ {
			const parts = 16
			from, to := place(of[i-1]), place(of[i])
			for part := range parts + 1 {
				at := from.Add(to.Sub(from).Scale(vg.Length(part) / parts))
				out = append(out, around(at, 0, 0, (to.X-from.X)/parts, 2*markerSize))
			}
		}
	}
	return out
}

// spread moves ascending places apart until they keep a gap, within bounds.
func spread(at []vg.Length, gap, low, high vg.Length) {
	for range 60 {
		for i := 1; i < len(at); i++ {
			if near := gap - (at[i] - at[i-1]); near > 0 {
				at[i] += near / 2
				at[i-1] -= near / 2
			}
		}
		for i := range at {
			at[i] = min(max(at[i], low+gap*vg.Length(i)), high-gap*vg.Length(len(at)-1-i))
		}
	}
}
