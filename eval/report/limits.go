package report

import (
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// limits draws what curves cannot be below: dotted, and filled between the lowest and
// the highest.
type limits []limit

const limitName = "roofline"

var limitStyle = draw.LineStyle{Color: soft, Width: 1, Dashes: []vg.Length{1, 2}}

// Plot implements plot.Plotter.
func (l limits) Plot(c draw.Canvas, p *plot.Plot) {
	if len(l) == 0 {
		return
	}
	x, y := p.Transforms(&c)
	low, high := make([]vg.Point, len(l)), make([]vg.Point, len(l))
	for i, at := range l {
		low[i] = vg.Point{X: x(at.X), Y: y(float64(at.Low))}
		high[i] = vg.Point{X: low[i].X, Y: y(float64(at.High))}
	}
	c.StrokeLines(limitStyle, low, high)
	slices.Reverse(high)
	c.FillPolygon(faded(soft, bandAlpha), append(low, high...))
}
