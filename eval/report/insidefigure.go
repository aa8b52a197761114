package report

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/plotter"
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
			out = append(out, f.drawn(t))
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
	var cells [mapShades + 1][]plotter.XYs
	n := float64(len(weights))
	for i, row := range weights {
		for j, w := range row {
			if w >= 0.005 {
				shade := int(math.Ceil(mapShades * math.Sqrt(min(w, 1))))
				x, y := float64(j), n-float64(i)
				cells[shade] = append(cells[shade], rectangle(x, y-1, x+1, y))
			}
		}
	}
	p := panel{title: title, x: axis{high: n}, y: axis{high: n}}
	for shade, polygons := range cells {
		if len(polygons) > 0 {
			p.marks = append(p.marks, area(heatColour(float64(shade)/mapShades), polygons...))
		}
	}
	frame := rectangle(0, 0, n, n)
	p.marks = append(p.marks, stroke(draw.LineStyle{Color: soft, Width: 0.5}, append(frame, frame[0])...))
	return p
}
