package report

import (
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/nopezoo/zoo/eval/summary"
	"github.com/nopezoo/zoo/internal/lists"
)

// curves are a chart of series over the lengths of a task.
type curves struct {
	chart
	task   *summary.Task
	report *Report
}

// lineFigure draws curves over the length.
func (s *Report) lineFigure(name, y string, t *summary.Task, drawn chart) figure {
	k, width := curves{drawn, t, s}, 6.3*vg.Inch
	if k.varied() {
		width += lineIndent
	}
	return figure{Name: name, width: width, height: 3.6 * vg.Inch, panels: []panel{k.panel(y)}, across: 1}
}

// accuracyFigure draws a task's exact match over the length, with a panel for each part of a sweep.
func (s *Report) accuracyFigure(t *summary.Task) figure {
	const y = "exact match, %"
	name := "accuracy-" + fileName(t.Name)
	if len(t.Parts) == 0 {
		return s.lineFigure(name, y, t, accuracyChart(t, summary.Exact))
	}
	f := figure{Name: name, width: 4.2 * vg.Inch, height: 3.2 * vg.Inch, across: 2}
	for _, part := range t.Parts {
		p := curves{accuracyChart(part.Task, summary.Exact), part.Task, s}.panel(y)
		p.title = part.Name
		f.panels = append(f.panels, p)
	}
	return f
}

// panel draws curves over the length with bands, shaded trained lengths, and names at the ends.
func (k curves) panel(y string) panel {
	t := k.task
	first, last := t.X[0], t.X[len(t.X)-1]
	room := max(0.5, 0.015*(last-first)) // for the markers
	p := panel{x: axis{label: t.Axis, low: first - room, high: last + room, ticks: even(0)},
		y: axis{label: y, low: k.Bottom, high: k.Top, octaves: k.Bottom > 0, ticks: even(0)}, trained: t.Trained}
	if t.Octaves {
		p.x.low, p.x.high, p.x.octaves = first/1.06, last*1.06, true
	}
	p.marks = slices.Concat(k.limits(), k.bands(), k.bars(), k.dots(), k.strokes(), k.markers())
	p.names = k.names()
	return p
}

// varied reports whether curves have one marker, so that their lines tell them apart.
func (k curves) varied() bool {
	return slices.ContainsFunc(k.task.Series, func(s summary.Series) bool { return s.Variant > 0 })
}

func (k curves) series(n int) summary.Series { return k.task.Series[k.Lines[n].Series] }

func (k curves) colour(n int) color.NRGBA { return k.report.colour(k.series(n).Encoding) }

// shared is the colour of a mark of several curves: grey where there is more than one.
func (k curves) shared(users []int) color.NRGBA {
	if len(users) > 1 {
		return soft
	}
	return k.colour(users[0])
}

var limitStyle = draw.LineStyle{Color: soft, Width: 1, Dashes: limitDashes}

// bandAlpha is the opacity of a band, of 255.
const bandAlpha = 34

// limits are dotted, and filled between the lowest and the highest.
func (k curves) limits() []plot.Plotter {
	if len(k.Limits) == 0 {
		return nil
	}
	return []plot.Plotter{stroke(limitStyle, lists.Map(k.Limits, k.low)...), stroke(limitStyle, lists.Map(k.Limits, k.high)...), k.band(k.Limits, soft)}
}

// band fills the intervals of points.
func (k curves) band(points []dot, fill color.NRGBA) plot.Plotter {
	polygon := lists.Map(points, k.low)
	for _, d := range slices.Backward(points) {
		polygon = append(polygon, k.high(d))
	}
	return area(faded(fill, bandAlpha), polygon)
}

// bands are the intervals around curves. A stretch of several curves is filled once and in grey.
func (k curves) bands() []plot.Plotter {
	var out []plot.Plotter
	for i := 0; i < len(k.Bands); {
		band := k.Bands[i]
		fill, to := k.shared(band.Users), band.To
		for i++; i < len(k.Bands); i++ { // one polygon as far as one colour goes: seams would show
			next := k.Bands[i]
			if next.Users[0] != band.Users[0] || next.From != to || k.shared(next.Users) != fill {
				break
			}
			to = next.To
		}
		out = append(out, k.band(k.Lines[band.Users[0]].Points[band.From:to+1], fill))
	}
	return out
}

// low and high are the ends of a point's interval, as far as the chart goes.
func (k curves) low(d dot) plotter.XY {
	return plotter.XY{X: d.X, Y: max(float64(d.Low), k.Bottom)}
}

func (k curves) high(d dot) plotter.XY {
	return plotter.XY{X: d.X, Y: min(float64(d.High), k.Top)}
}

const (
	barAlpha = 150            // of 255
	dotAlpha = 170            // of 255
	dotSize  = vg.Length(1.3) // radius
	capSize  = vg.Length(3.2) // width at the ends of a bar
)

// bars are intervals over the prompts of single runs: thin, so that nobody takes them for intervals over runs.
func (k curves) bars() []plot.Plotter {
	var out []plot.Plotter
	for _, b := range k.Bars {
		style := draw.LineStyle{Color: faded(k.shared(b.Users), barAlpha), Width: 0.8}
		bars := &plotter.YErrorBars{LineStyle: style, CapWidth: capSize}
		for _, d := range k.Lines[b.Users[0]].Points[b.From : b.To+1] {
			low, high := k.low(d).Y, k.high(d).Y
			bars.XYs = append(bars.XYs, plotter.XY{X: d.X, Y: low})
			bars.YErrors = append(bars.YErrors, struct{ Low, High float64 }{0, high - low})
		}
		out = append(out, bars)
	}
	return out
}

// dots are the runs of curves over several, as far as there is room.
func (k curves) dots() []plot.Plotter {
	var out []plot.Plotter
	for n, curve := range k.Lines {
		for _, d := range curve.Points {
			for _, run := range d.Runs {
				if k.Dotted && run.Known() && run != d.Y {
					out = append(out, runDot(plotter.XY{X: d.X, Y: float64(run)}, k.colour(n)))
				}
			}
		}
	}
	return out
}

// runDot is one run.
func runDot(centre plotter.XY, colour color.NRGBA) plot.Plotter {
	return discs(faded(colour, dotAlpha), dotSize, centre)
}

// strokes are the parts of curves. In a stretch of several, the dashes of each lie in the gaps of the others.
func (k curves) strokes() []plot.Plotter {
	var out []plot.Plotter
	for _, part := range k.Strokes {
		points := lists.Map(k.Lines[part.Users[0]].Points[part.From:part.To+1], dot.place)
		for turn, n := range part.Users {
			style := draw.LineStyle{Color: k.colour(n), Width: lineWidth, Dashes: dashes(k.series(n).Variant)}
			if several := len(part.Users); several > 1 {
				const dash = vg.Length(5)
				style.Dashes, style.DashOffs = []vg.Length{dash, dash * vg.Length(several-1)}, dash*vg.Length(several-turn)
			}
			out = append(out, stroke(style, points...))
		}
	}
	return out
}

// mostMarkers is about how many markers a curve has: more would hide it.
const mostMarkers = 24

// markers are the points of curves; a point of several has the marker of one.
func (k curves) markers() []plot.Plotter {
	var out []plot.Plotter
	every := 1 + len(k.task.Lengths)/mostMarkers
	for n, curve := range k.Lines {
		for i, d := range curve.Points {
			turn := max(0, slices.Index(k.task.Lengths, d.Length)) / every
			// the end has one
			if (len(curve.Points)-1-i)%every == 0 && d.Users[turn%len(d.Users)] == n {
				out = append(out, k.report.marker(k.series(n).Encoding, d.place(), markerSize+0.4, k.colour(n), paper))
			}
		}
	}
	return out
}

const limitName = "roofline"

// names are the curves' and the limit's.
func (k curves) names() []name {
	var out []name
	if n := len(k.Limits); n > 0 {
		end := plotter.XY{X: k.Limits[n-1].X, Y: float64(k.Limits[n-1].Low)}
		out = append(out, name{text: limitName, end: end, key: stroke(limitStyle), mean: end.Y})
	}
	for n, curve := range k.Lines {
		if len(curve.Points) == 0 {
			continue
		}
		series, mean := k.series(n), 0.
		text := series.Name
		if series.Unfit {
			text += ", did not fit"
		}
		for _, d := range curve.Points {
			mean += float64(d.Y) / float64(len(curve.Points))
		}
		name := name{text: text, end: curve.Points[len(curve.Points)-1].place(), key: k.report.key(series.Encoding), mean: mean}
		if k.varied() {
			name.line = stroke(draw.LineStyle{Color: k.colour(n), Width: lineWidth, Dashes: dashes(series.Variant)})
		}
		out = append(out, name)
	}
	return out
}
