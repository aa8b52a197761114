package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/summary"
)

// insideFigures has a figure of each task for each measure.
func (s *Report) insideFigures() []Figure {
	var out []Figure
	for _, t := range s.Inside {
		out = slices.Concat(out, probeFigure(t), courseFigure(t), causalFigure(t), logitsFigure(t), positionalFigure(t), distanceFigure(t))
		for _, m := range t.Models {
			for i := range t.Lengths {
				out = append(out, mapFigure(t, m, i)...)
			}
		}
	}
	return out
}

// Sizes of the panels of a distance figure.
const (
	panelWidth   = 2.1 * vg.Inch
	panelHeight  = 1.75 * vg.Inch
	panelsAcross = 3
)

// distanceFigure has a panel for each model with a line for each head: its mean distance by length.
func distanceFigure(t summary.InsideTask) []Figure {
	models := slices.DeleteFunc(t.Ends(), func(m summary.InsideModel) bool {
		return m.Longest(t.Lengths, summary.OnTask) < 0
	})
	if len(models) == 0 || len(t.Lengths) < 2 {
		return nil
	}
	top, layers, of := 0.0, 0, map[string]int{}
	for _, m := range models {
		of[m.Encoding]++
		for _, h := range m.Heads {
			layers = max(layers, h.Layer+1)
			for _, a := range h.Task {
				if a != nil {
					top = max(top, a.Mean, a.EvenMean)
				}
			}
		}
	}
	legend := append(layerLegend(layers), legendEntry{"even attention", evenStyle()})
	return []Figure{panels("heads-"+fileName(t.Name), panelWidth, len(models), legend, func(i int, c draw.Canvas) {
		title := models[i].Encoding
		if of[title] > 1 { // several seeds
			title = models[i].Name
		}
		distancePanel(t, models[i], title, top, c)
	})}
}

// panels are n small charts of a width beside and below each other, with one legend above.
func panels(name string, width vg.Length, n int, legend []legendEntry, draws func(i int, c draw.Canvas)) Figure {
	across := min(int(panelsAcross*panelWidth/width), n)
	down := (n + across - 1) / across
	lines := legendLines(legend, width*vg.Length(across)-8)
	top := legendHeight * vg.Length(len(lines))
	return Figure{name, width * vg.Length(across), panelHeight*vg.Length(down) + top, func(c draw.Canvas) {
		for k, line := range lines {
			drawLegend(line, c, vg.Point{X: c.Min.X + 8, Y: c.Max.Y - legendHeight*(vg.Length(k)+0.5)})
		}
		for i := range n {
			x := c.Min.X + width*vg.Length(i%across)
			y := c.Max.Y - top - panelHeight*vg.Length(i/across+1)
			panel := c
			panel.Rectangle = vg.Rectangle{Min: vg.Point{X: x + 3, Y: y + 3}, Max: vg.Point{X: x + width - 6, Y: y + panelHeight - 2}}
			draws(i, panel)
		}
	}}
}

// legendHeight is that of a line of a legend.
const legendHeight = vg.Length(16)

// legendEntry names a line.
type legendEntry struct {
	name  string
	style draw.LineStyle
}

func (e legendEntry) width() vg.Length {
	return 30 + textStyle(ink, draw.XLeft, draw.YCenter).Width(e.name)
}

// legendLines parts entries into lines that are not wider than there is room for.
func legendLines(entries []legendEntry, most vg.Length) [][]legendEntry {
	var out [][]legendEntry
	x := vg.Length(0)
	for _, e := range entries {
		if len(out) == 0 || x+e.width() > most {
			out, x = append(out, nil), 0
		}
		out[len(out)-1], x = append(out[len(out)-1], e), x+e.width()
	}
	return out
}

func drawLegend(entries []legendEntry, c draw.Canvas, at vg.Point) {
	for _, e := range entries {
		c.StrokeLine2(e.style, at.X, at.Y, at.X+14, at.Y)
		c.FillText(textStyle(ink, draw.XLeft, draw.YCenter), vg.Point{X: at.X + 18, Y: at.Y}, e.name)
		at.X += e.width()
	}
}

// layerLegend names the colours of layers.
func layerLegend(layers int) []legendEntry {
	var out []legendEntry
	for layer := range layers {
		out = append(out, legendEntry{fmt.Sprintf("layer %d", layer), layerStyle(layer)})
	}
	return out
}

func layerStyle(layer int) draw.LineStyle {
	return draw.LineStyle{Color: hexColour(colours[layer%len(colours)].light), Width: 1}
}

func evenStyle() draw.LineStyle {
	return draw.LineStyle{Color: soft, Width: 0.8, Dashes: []vg.Length{1.5, 2}}
}

func distancePanel(t summary.InsideTask, m summary.InsideModel, title string, top float64, c draw.Canvas) {
	c.FillText(textStyle(ink, draw.XLeft, draw.YTop), vg.Point{X: c.Min.X + 4, Y: c.Max.Y}, title)
	p := newPlot(t.Name+" length", "tokens back")
	p.X.Tick.Marker, p.Y.Tick.Marker = few{t.Lengths}, even{}
	p.X.Min, p.X.Max = float64(t.Lengths[0]), float64(t.Lengths[len(t.Lengths)-1])
	p.Y.Min, p.Y.Max = 0, 1.04*top
	p.Add(shadeTrained(m.Trained), grid{})
	line := func(style draw.LineStyle, of func(i int) *eval.Attention, value func(*eval.Attention) float64) {
		var points plotter.XYs
		for i, length := range t.Lengths {
			if a := of(i); a != nil {
				points = append(points, plotter.XY{X: float64(length), Y: value(a)})
			}
		}
		if l, err := plotter.NewLine(points); err == nil {
			l.LineStyle = style
			p.Add(l)
		}
	}
	for k, h := range m.Heads {
		of := func(i int) *eval.Attention { return h.Task[i] }
		if k == 0 {
			line(evenStyle(), of, func(a *eval.Attention) float64 { return a.EvenMean })
		}
		line(layerStyle(h.Layer), of, func(a *eval.Attention) float64 { return a.Mean })
	}
	p.Draw(draw.Crop(c, 0, 0, 0, -fontSize-4))
}

// few labels the first and the last of lengths, and the middle one.
type few struct{ lengths []int }

// Ticks implements plot.Ticker.
func (f few) Ticks(float64, float64) []plot.Tick {
	n := len(f.lengths)
	var out []plot.Tick
	for _, i := range slices.Compact([]int{0, n / 2, n - 1}) {
		out = append(out, plot.Tick{Value: float64(f.lengths[i]), Label: strconv.Itoa(f.lengths[i])})
	}
	return out
}

// shadeTrained is trained without its word, for which small panels have no room.
type shadeTrained [2]int

// Plot implements plot.Plotter.
func (t shadeTrained) Plot(c draw.Canvas, p *plot.Plot) {
	low, high := max(float64(t[0]), p.X.Min), min(float64(t[1]), p.X.Max)
	if t[1] == 0 || low >= high {
		return
	}
	x, _ := p.Transforms(&c)
	c.FillPolygon(shade, corners(vg.Rectangle{Min: vg.Point{X: x(low), Y: c.Min.Y}, Max: vg.Point{X: x(high), Y: c.Max.Y}}))
}

// mapSide is how wide the map of a head is.
const mapSide = 1.05 * vg.Inch

// mapFigure has the attention weights of each head of a model in one sequence of a length: a line of
// maps for each layer. Queries run downwards, keys to the right.
func mapFigure(t summary.InsideTask, m summary.InsideModel, length int) []Figure {
	heads := slices.DeleteFunc(slices.Clone(m.Heads), func(h summary.InsideHead) bool {
		return h.Task[length] == nil || len(h.Task[length].Map) == 0
	})
	if len(heads) == 0 {
		return nil
	}
	var layers []int
	across := 0
	for _, h := range heads {
		if !slices.Contains(layers, h.Layer) {
			layers = append(layers, h.Layer)
		}
		across = max(across, h.Head+1)
	}
	const gap, title = 6, fontSize + 5
	name := fmt.Sprintf("map-%s-%s-%d", fileName(t.Name), fileName(m.Name), t.Lengths[length])
	height := (mapSide + gap + title) * vg.Length(len(layers))
	return []Figure{{name, (mapSide+gap)*vg.Length(across) + gap, height, func(c draw.Canvas) {
		for _, h := range heads {
			x := c.Min.X + gap + (mapSide+gap)*vg.Length(h.Head)
			y := c.Max.Y - (mapSide+gap+title)*vg.Length(slices.Index(layers, h.Layer))
			a := h.Task[length]
			c.FillText(textStyle(ink, draw.XLeft, draw.YTop), vg.Point{X: x, Y: y - 2}, fmt.Sprintf("%d.%d %s", h.Layer, h.Head, roleText(a)))
			drawMap(c, a.Map, vg.Rectangle{Min: vg.Point{X: x, Y: y - title - mapSide}, Max: vg.Point{X: x + mapSide, Y: y - title}})
		}
	}}}
}

// mapShades is how many steps a weight's colour has: the cells of each are one path.
const mapShades = 8

// drawMap fills cells by the square root of their weights: much of what tells heads apart is small.
func drawMap(c draw.Canvas, cells [][]float64, in vg.Rectangle) {
	var paths [mapShades + 1]vg.Path
	side := (in.Max.X - in.Min.X) / vg.Length(len(cells))
	for i, row := range cells {
		for j, w := range row {
			step := int(math.Ceil(mapShades * math.Sqrt(min(max(w, 0), 1))))
			if w < 0.005 {
				continue
			}
			x, y := in.Min.X+side*vg.Length(j), in.Max.Y-side*vg.Length(i+1)
			p := &paths[step]
			p.Move(vg.Point{X: x, Y: y})
			p.Line(vg.Point{X: x + side, Y: y})
			p.Line(vg.Point{X: x + side, Y: y + side})
			p.Line(vg.Point{X: x, Y: y + side})
			p.Close()
		}
	}
	for step, p := range paths {
		if len(p) > 0 {
			c.SetColor(heatColour(float64(step) / mapShades))
			c.Fill(p)
		}
	}
	c.StrokeLines(draw.LineStyle{Color: soft, Width: 0.5}, append(corners(in), corners(in)[0]))
}
