package report

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// bars draws the intervals over the prompts of single runs: thin, and no bands, so that
// nobody takes them for what other runs do. Those that several have in common are grey.
type bars curves

// Plot implements plot.Plotter.
func (k bars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, of := range k.chart.Bars {
		d := k.chart.Lines[of.Users[0]].Points[of.Point]
		colour := color.Color(faded(soft, barAlpha))
		if len(of.Users) == 1 {
			colour = faded(k.s.colour(curves(k).series(of.Users[0]).Encoding), barAlpha)
		}
		at, low, high := x(d.X), y(max(float64(d.Low), p.Y.Min)), y(min(float64(d.High), p.Y.Max))
		style := draw.LineStyle{Color: colour, Width: 0.8}
		c.StrokeLine2(style, at, low, at, high)
		for _, end := range []vg.Length{low, high} {
			c.StrokeLine2(style, at-capWidth, end, at+capWidth, end)
		}
	}
}

const (
	barAlpha = 150            // of 255
	capWidth = vg.Length(1.6) // to either side
)

// dots draws each run of curves that are over several, as far as there is room.
type dots curves

// Plot implements plot.Plotter.
func (k dots) Plot(c draw.Canvas, p *plot.Plot) {
	if !k.chart.Dotted {
		return
	}
	x, y := p.Transforms(&c)
	for n, of := range k.chart.Lines {
		colour := k.s.colour(curves(k).series(n).Encoding)
		for _, d := range of.Points {
			for _, run := range d.Runs {
				if run.Known() && run != d.Y {
					runDot(&c, vg.Point{X: x(d.X), Y: y(float64(run))}, colour)
				}
			}
		}
	}
}

// runDot is one run.
func runDot(c *draw.Canvas, at vg.Point, colour color.NRGBA) {
	c.SetColor(faded(colour, dotAlpha))
	var path vg.Path
	path.Move(vg.Point{X: at.X + dotSize, Y: at.Y})
	path.Arc(at, dotSize, 0, 2*math.Pi)
	path.Close()
	c.Fill(path)
}

const (
	dotAlpha = 170            // of 255
	dotSize  = vg.Length(1.3) // radius
)
