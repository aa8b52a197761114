package report

import (
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/nopezoo/zoo/eval/summary"
	"github.com/nopezoo/zoo/eval/task"
)

// curves are a chart of series over lengths.
type curves struct {
	s     *Report
	over  axes
	of    []summary.Series
	chart chart
}

// axes is what a chart is over: see the fields of summary.Task.
type axes struct {
	name    string
	octaves bool
	lengths []task.Span
	x       []float64
	trained [2]int
}

func (s *Report) curves(t *summary.Task, chart chart) curves {
	return curves{s, axes{t.Axis, t.Octaves, t.Lengths, t.X, t.Trained}, t.Series, chart}
}

func (k curves) series(n int) summary.Series { return k.of[k.chart.Lines[n].Series] }

func (s *Report) accuracyFigure(t *summary.Task) Figure {
	return lineFigure("accuracy-"+fileName(t.Name), "exact match, %", s.curves(t, accuracyChart(t, exact)))
}

func (s *Report) costFigure(t *summary.Task, p summary.Place, m summary.Metric, at string) []Figure {
	k := s.curves(t, costChart(p, m))
	if len(k.chart.Lines) == 0 {
		return nil
	}
	if k.chart.Bottom == 0 {
		k.chart.Top *= 1.05
	}
	return []Figure{lineFigure("cost-"+m.Key+"-"+at, m.Label+", "+m.Unit, k)}
}

// lineFigure draws curves over the length, with bands, the trained lengths shaded,
// and names at the ends.
func lineFigure(name, y string, k curves) Figure {
	return Figure{name, 6.3 * vg.Inch, 3.6 * vg.Inch, func(c draw.Canvas) {
		t := k.over
		p := newPlot(t.name, y)
		p.X.Tick.Marker, p.Y.Tick.Marker = even{}, even{}
		p.X.Min, p.X.Max = t.x[0], t.x[len(t.x)-1]
		margin := max(0.5, 0.015*(p.X.Max-p.X.Min)) // for the markers
		p.X.Min, p.X.Max = p.X.Min-margin, p.X.Max+margin
		if t.octaves {
			p.X.Min, p.X.Max = t.x[0]/1.06, t.x[len(t.x)-1]*1.06
			p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, octaves{}
		}
		p.Y.Min, p.Y.Max = k.chart.Bottom, k.chart.Top
		if k.chart.Bottom > 0 {
			p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, octaves{}
		}
		p.Add(trained(t.trained), grid{})
		p.Add(limits(k.chart.Limits), bands(k), bars(k), dots(k), strokes(k))
		widest := vg.Length(0)
		style := textStyle(ink, draw.XLeft, draw.YCenter)
		for _, l := range k.labels() {
			widest = max(widest, style.Width(l.name))
		}
		c = draw.Crop(c, 4, -4, 4, -fontSize-markerSize-3)
		inner := draw.Crop(c, 0, -(widest + 8 + labelIndent), 0, 0)
		if k.chart.Bottom > 0 { // package plot puts a label at the mean of the ends, which is near the top here
			p.Y.Label.Text = ""
			inner = draw.Crop(inner, fontSize+p.Y.Label.Padding, 0, 0, 0)
			style := textStyle(soft, draw.XCenter, draw.YTop)
			style.Rotation = math.Pi / 2
			data := p.DataCanvas(inner)
			c.FillText(style, vg.Point{X: c.Min.X, Y: data.Center().Y}, y)
		}
		p.Draw(inner)
		k.endLabels(c, p.DataCanvas(inner), p)
	}}
}

// octaves gives labelled ticks at powers of two, at every second where there are many, and
// between them where there are few.
type octaves struct{}

// Ticks implements plot.Ticker.
func (octaves) Ticks(low, high float64) []plot.Tick {
	first, last := int(math.Ceil(math.Log2(low))), int(math.Floor(math.Log2(high)))
	const most = 16
	step := 1 + (last-first)/most
	var out []plot.Tick
	if last-first < 3 {
		for n := first - 1; n <= last; n++ {
			if at := 1.5 * math.Exp2(float64(n)); at >= low && at <= high {
				out = append(out, plot.Tick{Value: at, Label: strconv.FormatFloat(at, 'g', 3, 64)})
			}
		}
	}
	for n := first; n <= last; n += step {
		at := math.Exp2(float64(n))
		label := strconv.FormatFloat(at, 'g', 3, 64)
		if n >= 0 && n < 53 { // as long as it is exact
			label = summary.Thousands(int(at))
		}
		out = append(out, plot.Tick{Value: at, Label: label})
	}
	return out
}

// trained shades the lengths seen in training.
type trained [2]int

// Plot implements plot.Plotter.
func (t trained) Plot(c draw.Canvas, p *plot.Plot) {
	low, high := max(float64(t[0]), p.X.Min), min(float64(t[1]), p.X.Max)
	if t[1] == 0 || low >= high {
		return
	}
	x, _ := p.Transforms(&c)
	from, to := x(low), x(high)
	c.FillPolygon(shade, corners(vg.Rectangle{Min: vg.Point{X: from, Y: c.Min.Y}, Max: vg.Point{X: to, Y: c.Max.Y}}))
	style := textStyle(soft, draw.XCenter, draw.YBottom)
	style.Font.Size--
	// Above: curves lie at both ends of the axis.
	c.FillText(style, vg.Point{X: (from + to) / 2, Y: c.Max.Y + markerSize + 2}, "trained")
}

// strokes draws curves and their markers. Curves that lie on one another take turns: a
// stretch that several have in common is dashed, with the dashes of each in the gaps of
// the others, and a point has the marker of one.
type strokes curves

// dashPatterns tell the series of one encoding apart, here and on the page: strokes and gaps in
// points by variant.
var dashPatterns = [][]vg.Length{nil, {5, 3}, {1.5, 2.5}, {7, 2.5, 1.5, 2.5}, {11, 3}, {5, 2, 1.5, 2, 1.5, 2}}

func dashes(variant int) []vg.Length { return dashPatterns[variant%len(dashPatterns)] }

// Plot implements plot.Plotter.
func (k strokes) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	at := func(d dot) vg.Point { return vg.Point{X: x(d.X), Y: y(float64(d.Y))} }
	for _, of := range k.chart.Strokes {
		line := summary.Each(k.chart.Lines[of.Users[0]].Points[of.From:of.To+1], at)
		for turn, n := range of.Users {
			c.StrokeLines(k.style(n, turn, len(of.Users)), line)
		}
	}
	every := 1 + len(k.over.lengths)/mostMarkers
	for n, of := range k.chart.Lines {
		colour, shape := k.s.colour(curves(k).series(n).Encoding), k.s.Encodings[curves(k).series(n).Encoding].Shape
		for i, d := range of.Points {
			turn := max(0, slices.Index(k.over.lengths, d.Length)) / every
			// the end has one
			if (len(of.Points)-1-i)%every == 0 && (len(d.Users) == 1 || d.Users[turn%len(d.Users)] == n) {
				shape.fill(&c, at(d), markerSize+0.4, colour, paper)
			}
		}
	}
}

// style of a stretch of a curve that is one of several.
func (k strokes) style(n, turn, several int) draw.LineStyle {
	of := curves(k).series(n)
	s := draw.LineStyle{Color: k.s.colour(of.Encoding), Width: lineWidth, Dashes: dashes(of.Variant)}
	if several > 1 {
		const dash = vg.Length(5)
		gap := dash * vg.Length(several-1)
		s.Dashes, s.DashOffs = []vg.Length{dash, gap}, dash*vg.Length(several-turn)
	}
	return s
}

// mostMarkers is about how many markers a curve has: more would hide it.
const mostMarkers = 24
