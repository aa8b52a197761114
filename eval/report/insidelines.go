package report

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/vg/draw"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/summary"
	"github.com/nopezoo/zoo/internal/human"
)

// linePanel is an empty panel for lines over whole numbers; its axis y holds low and high at least.
func linePanel(title, x, y string, low, high float64) panel {
	return panel{title: title, x: axis{label: x, low: math.Inf(1), high: math.Inf(-1), ticks: wholes},
		y: axis{label: y, low: low, high: high, ticks: even(0)}, aside: true}
}

// addDots adds points, and fits the axes to them.
func (p *panel) addDots(style draw.LineStyle, points []point) {
	for _, d := range points {
		p.x.low, p.x.high = min(p.x.low, d.x), max(p.x.high, d.x)
		p.y.low, p.y.high = min(p.y.low, d.y), max(p.y.high, d.y)
		p.marks = append(p.marks, symbol{at: d, radius: 1.8, fill: style.Color, edge: style.Color})
	}
}

// addLine adds a line with a name, "" for none. A line of few points has dots: of a single point there is nothing else.
func (p *panel) addLine(text string, style draw.LineStyle, points []point) {
	if len(points) == 0 {
		return
	}
	before := len(p.marks)
	p.addDots(style, points)
	if len(points) > mostMarkers {
		p.marks = p.marks[:before]
	}
	p.marks = append(p.marks, stroke{points, style})
	if text != "" {
		p.names = append(p.names, name{text: text, at: points[len(points)-1]})
	}
}

// linesFigure has panels with room around their lines; those without marks are left out.
func linesFigure(file string, panels []panel, legend []name) Figure {
	var drawn []panel
	for _, p := range panels {
		if len(p.marks) == 0 {
			continue
		}
		if p.x.low == p.x.high {
			p.x.low, p.x.high = p.x.low-0.5, p.x.high+0.5
		}
		room := 0.04*(p.y.high-p.y.low) + 1e-6
		p.y.low, p.y.high = p.y.low-room/2, p.y.high+room
		drawn = append(drawn, p)
	}
	return smallPanels(file, widePanel, drawn, legend)
}

// Styles of lines: plain for what is measured, dashed for what it is compared with.
func plain(k int) draw.LineStyle { return draw.LineStyle{Color: lightColour(k), Width: lineWidth} }

func dashed(k int) draw.LineStyle {
	s := plain(k)
	s.Dashes = dashes(1)
	return s
}

// probeFigure has R² of the position in hidden states by layer, a panel for each run: trained, before training and
// constructed, on random tokens where there are any.
func probeFigure(t summary.InsideTask) Figure {
	var panels []panel
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
		p := linePanel(r.Model.Name, fmt.Sprintf("layers before (%s tokens, %d)", tokens, t.Lengths[i]), "R² of the position", 0, 1)
		add := func(m *summary.InsideModel, tokens string, style draw.LineStyle) {
			var points []point
			for _, at := range m.Probes {
				if at.Tokens == tokens && at.At[i] != nil {
					points = append(points, point{float64(at.Layers), max(at.At[i].R2, leastR2)})
				}
			}
			p.addLine("", style, points)
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
		low = min(low, p.y.low)
		panels = append(panels, p)
	}
	for i := range panels {
		panels[i].y.low = low
	}
	return linesFigure("probe-"+fileName(t.Name), panels, []name{legendLine("trained", plain(0)), legendLine("before training", dashed(1)),
		legendLine("theorem 1, constructed", dashed(2))})
}

// courseFigure has R² of the position in hidden states along training, after each layer, and the share of the
// sequences that are right: a panel for each run that was looked into on the way and each kind of tokens.
func courseFigure(t summary.InsideTask) Figure {
	var panels []panel
	layers := 0
	for _, r := range t.Runs() {
		for _, tokens := range []string{eval.TaskTokens, eval.RandomTokens} {
			i := r.Model.ProbesWithin(t.Lengths, tokens)
			if i < 0 || len(r.Course) < 3 {
				continue
			}
			var right []point
			var after [][]point // by layers
			for _, m := range r.Course {
				step := float64(m.Steps)
				for _, p := range m.Probes {
					if p.Tokens != tokens || p.At[i] == nil || p.Layers == 0 {
						continue
					}
					for len(after) < p.Layers {
						after = append(after, nil)
					}
					after[p.Layers-1] = append(after[p.Layers-1], point{step, max(p.At[i].R2, leastR2)})
				}
				if m.Right[i].Known() {
					right = append(right, point{step, float64(m.Right[i])})
				}
			}
			p := linePanel(fmt.Sprintf("%s, %s tokens", r.Model.Name, tokens), fmt.Sprintf("training step (length %d)", t.Lengths[i]),
				"R² of the position", 0, 1)
			p.addLine("", evenStyle(), right)
			for layer, points := range after {
				p.addLine("", layerStyle(layer), points)
			}
			layers = max(layers, len(after))
			panels = append(panels, p)
		}
	}
	var legend []name
	for k := range layers {
		legend = append(legend, legendLine("after "+human.Plural(k+1, "layer", "layers"), layerStyle(k)))
	}
	return linesFigure("course-"+fileName(t.Name), panels, append(legend, legendLine("share of sequences right", evenStyle())))
}

// leastR2 is where a worse R² is drawn: it may be any number below 0.
const leastR2 = -0.5

// logitsFigure has the term of distance of each head's logits, a panel for each run and its untrained weights; the
// names of heads have their R² of both terms behind them.
func logitsFigure(t summary.InsideTask) Figure {
	var panels []panel
	layers := 0
	for _, r := range t.Runs() {
		for _, m := range []*summary.InsideModel{r.Model, r.Init} {
			if m == nil || m.LogitsWithin(t.Lengths) < 0 {
				continue
			}
			i := m.LogitsWithin(t.Lengths)
			p := linePanel(m.Name, fmt.Sprintf("tokens back (length %d)", t.Lengths[i]), "f, nats", math.Inf(1), math.Inf(-1))
			for _, l := range m.Logits {
				at := l.At[i]
				if at == nil || len(at.Shape) == 0 {
					continue
				}
				var points []point
				for d, f := range at.Shape {
					points = append(points, point{float64(d), f})
				}
				p.addLine(fmt.Sprintf("%d.%d R² %.2f", l.Layer, l.Head, at.Both), layerStyle(l.Layer), points)
				layers = max(layers, l.Layer+1)
			}
			panels = append(panels, p)
		}
	}
	return linesFigure("logits-"+fileName(t.Name), panels, layerLegend(layers))
}

// causalFigure has the share of the answers' tokens that are right by layer, a panel for each run: before, and when
// hidden states lose the position, with random directions to compare.
func causalFigure(t summary.InsideTask) Figure {
	lines := []struct {
		text  string
		style draw.LineStyle
		of    func(*eval.Causal) eval.CausalScore
	}{
		{"before", plain(6), func(c *eval.Causal) eval.CausalScore { return c.Before }},
		{"ablated", plain(0), func(c *eval.Causal) eval.CausalScore { return c.Ablated }},
		{"as far at random", dashed(0), func(c *eval.Causal) eval.CausalScore { return c.AblatedControl }},
		{"patched", plain(1), func(c *eval.Causal) eval.CausalScore { return c.Patched }},
		{"as far at random", dashed(1), func(c *eval.Causal) eval.CausalScore { return c.PatchedControl }},
	}
	var panels []panel
	for _, r := range t.Runs() {
		i := r.Model.CausalWithin(t.Lengths)
		if i < 0 {
			continue
		}
		p := linePanel(r.Model.Name, fmt.Sprintf("layers before (length %d)", t.Lengths[i]), "tokens right, %", 0, 100)
		for _, l := range lines {
			var points []point
			for _, c := range r.Model.Causal {
				if c.At[i] != nil {
					points = append(points, point{float64(c.Layers), 100 * l.of(c.At[i]).Share()})
				}
			}
			p.addLine("", l.style, points)
		}
		panels = append(panels, p)
	}
	var legend []name
	for _, l := range lines {
		legend = append(legend, legendLine(l.text, l.style))
	}
	return linesFigure("causal-"+fileName(t.Name), panels, legend)
}

// positionalFigure has the share of each head's weights that position explains, a panel for each run: trained, and
// before training.
func positionalFigure(t summary.InsideTask) Figure {
	var panels []panel
	for _, r := range t.Runs() {
		i := r.Model.Longest(t.Lengths, summary.OnRandom)
		if i < 0 {
			continue
		}
		p := linePanel(r.Model.Name, fmt.Sprintf("head, by layer (random tokens, %d)", t.Lengths[i]), "by position, %", 0, 100)
		for k, m := range []*summary.InsideModel{r.Model, r.Init} {
			if m == nil || k > 0 && len(p.marks) == 0 {
				continue
			}
			var points []point
			for _, h := range m.Heads {
				if a := h.Random[i]; a != nil && a.Positional != nil {
					points = append(points, point{float64(h.Layer*a.Heads + h.Head), 100 * min(max(*a.Positional, 0), 1)})
				}
			}
			p.addDots(plain(k), points)
		}
		panels = append(panels, p)
	}
	return linesFigure("positional-"+fileName(t.Name), panels, []name{legendLine("trained", plain(0)), legendLine("before training", plain(1))})
}
