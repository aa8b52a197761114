package report

import (
	"cmp"
	"image/color"
	"math"
	"slices"

	"github.com/nopezoo/zoo/internal/lists"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// panel is a pair of axes with marks between them: a small one of several in a figure has a title.
type panel struct {
	title   string
	x, y    axis
	trained [2]int         // lengths, shaded on the axis x
	marks   []plot.Plotter // the last is on top
	names   []name         // right of the axes
}

// axis goes from low to high; without ticks it is not drawn.
type axis struct {
	label     string
	low, high float64
	octaves   bool // a logarithmic scale
	ticks     plot.Ticker
	named     bool // ticks are names, not numbers
	steep     bool // names run upwards
}

// name is text for a curve, a point, or a line of a legend.
type name struct {
	text string
	end  plotter.XY       // of the curve, where the name stands as near as it fits
	key  plot.Thumbnailer // stands before the text; nil for none
	line plot.Thumbnailer // of the curve, behind the key where curves with one key differ in it; nil for none
	mean float64          // of the curve: of those with one end the higher one's name stands above
}

const (
	margin      = vg.Length(4) // that a figure leaves around a panel
	titleHeight = fontSize + 4
)

func (p panel) draw(c draw.Canvas) {
	c = draw.Crop(c, margin, -margin, margin, -margin)
	drawn := p.plot()
	right, top := vg.Length(6), vg.Length(4)
	if p.bare() {
		right, top = 0, 0
	}
	switch {
	case p.title != "":
		c.FillText(textStyle(ink, draw.XLeft, draw.YTop), vg.Point{X: c.Min.X, Y: c.Max.Y}, p.title)
		top = titleHeight
	case p.trained[1] > 0:
		top = fontSize + markerSize
	}
	for _, n := range p.names {
		right = max(right, fromAxes+n.indent()+p.nameStyle().Width(n.text))
	}
	inner := draw.Crop(c, 0, -right, 0, -top)
	if p.y.octaves { // package plot puts a label at the mean of the ends, which is near the top here
		drawn.Y.Label.Text = ""
		inner = draw.Crop(inner, fontSize+drawn.Y.Label.Padding, 0, 0, 0)
		style := textStyle(soft, draw.XCenter, draw.YTop)
		style.Rotation = math.Pi / 2
		data := drawn.DataCanvas(inner)
		c.FillText(style, vg.Point{X: c.Min.X, Y: data.Center().Y}, p.y.label)
	}
	drawn.Draw(inner)
	p.drawNames(c, drawn.DataCanvas(inner), drawn)
}

func (p panel) marked() bool { return len(p.marks) > 0 }

// bare panels have no axes.
func (p panel) bare() bool { return p.x.ticks == nil && p.y.ticks == nil }

// plot has thin axes without a frame.
func (p panel) plot() *plot.Plot {
	out := plot.New()
	p.x.apply(&out.X)
	p.y.apply(&out.Y)
	out.Y.LineStyle.Width = 0
	if p.bare() {
		out.HideAxes()
	}
	out.Add(p)
	return out
}

func (a axis) apply(to *plot.Axis) {
	to.Min, to.Max, to.Tick.Marker, to.Label.Text, to.Label.Padding = a.low, a.high, a.ticks, a.label, 4
	to.Label.TextStyle.Font, to.Label.TextStyle.Color = sans(fontSize), soft
	to.Tick.Label.Font, to.Tick.Label.Color = sans(fontSize-0.5), soft
	to.LineStyle.Color, to.LineStyle.Width, to.Padding = soft, 0.5, 0
	// keeps the numbers off markers on the axis
	to.Tick.LineStyle.Color, to.Tick.Length = color.Transparent, markerSize+1
	if a.octaves {
		to.Scale, to.Tick.Marker = plot.LogScale{}, octaves{}
	}
	if a.steep {
		to.Tick.Label.Rotation, to.Tick.Label.XAlign, to.Tick.Label.YAlign = math.Pi/2, draw.XRight, draw.YCenter
	}
	if a.named {
		to.Tick.Label.Color, to.LineStyle.Width = ink, 0
	}
}

// Plot implements plot.Plotter: the trained lengths, thin lines across at the ticks of y, and the marks.
func (p panel) Plot(c draw.Canvas, axes *plot.Plot) {
	x, _ := axes.Transforms(&c)
	low, high := max(float64(p.trained[0]), p.x.low), min(float64(p.trained[1]), p.x.high)
	if p.trained[1] > 0 && low < high {
		c.FillPolygon(shade, []vg.Point{{X: x(low), Y: c.Min.Y}, {X: x(high), Y: c.Min.Y}, {X: x(high), Y: c.Max.Y}, {X: x(low), Y: c.Max.Y}})
		if p.title == "" { // small panels have no room for the word
			style := textStyle(soft, draw.XCenter, draw.YBottom)
			style.Font.Size--
			// above: curves lie at both ends of the axis
			c.FillText(style, vg.Point{X: (x(low) + x(high)) / 2, Y: c.Max.Y + markerSize + 2}, "trained")
		}
	}
	if !p.x.named {
		(&plotter.Grid{Horizontal: draw.LineStyle{Color: line, Width: 0.5}}).Plot(c, axes)
	}
	for _, m := range p.marks {
		m.Plot(c, axes)
	}
}

// Names stand fromAxes from the axes, and their text nameIndent behind their keys, which lines make wider.
const (
	fromAxes   = vg.Length(8)
	nameIndent = 3 * markerSize
	lineIndent = 9 * markerSize
)

// nameStyle is in no colour of a curve, which is too faint for letters; small panels have smaller ones.
func (p panel) nameStyle() draw.TextStyle {
	style := textStyle(ink, draw.XLeft, draw.YCenter)
	if p.title != "" {
		style.Font.Size -= 2
	}
	return style
}

// nameGap is the least from one name to the next.
func (p panel) nameGap() vg.Length {
	if p.title != "" {
		return p.nameStyle().Font.Size + 1
	}
	return 1.35 * fontSize
}

// indent is the room for a key.
func (n name) indent() vg.Length {
	switch {
	case n.key == nil:
		return 0
	case n.line != nil:
		return lineIndent
	}
	return nameIndent
}

// drawNames writes names right of the axes.
func (p panel) drawNames(c, data draw.Canvas, axes *plot.Plot) {
	_, y := axes.Transforms(&data)
	style, gap := p.nameStyle(), p.nameGap()
	slices.SortStableFunc(p.names, func(a, b name) int { return cmp.Or(cmp.Compare(a.end.Y, b.end.Y), cmp.Compare(a.mean, b.mean)) })
	heights := lists.Map(p.names, func(n name) vg.Length { return y(n.end.Y) })
	spread(heights, gap, data.Min.Y, data.Max.Y)
	for i, n := range p.names {
		left := vg.Point{X: data.Max.X + fromAxes, Y: heights[i]}
		centre := vg.Point{X: left.X + markerSize, Y: left.Y}
		if n.line != nil {
			end := vg.Point{X: left.X + lineIndent - markerSize, Y: left.Y}
			c.Rectangle = vg.Rectangle{Min: left, Max: end}
			n.line.Thumbnail(&c)
			centre.X = (left.X + end.X) / 2
		}
		if n.key != nil {
			n.drawKey(c, centre, markerSize)
		}
		left.X += n.indent()
		c.FillText(style, left, n.text)
	}
}

// drawKey draws the key of a name around a point.
func (n name) drawKey(c draw.Canvas, centre vg.Point, radius vg.Length) {
	corner := vg.Point{X: radius, Y: radius}
	c.Rectangle = vg.Rectangle{Min: centre.Sub(corner), Max: centre.Add(corner)}
	n.key.Thumbnail(&c)
}

// spread moves ascending heights apart until they keep a gap, within bounds.
func spread(heights []vg.Length, gap, low, high vg.Length) {
	for range 60 {
		for i := 1; i < len(heights); i++ {
			if near := gap - (heights[i] - heights[i-1]); near > 0 {
				heights[i] += near / 2
				heights[i-1] -= near / 2
			}
		}
		for i := range heights {
			heights[i] = min(max(heights[i], low+gap*vg.Length(i)), high-gap*vg.Length(len(heights)-1-i))
		}
	}
}
