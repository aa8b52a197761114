package report

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/summary"
)

// insideFigures has a figure of each task for each measure.
func (s *Report) insideFigures() []figure {
	var out []figure
	for _, t := range s.inside {
		for _, f := range runsFigures() {
			out = append(out, f.of(t))
		}
		out = append(out, courseFigure(t), logitsFigure(t), distanceFigure(t))
		for i := range t.Models {
			for length := range t.Lengths {
				out = append(out, mapFigure(t, &t.Models[i], length))
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
func smallPanels(file string, width vg.Length, panels []panel, legend []name) figure {
	return figure{Name: file, width: width, height: panelHeight, panels: panels, across: min(int(pageWidth/width), len(panels)), legend: legend}
}

// distanceFigure has a panel for each model with a line for each head: its mean distance by length.
func distanceFigure(t summary.InsideTask) figure {
	var panels []panel
	top, layers := 0.0, 0
	for _, m := range t.Models {
		places, length := m.Seen(eval.MeasureAttention, eval.TaskTokens)
		if length < 0 || m.OnTheWay || len(t.Lengths) < 2 {
			continue
		}
		p := panel{title: m.Name, trained: m.Trained, y: axis{label: "tokens back", ticks: even(0)},
			x: axis{label: t.Name + " length", low: float64(t.Lengths[0]), high: float64(t.Lengths[len(t.Lengths)-1]), ticks: few(t.Lengths)}}
		add := func(style draw.LineStyle, at []*eval.Observation, distance func(*eval.Observation) float64) {
			var points []point
			for _, o := range at {
				if o != nil {
					points = append(points, point{float64(o.Length), distance(o)})
					top = max(top, distance(o))
				}
			}
			p.marks = append(p.marks, stroke{points, style})
		}
		add(evenStyle(), places[0].At, func(o *eval.Observation) float64 { return o.Control["distance"] })
		for _, place := range places {
			add(layerStyle(place.Layer), place.At, func(o *eval.Observation) float64 { return o.Values["distance"] })
			layers = max(layers, place.Layer+1)
		}
		panels = append(panels, p)
	}
	for i := range panels {
		panels[i].y.high = 1.04 * top
	}
	return smallPanels("heads-"+fileName(t.Name), panelWidth, panels, append(layerLegend(layers), legendLine("even attention", evenStyle())))
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

// mapFigure maps the attention of each head of a model in one sequence: a line for each layer, queries downwards, keys to the
// right.
func mapFigure(t summary.InsideTask, m *summary.InsideModel, length int) figure {
	f := figure{Name: fmt.Sprintf("map-%s-%s-%d", fileName(t.Name), fileName(m.Name), t.Lengths[length]),
		width: mapSide + 2*margin, height: mapSide + 2*margin + titleHeight}
	places, _ := m.Seen(eval.MeasureAttention, eval.TaskTokens)
	layer := -1
	for _, place := range places {
		o := place.At[length]
		if o == nil || len(o.Series) == 0 {
			continue
		}
		f.across = o.Heads
		if o.Layer != layer { // a line of its own
			layer = o.Layer
			f.panels = append(f.panels, make([]panel, f.across)...)
		}
		f.panels[len(f.panels)-f.across+o.Head] = mapPanel(fmt.Sprintf("%d.%d %s", o.Layer, o.Head, place.Roles[length]), o.Series)
	}
	return f
}

// mapShades is how many steps a weight's colour has: the cells of each are one path.
const mapShades = 8

// mapPanel colours cells by the square root of their weights: small weights tell heads apart.
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
