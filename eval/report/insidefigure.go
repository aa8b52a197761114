package report

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/summary"
)

// insideFigures has a figure of each task for each measure.
func (s *Report) insideFigures() []Figure {
	var out []Figure
	for _, t := range s.Inside {
		out = append(out, probeFigure(t), courseFigure(t), causalFigure(t), logitsFigure(t), positionalFigure(t), distanceFigure(t))
		for _, m := range t.Models {
			for i := range t.Lengths {
				out = append(out, mapFigure(t, m, i))
			}
		}
	}
	return drawable(out)
}

// Sizes of small panels; wide ones have room for names at the ends of lines.
const (
	panelWidth  = 2.1 * vg.Inch
	widePanel   = 1.5 * panelWidth
	panelHeight = 1.75 * vg.Inch
	pageWidth   = 3 * panelWidth
)

// smallPanels are panels in lines as wide as a page.
func smallPanels(file string, width vg.Length, panels []panel, legend []name) Figure {
	return Figure{Name: file, width: width, height: panelHeight, panels: panels, across: min(int(pageWidth/width), len(panels)), legend: legend}
}

// distanceFigure has a panel for each model with a line for each head: its mean distance by length.
func distanceFigure(t summary.InsideTask) Figure {
	models := slices.DeleteFunc(t.Ends(), func(m summary.InsideModel) bool {
		return m.Longest(t.Lengths, summary.OnTask) < 0
	})
	if len(models) == 0 || len(t.Lengths) < 2 {
		return Figure{}
	}
	top, layers, seeds := 0.0, 0, map[string]int{}
	for _, m := range models {
		seeds[m.Encoding]++
		for _, h := range m.Heads {
			layers = max(layers, h.Layer+1)
			for _, a := range h.Task {
				if a != nil {
					top = max(top, a.Mean, a.EvenMean)
				}
			}
		}
	}
	panels := summary.Each(models, func(m summary.InsideModel) panel {
		p := distancePanel(t, m)
		p.y.high = 1.04 * top
		if seeds[m.Encoding] > 1 {
			p.title = m.Name
		}
		return p
	})
	return smallPanels("heads-"+fileName(t.Name), panelWidth, panels, append(layerLegend(layers), legendLine("even attention", evenStyle())))
}

func distancePanel(t summary.InsideTask, m summary.InsideModel) panel {
	p := panel{title: m.Encoding, trained: m.Trained, y: axis{label: "tokens back", ticks: even(0)},
		x: axis{label: t.Name + " length", low: float64(t.Lengths[0]), high: float64(t.Lengths[len(t.Lengths)-1]), ticks: few(t.Lengths)}}
	add := func(style draw.LineStyle, h summary.InsideHead, value func(*eval.Attention) float64) {
		var points []point
		for i, length := range t.Lengths {
			if a := h.Task[i]; a != nil {
				points = append(points, point{float64(length), value(a)})
			}
		}
		p.marks = append(p.marks, stroke{points, style})
	}
	for k, h := range m.Heads {
		if k == 0 {
			add(evenStyle(), h, func(a *eval.Attention) float64 { return a.EvenMean })
		}
		add(layerStyle(h.Layer), h, func(a *eval.Attention) float64 { return a.Mean })
	}
	return p
}

// legendLine names the style of a line.
func legendLine(text string, style draw.LineStyle) name {
	return name{text: text, key: stroke{[]point{{-1, 0}, {1, 0}}, style}}
}

// layerLegend names the colours of layers.
func layerLegend(layers int) []name {
	var out []name
	for layer := range layers {
		out = append(out, legendLine(fmt.Sprintf("layer %d", layer), layerStyle(layer)))
	}
	return out
}

func layerStyle(layer int) draw.LineStyle { return draw.LineStyle{Color: lightColour(layer), Width: 1} }

func evenStyle() draw.LineStyle {
	return draw.LineStyle{Color: soft, Width: 0.8, Dashes: evenDashes}
}

// mapSide is how wide the map of a head is.
const mapSide = 1.05 * vg.Inch

// mapFigure has the attention weights of each head of a model in one sequence of a length: a line of
// maps for each layer. Queries run downwards, keys to the right.
func mapFigure(t summary.InsideTask, m summary.InsideModel, length int) Figure {
	f := Figure{Name: fmt.Sprintf("map-%s-%s-%d", fileName(t.Name), fileName(m.Name), t.Lengths[length]),
		width: mapSide + 2*margin, height: mapSide + 2*margin + titleHeight}
	heads := slices.DeleteFunc(slices.Clone(m.Heads), func(h summary.InsideHead) bool {
		return h.Task[length] == nil || len(h.Task[length].Map) == 0
	})
	for _, h := range heads {
		f.across = max(f.across, h.Head+1)
	}
	layer := -1
	for _, h := range heads {
		if h.Layer != layer { // a line of its own
			layer = h.Layer
			f.panels = append(f.panels, make([]panel, f.across)...)
		}
		a := h.Task[length]
		f.panels[len(f.panels)-f.across+h.Head] = mapPanel(fmt.Sprintf("%d.%d %s", h.Layer, h.Head, roleText(a)), a.Map)
	}
	return f
}

// mapShades is how many steps a weight's colour has: the cells of each are one path.
const mapShades = 8

// mapPanel has cells in colours by the square root of their weights: much of what tells heads apart is small.
func mapPanel(title string, weights [][]float64) panel {
	var cells [mapShades + 1][][]point
	n := float64(len(weights))
	for i, row := range weights {
		for j, w := range row {
			if w >= 0.005 {
				shade := int(math.Ceil(mapShades * math.Sqrt(min(w, 1))))
				x, y := float64(j), n-float64(i)
				cells[shade] = append(cells[shade], rectangle(point{x, y - 1}, point{x + 1, y}))
			}
		}
	}
	p := panel{title: title, x: axis{high: n}, y: axis{high: n}}
	for shade, polygons := range cells {
		if len(polygons) > 0 {
			p.marks = append(p.marks, area{polygons, heatColour(float64(shade) / mapShades)})
		}
	}
	frame := rectangle(point{0, 0}, point{n, n})
	p.marks = append(p.marks, stroke{append(frame, frame[0]), draw.LineStyle{Color: soft, Width: 0.5}})
	return p
}
