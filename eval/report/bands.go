package report

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// bands fills the intervals around curves, but for those over prompts (see bars). A stretch that several have in common,
// as where all are right or all wrong, is filled once and in grey: one on another
// they would make a block darker than any curve.
type bands curves

// bandAlpha is how much of a band's colour covers what lies below, of 255.
const bandAlpha = 34

// Plot implements plot.Plotter.
func (k bands) Plot(c draw.Canvas, p *plot.Plot) {
	for i := 0; i < len(k.chart.Bands); {
		of := k.chart.Bands[i]
		fill, to := k.fill(of), of.To
		for i++; i < len(k.chart.Bands); i++ { // one polygon as far as one colour goes: seams would show
			next := k.chart.Bands[i]
			if next.Users[0] != of.Users[0] || next.From != to || k.fill(next) != fill {
				break
			}
			to = next.To
		}
		fillBand(c, p, k.chart.Lines[of.Users[0]].Points[of.From:to+1], fill)
	}
}

func (k bands) fill(of stretch) color.Color {
	if len(of.Users) > 1 {
		return faded(soft, bandAlpha)
	}
	return faded(k.s.colour(curves(k).series(of.Users[0]).Encoding), bandAlpha)
}

// fillBand fills a band without gaps, as far as the chart goes.
func fillBand(c draw.Canvas, p *plot.Plot, points []dot, fill color.Color) {
	x, y := p.Transforms(&c)
	outline := make([]vg.Point, 2*len(points))
	for i, d := range points {
		outline[i] = vg.Point{X: x(d.X), Y: y(min(float64(d.High), p.Y.Max))}
		outline[len(outline)-1-i] = vg.Point{X: x(d.X), Y: y(max(float64(d.Low), p.Y.Min))}
	}
	c.FillPolygon(fill, outline)
}
