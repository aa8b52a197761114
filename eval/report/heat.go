package report

import (
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/nopezoo/zoo/eval/summary"
	"github.com/nopezoo/zoo/internal/lists"
)

// depthFigures are exact match of each series by depth and length.
func depthFigures(t *summary.Task) []figure {
	return drawable(lists.Map(t.Depths, func(d summary.Table) figure {
		measure, _, _ := strings.Cut(d.Title, ": ")
		f := heatFigure("depths-"+fileName(measure), d)
		if drawable([]figure{f}) != nil {
			const room = fontSize + 4
			f.panels[0].x.label, f.panels[0].y.label = "length, tokens", "depth, %"
			f.width, f.height = f.width+room, f.height+room
		}
		return f
	}))
}

// heatFigure has the cells of a table of ratios in colours.
func heatFigure(name string, t summary.Table) figure {
	lines := t.Lines
	if len(lines) < 2 {
		return figure{}
	}
	names := t.Head[1:]
	const wide, high, gap = 54., 20., 0.02 // of a cell, in points, and around its unit square
	var series, tasks []plot.Tick
	p := panel{x: axis{low: -0.5, high: float64(len(names)) - 0.5, named: true}, y: axis{low: 0.5 - float64(len(lines)), high: 0.5, named: true}}
	style := textStyle(ink, draw.XRight, draw.YCenter)
	left, below := vg.Length(0), high*vg.Length(1)
	for j, name := range names {
		series = append(series, plot.Tick{Value: float64(j), Label: name})
		if width := style.Width(name); width > wide {
			p.x.steep, below = true, max(below, width)
		}
	}
	for i, l := range lines {
		y := -float64(i)
		tasks = append(tasks, plot.Tick{Value: y, Label: l[0].Text})
		left = max(left, style.Width(l[0].Text))
		for j, cell := range l[1:] {
			fill, on := paper, soft
			if v := cell.Value.Median; v.Known() {
				fill = heatColour(float64(v))
				on = readable(fill)
			}
			x := float64(j)
			p.marks = append(p.marks, area(fill, rectangle(x-0.5+gap, y-0.5+gap, x+0.5-gap, y+0.5-gap)),
				&plotter.Labels{XYs: plotter.XYs{{X: x, Y: y}}, Labels: []string{cell.Text + cell.Mark},
					TextStyle: []draw.TextStyle{textStyle(on, draw.XCenter, draw.YCenter)}})
		}
	}
	p.x.ticks, p.y.ticks = plot.ConstantTicks(series), plot.ConstantTicks(tasks)
	return figure{Name: name, width: left + wide*vg.Length(len(names)) + 5*margin, height: below + high*vg.Length(len(lines)) + 4*margin, panels: []panel{p}, across: 1}
}

// heatColour is the page's scale on white, 0..1 from light to dark blue.
func heatColour(v float64) color.NRGBA {
	if v < 0.5 {
		return blend(heatLow, heatMid, 2*v)
	}
	return blend(heatMid, heatHigh, 2*v-1)
}

// readable is black or white, the one of greater contrast with a colour: at least 4.58 to 1 (WCAG 2.1).
func readable(fill color.Color) color.NRGBA {
	linear := func(v uint32) float64 { // of sRGB
		x := float64(v) / 0xffff
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	r, g, b, _ := fill.RGBA()
	if 0.2126*linear(r)+0.7152*linear(g)+0.0722*linear(b) > 0.179 {
		return hexColour("000000")
	}
	return paper
}

func blend(a, b color.NRGBA, t float64) color.NRGBA {
	mix := func(x, y uint8) uint8 { return uint8(float64(x) + t*(float64(y)-float64(x)) + 0.5) }
	return color.NRGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 255}
}
