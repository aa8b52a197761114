package report

import (
	"image/color"
	"math"
	"regexp"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// point is a place by the axes of a panel.
type point struct{ x, y float64 }

// mark is a shape in a panel. place is where its points stand on the canvas.
type mark interface {
	draw(c *draw.Canvas, place func(point) vg.Point)
}

// stroke is a line through points.
type stroke struct {
	points []point
	style  draw.LineStyle
}

func (m stroke) draw(c *draw.Canvas, place func(point) vg.Point) {
	c.StrokeLines(m.style, placed(m.points, place))
}

// area is polygons of one colour.
type area struct {
	polygons [][]point
	fill     color.Color
}

func (m area) draw(c *draw.Canvas, place func(point) vg.Point) {
	var path vg.Path
	for _, polygon := range m.polygons {
		addPolygon(&path, placed(polygon, place))
	}
	c.SetColor(m.fill)
	c.Fill(path)
}

// rectangle is an area from one corner to the other.
func rectangle(low, high point) []point {
	return []point{low, {high.x, low.y}, high, {low.x, high.y}}
}

// symbol is a shape around a point; without a shape it is a disc.
type symbol struct {
	centre     point
	shape      outline
	radius     vg.Length
	fill, edge color.Color // nil for none
}

func (m symbol) draw(c *draw.Canvas, place func(point) vg.Point) {
	centre := place(m.centre)
	var path vg.Path
	if m.shape == nil {
		path.Move(vg.Point{X: centre.X + m.radius, Y: centre.Y})
		path.Arc(centre, m.radius, 0, 2*math.Pi)
		path.Close()
	} else {
		corners := make([]vg.Point, len(m.shape))
		for i, p := range m.shape {
			corners[i] = vg.Point{X: centre.X + m.radius*vg.Length(p[0]), Y: centre.Y - m.radius*vg.Length(p[1])}
		}
		addPolygon(&path, corners)
	}
	if m.fill != nil {
		c.SetColor(m.fill)
		c.Fill(path)
	}
	if m.edge != nil {
		c.SetLineStyle(draw.LineStyle{Color: m.edge, Width: 0.8})
		c.Stroke(path)
	}
}

// word is text at a point.
type word struct {
	centre point
	text   string
	style  draw.TextStyle
}

func (m word) draw(c *draw.Canvas, place func(point) vg.Point) {
	c.FillText(m.style, place(m.centre), m.text)
}

func placed(points []point, place func(point) vg.Point) []vg.Point {
	out := make([]vg.Point, len(points))
	for i, p := range points {
		out[i] = place(p)
	}
	return out
}

// addPolygon adds a polygon to a path.
func addPolygon(path *vg.Path, corners []vg.Point) {
	for i, p := range corners {
		if i == 0 {
			path.Move(p)
		} else {
			path.Line(p)
		}
	}
	path.Close()
}

// Looks of figures.
const (
	fontSize   = vg.Length(9)
	lineWidth  = vg.Length(1.4)
	markerSize = vg.Length(3.2) // radius
)

// Colours of the page's light theme.
var (
	ink      = themeColour("ink")
	soft     = themeColour("soft")
	line     = themeColour("line")
	shade    = themeColour("shade")
	paper    = themeColour("paper")
	heatLow  = themeColour("heat-low")
	heatMid  = themeColour("heat-mid")
	heatHigh = themeColour("heat-high")
)

func themeColour(name string) color.NRGBA {
	return hexColour(regexp.MustCompile(`--` + name + `: #(\w{6})`).FindStringSubmatch(pageStyle)[1])
}

// hexColour reads "RRGGBB" of our own palette.
func hexColour(hex string) color.NRGBA {
	v, err := strconv.ParseUint(hex, 16, 32)
	if err != nil {
		panic(err) // a mistake in this package
	}
	return color.NRGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 255}
}

func faded(c color.NRGBA, alpha uint8) color.NRGBA {
	c.A = alpha
	return c
}

func sans(size vg.Length) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
}

// textStyle is sans serif of one size everywhere.
func textStyle(c color.Color, x draw.XAlignment, y draw.YAlignment) draw.TextStyle {
	return draw.TextStyle{Color: c, Font: sans(fontSize), XAlign: x, YAlign: y, Handler: plot.DefaultTextHandler}
}
