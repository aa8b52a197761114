package report

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// bands fills the intervals around curves. A stretch that several have in common,
// as where all are right or all wrong, is filled once and in grey: one on another
// they would make a block darker than any curve.
type bands struct {
	s      *Report
	curves []curve
}

// bandAlpha is how much of a band's colour covers what lies below, of 255.
const bandAlpha = 34

// stretch is a part of a band, from one length to the next.
type stretch [2]dot

// bounded keeps the points that have an interval.
func bounded(points []dot) []dot {
	var out []dot
	for _, d := range points {
		if !math.IsNaN(d.low) && !math.IsNaN(d.high) {
			out = append(out, d)
		}
	}
	return out
}

// Plot implements plot.Plotter.
func (b bands) Plot(c draw.Canvas, p *plot.Plot) {
	users := map[stretch]int{}
	for _, k := range b.curves {
		points := bounded(k.points)
		for i := 1; i < len(points); i++ {
			users[stretch{points[i-1], points[i]}]++
		}
	}
	filled := map[stretch]bool{}
	for _, k := range b.curves {
		points := bounded(k.points)
		fillOf := func(i int) color.Color { // of the stretch that ends at a point; nil for none
			switch at := (stretch{points[i-1], points[i]}); {
			case filled[at]:
				return nil
			case users[at] > 1:
				return faded(soft, bandAlpha)
			}
			return faded(b.s.colour(k.of.Encoding), bandAlpha)
		}
		for first, i := 0, 1; i < len(points); i++ { // one polygon as far as one colour goes: seams would show
			if fill := fillOf(i); i+1 == len(points) || fillOf(i+1) != fill {
				fillBand(c, p, points[first:i+1], fill)
				first = i
			}
		}
		for i := 1; i < len(points); i++ {
			if at := (stretch{points[i-1], points[i]}); users[at] > 1 {
				filled[at] = true
			}
		}
	}
}

// fillBand fills a band without gaps; nothing in no colour.
func fillBand(c draw.Canvas, p *plot.Plot, points []dot, fill color.Color) {
	if fill == nil {
		return
	}
	x, y := p.Transforms(&c)
	outline := make([]vg.Point, 2*len(points))
	for i, d := range points {
		outline[i] = vg.Point{X: x(d.x), Y: y(d.high)}
		outline[len(outline)-1-i] = vg.Point{X: x(d.x), Y: y(d.low)}
	}
	c.FillPolygon(fill, outline)
}
