package report

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/nopezoo/zoo/eval/summary"
)

// tradeoffFigure sets accuracy against the cost of a step.
func (s *Report) tradeoffFigure(t *summary.Task, place summary.Place, at string) []Figure {
	var points []pair
	slowest, best := 0.0, 0.0
	for _, c := range place.Series {
		of, step := t.Series[c.Series], c.At(place.Common).Decode.Median
		if step.Known() && of.Score.Median.Known() {
			d := pair{name: of.Name, encoding: of.Encoding, x: float64(step), y: 100 * float64(of.Score.Median)}
			points = append(points, d)
			slowest, best = max(slowest, d.x), max(best, d.y)
		}
	}
	if len(points) == 0 {
		return nil
	}
	return []Figure{{"tradeoff-" + at, 5 * vg.Inch, 3.6 * vg.Inch, func(c draw.Canvas) {
		x := fmt.Sprintf("median decode step at length %s, ms", place.Common.Label())
		p := newPlot(x, "exact match beyond the trained lengths, %")
		p.X.Tick.Marker, p.Y.Tick.Marker = even{}, even{}
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1.25*slowest, 0, min(100, max(10, 1.25*best))
		p.Add(grid{}, scatter{s, points})
		p.Draw(draw.Crop(c, 4, -10, 4, -8))
	}}}
}

// pair is a point with a name, or the two values of a line of a dot chart: here
// and published.
type pair struct {
	name     string
	encoding int
	x, y     float64
	runs     []summary.Number // of x, where there are several
}

type scatter struct {
	s      *Report
	points []pair
}

// Plot implements plot.Plotter.
func (k scatter) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	axis := vg.Rectangle{Min: vg.Point{X: c.Min.X, Y: c.Min.Y - 2*fontSize}, Max: vg.Point{X: c.Max.X, Y: c.Min.Y}}
	taken := []vg.Rectangle{axis}
	for _, d := range k.points {
		at := vg.Point{X: x(d.x), Y: y(d.y)}
		taken = append(taken, around(at, 0, 0, 2.6*markerSize, 2.6*markerSize))
	}
	for _, d := range k.points {
		colour, at := k.s.colour(d.encoding), vg.Point{X: x(d.x), Y: y(d.y)}
		k.s.Encodings[d.encoding].Shape.fill(&c, at, 1.3*markerSize, colour, colour)
		style := textStyle(ink, draw.XCenter, draw.YCenter) // not in its colour, which is too faint for letters
		box := free(at, style.Width(d.name), fontSize, taken)
		taken = append(taken, box)
		c.FillText(style, middle(box), d.name)
	}
}

func corners(r vg.Rectangle) []vg.Point {
	return []vg.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}}
}

func middle(r vg.Rectangle) vg.Point {
	return vg.Point{X: (r.Min.X + r.Max.X) / 2, Y: (r.Min.Y + r.Max.Y) / 2}
}

// around is a box of a size whose middle lies off a point.
func around(at vg.Point, dx, dy, width, height vg.Length) vg.Rectangle {
	x, y := at.X+dx, at.Y+dy
	return vg.Rectangle{Min: vg.Point{X: x - width/2, Y: y - height/2}, Max: vg.Point{X: x + width/2, Y: y + height/2}}
}

// free finds the place beside a point where a name hides the least: right of it,
// above, below or left, further out if all of them are taken.
func free(at vg.Point, width, height vg.Length, taken []vg.Rectangle) vg.Rectangle {
	best, least := vg.Rectangle{}, vg.Length(math.Inf(1))
	for _, far := range []vg.Length{1, 2.2, 3.4} {
		gap := far * 2.4 * markerSize
		for _, d := range []vg.Point{{X: gap + width/2}, {Y: gap + height/4}, {Y: -gap - height/4},
			{X: -gap - width/2}} {
			box, hidden := around(at, d.X, d.Y, width, height), vg.Length(0)
			for _, t := range taken {
				w := min(box.Max.X, t.Max.X) - max(box.Min.X, t.Min.X)
				h := min(box.Max.Y, t.Max.Y) - max(box.Min.Y, t.Min.Y)
				hidden += max(0, w) * max(0, h)
			}
			if hidden < least {
				best, least = box, hidden
			}
		}
	}
	return best
}

// publishedFigure sets a task's accuracies beside the published ones.
func (s *Report) publishedFigure(t *summary.Task) []Figure {
	var points []pair
	for _, c := range s.Published {
		if c.Task == t.Name {
			d := pair{name: s.comparedName(c), encoding: c.Encoding, x: 100 * float64(c.Here), y: 100 * float64(c.Published)}
			if c.Ours.All.Over == summary.OverRuns {
				d.runs = summary.Each(c.Ours.All.Runs, func(n summary.Number) summary.Number { return 100 * n })
			}
			points = append(points, d)
		}
	}
	const x = "exact match, % (filled: here, small: each run, hollow: published)"
	return s.dotFigure("published-"+fileName(t.Name), x, points, 100)
}

// comparedName is a series, and where it was compared at several lengths at which.
func (s *Report) comparedName(c summary.Compared) string {
	same := slices.DeleteFunc(slices.Clone(s.Published), func(o summary.Compared) bool {
		return o.Task != c.Task || o.Name != c.Name
	})
	if len(same) < 2 {
		return c.Name
	}
	return c.Name + ", " + c.Lengths
}

// rankFigure sets the mean reciprocal ranks beside the published ones.
func (s *Report) rankFigure() []Figure {
	var points []pair
	for _, r := range s.Ranks {
		points = append(points, pair{name: r.Name, encoding: r.Encoding, x: float64(r.MRR), y: float64(r.Published)})
	}
	const x = "mean reciprocal rank (filled: here, hollow: published)"
	return s.dotFigure("ranks", x, points, 1)
}

// dotFigure has a line per pair with two dots; the second may be unknown.
func (s *Report) dotFigure(name, x string, points []pair, most float64) []Figure {
	if len(points) == 0 {
		return nil
	}
	return []Figure{{name, 5.6 * vg.Inch, vg.Inch * vg.Length(0.7+0.27*float64(len(points))), func(c draw.Canvas) {
		p := newPlot(x, "")
		p.X.Tick.Marker = even{}
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, most, -0.6, float64(len(points))-0.4
		var names []plot.Tick
		for i, d := range points {
			names = append(names, plot.Tick{Value: float64(len(points) - 1 - i), Label: d.name})
		}
		p.Y.Tick.Marker = plot.ConstantTicks(names)
		p.Y.Tick.Label.Color = ink
		p.Add(grid{}, dotLines{s, points})
		p.Draw(draw.Crop(c, 4, -10, 4, -8))
	}}}
}

type dotLines struct {
	s      *Report
	points []pair
}

// Plot implements plot.Plotter.
func (k dotLines) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for i, d := range k.points {
		colour, shape := k.s.colour(d.encoding), k.s.Encodings[d.encoding].Shape
		height := y(float64(len(k.points) - 1 - i))
		if summary.Number(d.y).Known() {
			c.StrokeLine2(draw.LineStyle{Color: faded(colour, 120), Width: lineWidth}, x(d.x), height, x(d.y), height)
			shape.fill(&c, vg.Point{X: x(d.y), Y: height}, 1.3*markerSize, paper, colour)
		}
		for _, run := range d.runs {
			if run.Known() {
				runDot(&c, vg.Point{X: x(float64(run)), Y: height}, colour)
			}
		}
		shape.fill(&c, vg.Point{X: x(d.x), Y: height}, 1.3*markerSize, colour, colour)
	}
}
