package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/summary"
	"github.com/nopezoo/zoo/internal/human"
)

// smallChart is one panel: lines over x.
type smallChart struct {
	title, x, y string
	bottom, top float64
	lines       []smallLine
}

// smallLine joins points, and may have a name at its end.
type smallLine struct {
	points plotter.XYs
	style  draw.LineStyle
	name   string
	loose  bool // points that stand for themselves
}

// draw draws the panel. Names stand right of the ends, and apart.
func (s smallChart) draw(c draw.Canvas) {
	c.FillText(textStyle(ink, draw.XLeft, draw.YTop), vg.Point{X: c.Min.X + 4, Y: c.Max.Y}, s.title)
	p := newPlot(s.x, s.y)
	p.Y.Tick.Marker = even{}
	p.Y.Min, p.Y.Max = s.bottom, s.top
	p.X.Min, p.X.Max = math.Inf(1), math.Inf(-1)
	p.Add(grid{})
	widest := vg.Length(0)
	names := textStyle(ink, draw.XLeft, draw.YCenter)
	names.Font.Size -= 2
	for _, l := range s.lines {
		drawn, err := plotter.NewLine(l.points)
		if err != nil {
			continue // no points
		}
		for _, at := range l.points {
			p.X.Min, p.X.Max = min(p.X.Min, at.X), max(p.X.Max, at.X)
		}
		drawn.LineStyle = l.style
		if !l.loose {
			p.Add(drawn)
		}
		p.Add(dotsOf{l})
		widest = max(widest, names.Width(l.name))
	}
	if p.X.Max <= p.X.Min {
		p.X.Min, p.X.Max = p.X.Min-0.5, p.X.Min+0.5
	}
	p.X.Tick.Marker = wholes{}
	inner := draw.Crop(c, 0, -widest-4, 0, -fontSize-4)
	p.Draw(inner)
	data := p.DataCanvas(inner)
	_, y := p.Transforms(&data)
	at := make([]vg.Length, 0, len(s.lines))
	order := byEnd(s.lines)
	for _, l := range order {
		at = append(at, y(l.points[len(l.points)-1].Y))
	}
	spread(at, names.Font.Size+1, data.Min.Y, data.Max.Y)
	for k, l := range order {
		c.FillText(names, vg.Point{X: data.Max.X + 4, Y: at[k]}, l.name)
	}
}

// byEnd are the lines with names, from the lowest end to the highest.
func byEnd(lines []smallLine) []smallLine {
	named := slices.DeleteFunc(slices.Clone(lines), func(l smallLine) bool { return l.name == "" || len(l.points) == 0 })
	slices.SortStableFunc(named, func(a, b smallLine) int {
		return cmp.Compare(a.points[len(a.points)-1].Y, b.points[len(b.points)-1].Y)
	})
	return named
}

// dotsOf marks each point of a line: of a single one there is nothing else.
type dotsOf struct{ line smallLine }

// Plot implements plot.Plotter.
func (d dotsOf) Plot(c draw.Canvas, p *plot.Plot) {
	const most = 24
	if len(d.line.points) > most && !d.line.loose {
		return
	}
	x, y := p.Transforms(&c)
	for _, at := range d.line.points {
		star(16, 1, 1, 0).fill(&c, vg.Point{X: x(at.X), Y: y(at.Y)}, 1.8, d.line.style.Color, d.line.style.Color)
	}
}

// wholes has ticks at whole numbers alone, seven at most.
type wholes struct{}

// Ticks implements plot.Ticker.
func (wholes) Ticks(low, high float64) []plot.Tick {
	if high-low >= 5 {
		return even{}.Ticks(low, high)
	}
	var out []plot.Tick
	for at := math.Ceil(low); at <= high; at++ {
		out = append(out, plot.Tick{Value: at, Label: strconv.Itoa(int(at))})
	}
	return out
}

// widePanel has room for names at the ends of lines: two stand beside each other.
const widePanel = 1.5 * panelWidth

// chartsFigure is a figure of small charts, none for no charts.
func chartsFigure(name string, charts []smallChart, legend []legendEntry) []Figure {
	if len(charts) == 0 {
		return nil
	}
	return []Figure{panels(name, widePanel, len(charts), legend, func(i int, c draw.Canvas) { charts[i].draw(c) })}
}

// Styles of lines: of a trained model, of its untrained weights, of a constructed model.
func plain(k int) draw.LineStyle {
	return draw.LineStyle{Color: hexColour(colours[k%len(colours)].light), Width: lineWidth}
}

func dashed(k int) draw.LineStyle {
	s := plain(k)
	s.Dashes = dashes(1)
	return s
}

// probeFigure has R² of the position in hidden states by layer, a panel for each run: trained, before training and
// constructed, on random tokens where there are any.
func probeFigure(t summary.InsideTask) []Figure {
	var charts []smallChart
	low := 0.0
	for _, r := range t.Runs() {
		tokens := eval.RandomTokens
		i := r.Model.ProbesWithin(t.Lengths, tokens)
		if i < 0 {
			tokens = eval.TaskTokens
			i = r.Model.ProbesWithin(t.Lengths, tokens)
		}
		if i < 0 {
			continue
		}
		chart := smallChart{title: r.Model.Name, x: fmt.Sprintf("layers before (%s tokens, %d)", tokens, t.Lengths[i]), y: "R² of the position"}
		add := func(m *summary.InsideModel, tokens string, style draw.LineStyle) {
			var points plotter.XYs
			for _, p := range m.Probes {
				if p.Tokens == tokens && p.At[i] != nil {
					points = append(points, plotter.XY{X: float64(p.Layers), Y: max(p.At[i].R2, leastR2)})
					low = min(low, points[len(points)-1].Y)
				}
			}
			chart.lines = append(chart.lines, smallLine{points: points, style: style})
		}
		add(r.Model, tokens, plain(0))
		if r.Init != nil {
			add(r.Init, tokens, dashed(1))
		}
		for k := range t.Models {
			if t.Models[k].Changed == eval.Constructed {
				add(&t.Models[k], eval.RandomTokens, dashed(2))
			}
		}
		charts = append(charts, chart)
	}
	for i := range charts {
		charts[i].bottom, charts[i].top = low-0.02, 1.04
	}
	return chartsFigure("probe-"+fileName(t.Name), charts, []legendEntry{{"trained", plain(0)}, {"before training", dashed(1)},
		{"theorem 1, constructed", dashed(2)}})
}

// courseFigure has R² of the position in hidden states along training, after each layer, and the share of the
// sequences that are right: a panel for each run that was looked into on the way and each kind of tokens.
func courseFigure(t summary.InsideTask) []Figure {
	var charts []smallChart
	layers := 0
	for _, r := range t.Runs() {
		for _, tokens := range []string{eval.TaskTokens, eval.RandomTokens} {
			i := r.Model.ProbesWithin(t.Lengths, tokens)
			if i < 0 || len(r.Course) < 3 {
				continue
			}
			lines := map[int]*smallLine{}
			right := smallLine{style: evenStyle()}
			for _, m := range r.Course {
				for _, p := range m.Probes {
					if p.Tokens != tokens || p.At[i] == nil || p.Layers == 0 {
						continue
					}
					if lines[p.Layers] == nil {
						lines[p.Layers] = &smallLine{style: layerStyle(p.Layers - 1)}
					}
					lines[p.Layers].points = append(lines[p.Layers].points, plotter.XY{X: float64(m.Steps), Y: max(p.At[i].R2, leastR2)})
				}
				if m.Right[i].Known() {
					right.points = append(right.points, plotter.XY{X: float64(m.Steps), Y: float64(m.Right[i])})
				}
			}
			chart := smallChart{title: fmt.Sprintf("%s, %s tokens", r.Model.Name, tokens), x: fmt.Sprintf("training step (length %d)", t.Lengths[i]),
				y: "R² of the position", bottom: -0.02, top: 1.04, lines: []smallLine{right}}
			for _, k := range slices.Sorted(maps.Keys(lines)) {
				chart.lines = append(chart.lines, *lines[k])
				layers = max(layers, k)
				for _, at := range lines[k].points {
					chart.bottom = min(chart.bottom, at.Y-0.02)
				}
			}
			charts = append(charts, chart)
		}
	}
	var legend []legendEntry
	for k := range layers {
		legend = append(legend, legendEntry{"after " + human.Plural(k+1, "layer", "layers"), layerStyle(k)})
	}
	return chartsFigure("course-"+fileName(t.Name), charts, append(legend, legendEntry{"share of sequences right", evenStyle()}))
}

// leastR2 is where a worse R² is drawn: it may be any number below 0.
const leastR2 = -0.5

// logitsFigure has the term of distance of each head's logits, a panel for each run and its untrained weights; the
// names of heads have their R² of both terms behind them.
func logitsFigure(t summary.InsideTask) []Figure {
	var charts []smallChart
	layers := 0
	for _, r := range t.Runs() {
		for _, m := range []*summary.InsideModel{r.Model, r.Init} {
			if m == nil || m.LogitsWithin(t.Lengths) < 0 {
				continue
			}
			i := m.LogitsWithin(t.Lengths)
			chart := smallChart{title: m.Name, x: fmt.Sprintf("tokens back (length %d)", t.Lengths[i]), y: "f, nats",
				bottom: math.Inf(1), top: math.Inf(-1)}
			for _, l := range m.Logits {
				at := l.At[i]
				if at == nil || len(at.Shape) == 0 {
					continue
				}
				line := smallLine{style: layerStyle(l.Layer), name: fmt.Sprintf("%d.%d R² %.2f", l.Layer, l.Head, at.Both)}
				for d, f := range at.Shape {
					line.points = append(line.points, plotter.XY{X: float64(d), Y: f})
					chart.bottom, chart.top = min(chart.bottom, f), max(chart.top, f)
				}
				chart.lines = append(chart.lines, line)
				layers = max(layers, l.Layer+1)
			}
			if len(chart.lines) == 0 {
				continue
			}
			margin := 0.04*(chart.top-chart.bottom) + 1e-6
			chart.bottom, chart.top = chart.bottom-margin, chart.top+margin
			charts = append(charts, chart)
		}
	}
	return chartsFigure("logits-"+fileName(t.Name), charts, layerLegend(layers))
}

// causalFigure has the share of the answers' tokens that are right by layer, a panel for each run: before, and when
// hidden states lose the position, beside random directions.
func causalFigure(t summary.InsideTask) []Figure {
	lines := []struct {
		legendEntry
		of func(*eval.Causal) eval.CausalScore
	}{
		{legendEntry{"before", plain(6)}, func(c *eval.Causal) eval.CausalScore { return c.Before }},
		{legendEntry{"ablated", plain(0)}, func(c *eval.Causal) eval.CausalScore { return c.Ablated }},
		{legendEntry{"as far at random", dashed(0)}, func(c *eval.Causal) eval.CausalScore { return c.AblatedControl }},
		{legendEntry{"patched", plain(1)}, func(c *eval.Causal) eval.CausalScore { return c.Patched }},
		{legendEntry{"as far at random", dashed(1)}, func(c *eval.Causal) eval.CausalScore { return c.PatchedControl }},
	}
	var charts []smallChart
	for _, r := range t.Runs() {
		i := r.Model.CausalWithin(t.Lengths)
		if i < 0 {
			continue
		}
		chart := smallChart{title: r.Model.Name, x: fmt.Sprintf("layers before (length %d)", t.Lengths[i]), y: "tokens right, %", bottom: -2, top: 104}
		for _, l := range lines {
			line := smallLine{style: l.style}
			for _, c := range r.Model.Causal {
				if c.At[i] != nil {
					line.points = append(line.points, plotter.XY{X: float64(c.Layers), Y: 100 * l.of(c.At[i]).Share()})
				}
			}
			chart.lines = append(chart.lines, line)
		}
		charts = append(charts, chart)
	}
	var legend []legendEntry
	for _, l := range lines {
		legend = append(legend, l.legendEntry)
	}
	return chartsFigure("causal-"+fileName(t.Name), charts, legend)
}

// positionalFigure has the share of each head's weights that position explains, a panel for each run: trained, and
// before training.
func positionalFigure(t summary.InsideTask) []Figure {
	var charts []smallChart
	for _, r := range t.Runs() {
		i := r.Model.Longest(t.Lengths, summary.OnRandom)
		if i < 0 {
			continue
		}
		chart := smallChart{title: r.Model.Name, x: fmt.Sprintf("head, by layer (random tokens, %d)", t.Lengths[i]), y: "by position, %",
			bottom: -2, top: 104}
		for k, m := range []*summary.InsideModel{r.Model, r.Init} {
			if m == nil {
				continue
			}
			line := smallLine{style: plain(k), loose: true}
			for _, h := range m.Heads {
				if a := h.Random[i]; a != nil && a.Positional != nil {
					line.points = append(line.points, plotter.XY{X: float64(h.Layer*a.Heads + h.Head), Y: 100 * min(max(*a.Positional, 0), 1)})
				}
			}
			chart.lines = append(chart.lines, line)
		}
		if len(chart.lines[0].points) > 0 {
			charts = append(charts, chart)
		}
	}
	return chartsFigure("positional-"+fileName(t.Name), charts, []legendEntry{{"trained", plain(0)}, {"before training", plain(1)}})
}
