package report

import (
	"image/color"
	"regexp"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// stroke is a line through points.
func stroke(style draw.LineStyle, points ...plotter.XY) *plotter.Line {
	return &plotter.Line{XYs: points, LineStyle: style}
}

// area is polygons of one colour.
func area(fill color.Color, polygons ...plotter.XYs) *plotter.Polygon {
	return &plotter.Polygon{XYs: polygons, Color: fill, LineStyle: draw.LineStyle{Color: fill}}
}

// rectangle is a polygon from one corner to the other.
func rectangle(left, bottom, right, top float64) plotter.XYs {
	return plotter.XYs{{X: left, Y: bottom}, {X: right, Y: bottom}, {X: right, Y: top}, {X: left, Y: top}}
}

// discs are filled circles.
func discs(fill color.Color, radius vg.Length, centres ...plotter.XY) *plotter.Scatter {
	return &plotter.Scatter{XYs: centres, GlyphStyle: draw.GlyphStyle{Color: fill, Radius: radius, Shape: draw.CircleGlyph{}}}
}

// glyph is a shape with a line around it.
type glyph struct {
	shape outline
	edge  color.Color
}

// DrawGlyph implements draw.GlyphDrawer.
func (g glyph) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, centre vg.Point) {
	var path vg.Path
	for i, p := range g.shape {
		corner := vg.Point{X: centre.X + style.Radius*vg.Length(p[0]), Y: centre.Y - style.Radius*vg.Length(p[1])}
		if i == 0 {
			path.Move(corner)
		} else {
			path.Line(corner)
		}
	}
	path.Close()
	c.Fill(path)
	c.SetLineStyle(draw.LineStyle{Color: g.edge, Width: 0.8})
	c.Stroke(path)
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
