package report

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/nopezoo/zoo/eval/study"
)

// curve is one series in a line figure.
type curve struct {
	of     *study.Series
	points []dot
}

type dot struct{ x, y, low, high float64 }

// dots keeps the known points of a series, scaled.
func dots[T any](points []T, length func(T) int, of func(T) study.Spread, scale float64) []dot {
	var out []dot
	for _, p := range points {
		if v := of(p); v.Mean.Known() {
			out = append(out, dot{float64(length(p)), scale * float64(v.Mean), scale * float64(v.Low), scale * float64(v.High)})
		}
	}
	return out
}

func (s *Report) accuracyFigure(t *study.Task) Figure {
	var curves []curve
	for i := range t.Series {
		curves = append(curves, curve{&t.Series[i], dots(t.Series[i].Points, func(p study.Point) int { return p.Length }, func(p study.Point) study.Spread { return p.Exact }, 100)})
	}
	return s.lineFigure("accuracy-"+fileName(t.Name), t, "exact match, %", curves, 100)
}

func (s *Report) costFigure(t *study.Task, p study.Place, m study.Metric, at string) []Figure {
	var curves []curve
	highest := 0.0
	top := 0.0 // of the bands
	for _, c := range p.Series {
		points := dots(c.Points, func(p study.CostPoint) int { return p.Length }, m.Of, 1)
		for _, d := range points {
			highest = max(highest, d.y)
			if !math.IsNaN(d.high) {
				top = max(top, d.high)
			}
		}
		if len(points) > 0 {
			curves = append(curves, curve{&t.Series[c.Series], points})
		}
	}
	if len(curves) == 0 {
		return nil
	}
	highest = 1.05 * max(highest, min(top, 1.5*highest)) // a wide band may leave the figure: the curves are what it shows
	for _, k := range curves {
		for i := range k.points {
			k.points[i].high = min(k.points[i].high, highest) // which leaves NaN
		}
	}
	return []Figure{s.lineFigure("cost-"+m.Key+"-"+at, t, m.Label+", "+m.Unit, curves, highest)}
}

// lineFigure draws curves over the length, with bands, the trained lengths shaded,
// and names at the ends.
func (s *Report) lineFigure(name string, t *study.Task, y string, curves []curve, highest float64) Figure {
	return Figure{name, 6.3 * vg.Inch, 3.6 * vg.Inch, func(c draw.Canvas) {
		x := "length"
		if !t.Scored {
			x = "length, tokens"
		}
		p := newPlot(x, y)
		p.X.Tick.Marker, p.Y.Tick.Marker = even{}, even{}
		p.X.Min, p.X.Max = float64(t.Lengths[0]), float64(t.Lengths[len(t.Lengths)-1])
		margin := max(0.5, 0.015*(p.X.Max-p.X.Min)) // for the markers
		p.X.Min, p.X.Max = p.X.Min-margin, p.X.Max+margin
		if t.Octaves {
			p.X.Min, p.X.Max = float64(t.Lengths[0])/1.06, float64(t.Lengths[len(t.Lengths)-1])*1.06
			p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, octaves{}
		}
		p.Y.Min, p.Y.Max = 0, highest
		p.Add(trained(t.Trained), grid{})
		p.Add(bands{s, curves}, strokes{s, curves, t.Lengths})
		widest := vg.Length(0)
		style := textStyle(ink, draw.XLeft, draw.YCenter)
		for _, of := range curves {
			widest = max(widest, style.Width(of.of.Name))
		}
		c = draw.Crop(c, 4, -4, 4, -fontSize-markerSize-3)
		inner := draw.Crop(c, 0, -(widest + 8 + labelIndent), 0, 0)
		p.Draw(inner)
		s.endLabels(c, p.DataCanvas(inner), p, curves)
	}}
}

// octaves gives labelled ticks at powers of two.
type octaves struct{}

// Ticks implements plot.Ticker.
func (octaves) Ticks(low, high float64) []plot.Tick {
	var out []plot.Tick
	for n := 1.0; n <= high; n *= 2 {
		if n >= low {
			out = append(out, plot.Tick{Value: n, Label: study.Thousands(int(n))})
		}
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
	c.FillPolygon(shade, []vg.Point{{X: x(low), Y: c.Min.Y}, {X: x(high), Y: c.Min.Y}, {X: x(high), Y: c.Max.Y}, {X: x(low), Y: c.Max.Y}})
	style := textStyle(soft, draw.XCenter, draw.YBottom)
	style.Font.Size--
	c.FillText(style, vg.Point{X: (x(low) + x(high)) / 2, Y: c.Max.Y + markerSize + 2}, "trained") // above: curves lie at both ends of the axis
}

// strokes draws curves and their markers. Curves that lie on one another, as far as
// an eye can tell, take turns: a stretch that several have in common is dashed, with
// the dashes of each in the gaps of the others, and a point has the marker of one.
type strokes struct {
	s       *Report
	curves  []curve
	lengths []int
}

// dashes tell the series of one encoding apart.
func dashes(variant int) []vg.Length {
	return [][]vg.Length{nil, {5, 3}, {1.5, 2.5}}[variant%3]
}

// Plot implements plot.Plotter.
func (k strokes) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	const near = vg.Length(1)
	type place struct{ x, y, toX, toY vg.Length }
	at := func(d ...dot) place { // a point or stretch, to the next point of a grid that no eye sees
		first, last := d[0], d[len(d)-1]
		return place{x(first.x), near * vg.Length(math.Round(float64(y(first.y)/near))), x(last.x), near * vg.Length(math.Round(float64(y(last.y)/near)))}
	}
	users := map[place][]int{}
	for n, of := range k.curves {
		for i, d := range of.points {
			users[at(d)] = append(users[at(d)], n)
			if i > 0 {
				stretch := at(of.points[i-1], d)
				users[stretch] = append(users[stretch], n)
			}
		}
	}
	for n, of := range k.curves {
		for first, i := 0, 1; i < len(of.points); i++ { // one line as far as its users are the same
			now := users[at(of.points[i-1], of.points[i])]
			if i+1 < len(of.points) && slices.Equal(now, users[at(of.points[i], of.points[i+1])]) {
				continue
			}
			var line []vg.Point
			for _, d := range of.points[first : i+1] {
				line = append(line, vg.Point{X: x(d.x), Y: y(d.y)})
			}
			c.StrokeLines(k.style(of, slices.Index(now, n), len(now)), line)
			first = i
		}
	}
	every := 1 + len(k.lengths)/mostMarkers
	for n, of := range k.curves {
		for i, d := range of.points {
			turn, sharers := max(0, slices.Index(k.lengths, int(d.x)))/every, users[at(d)]
			if (len(of.points)-1-i)%every == 0 && (len(sharers) == 1 || sharers[turn%len(sharers)] == n) { // the end has one
				k.s.Encodings[of.of.Encoding].Shape.fill(&c, vg.Point{X: x(d.x), Y: y(d.y)}, markerSize+0.4, k.s.colour(of.of.Encoding), paper)
			}
		}
	}
}

// style of a stretch of a curve that is one of several.
func (k strokes) style(of curve, turn, several int) draw.LineStyle {
	s := draw.LineStyle{Color: k.s.colour(of.of.Encoding), Width: lineWidth, Dashes: dashes(of.of.Variant)}
	if several > 1 {
		const dash = vg.Length(5)
		gap := dash * vg.Length(several-1)
		s.Dashes, s.DashOffs = []vg.Length{dash, gap}, dash*vg.Length(several-turn)
	}
	return s
}

// mostMarkers is about how many markers a curve has: more would hide it.
const mostMarkers = 24

// endLabels writes the names of curves where they end; those that end together at
// the right stand as near to their ends as they fit.
func (s *Report) endLabels(c, data draw.Canvas, p *plot.Plot, curves []curve) {
	x, y := p.Transforms(&data)
	last := 0.0
	for _, k := range curves {
		if n := len(k.points); n > 0 {
			last = max(last, k.points[n-1].x)
		}
	}
	curves = slices.Clone(curves)
	slices.SortStableFunc(curves, func(a, b curve) int {
		return cmp.Or(cmp.Compare(a.end().y, b.end().y), cmp.Compare(a.mean(), b.mean())) // of those that end alike the better above
	})
	var ends []vg.Length
	var of []curve
	for _, k := range curves {
		switch {
		case len(k.points) == 0:
		case k.end().x < last:
			c.FillText(textStyle(ink, draw.XLeft, draw.YCenter), vg.Point{X: x(k.end().x) + 2*markerSize, Y: y(k.end().y)}, k.of.Name)
		default:
			ends, of = append(ends, y(k.end().y)), append(of, k)
		}
	}
	spread(ends, fontSize*1.35, data.Min.Y, data.Max.Y)
	for i, k := range of {
		s.endLabel(c, k, data.Max.X+8, ends[i])
	}
}

// labelIndent is how far a name stands behind its marker.
const labelIndent = 3 * markerSize

// endLabel writes a curve's name with its marker before it. Letters are not in its
// colour, which is too faint for them.
func (s *Report) endLabel(c draw.Canvas, k curve, x, y vg.Length) {
	colour := s.colour(k.of.Encoding)
	s.Encodings[k.of.Encoding].Shape.fill(&c, vg.Point{X: x + markerSize, Y: y}, markerSize, colour, colour)
	c.FillText(textStyle(ink, draw.XLeft, draw.YCenter), vg.Point{X: x + labelIndent, Y: y}, k.of.Name)
}

// end is a curve's last point; zero for none.
func (k curve) end() dot {
	if len(k.points) == 0 {
		return dot{}
	}
	return k.points[len(k.points)-1]
}

// mean of a curve's points; zero for none.
func (k curve) mean() float64 {
	sum := 0.0
	for _, d := range k.points {
		sum += d.y
	}
	return sum / float64(max(1, len(k.points)))
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
