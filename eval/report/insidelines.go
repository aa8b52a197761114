package report

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/summary"
	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/internal/lists"
)

// linePanel is an empty panel for lines over whole numbers; its axis y holds low and high at least.
func linePanel(title, x, y string, low, high float64) panel {
	return panel{title: title, x: axis{label: x, low: math.Inf(1), high: math.Inf(-1), ticks: wholes},
		y: axis{label: y, low: low, high: high, ticks: even(0)}}
}

// fit widens the axes to points.
func (p *panel) fit(points plotter.XYs) {
	if len(points) > 0 {
		left, right, bottom, top := plotter.XYRange(points)
		p.x.low, p.x.high = min(p.x.low, left), max(p.x.high, right)
		p.y.low, p.y.high = min(p.y.low, bottom), max(p.y.high, top)
	}
}

// addDots adds points.
func (p *panel) addDots(style draw.LineStyle, points plotter.XYs) {
	p.fit(points)
	p.marks = append(p.marks, discs(style.Color, 2.2, points...))
}

// addLine adds a line with a name, "" for none. A line of few points has dots.
func (p *panel) addLine(text string, style draw.LineStyle, points plotter.XYs) {
	if len(points) == 0 {
		return
	}
	if p.fit(points); len(points) <= mostMarkers {
		p.addDots(style, points)
	}
	p.marks = append(p.marks, stroke(style, points...))
	if text != "" {
		p.names = append(p.names, name{text: text, end: points[len(points)-1]})
	}
}

// linesFigure has the panels that have marks, with room around their lines, in lines as wide as a page.
func linesFigure(file string, panels []panel, legend []name) figure {
	const across = 2
	panels = slices.DeleteFunc(panels, func(p panel) bool { return !p.marked() })
	height := 1.75 * vg.Inch
	for i, p := range panels {
		const around = 58 // the title, the axis and its label: names stand above these
		height = max(height, around+p.nameGap()*vg.Length(len(p.names)))
		x, y := &panels[i].x, &panels[i].y
		if x.low == x.high {
			x.low, x.high = x.low-0.5, x.high+0.5
		}
		room := 0.04*(y.high-y.low) + 1e-6
		y.low, y.high = y.low-room/2, y.high+room
	}
	return figure{Name: file, width: 6.3 * vg.Inch / across, height: height, panels: panels, across: min(across, len(panels)), legend: legend}
}

// alike gives panels one range of the axis y.
func alike(panels []panel) []panel {
	low, high := math.Inf(1), math.Inf(-1)
	for _, p := range panels {
		low, high = min(low, p.y.low), max(high, p.y.high)
	}
	for i := range panels {
		panels[i].y.low, panels[i].y.high = low, high
	}
	return panels
}

// Styles of lines: plain for measurements, dashed for their comparison.
func plain(k int) draw.LineStyle { return draw.LineStyle{Color: lightColour(k), Width: lineWidth} }

func dashed(k int) draw.LineStyle {
	s := plain(k)
	s.Dashes = dashes(1)
	return s
}

func layerStyle(layer int) draw.LineStyle { return draw.LineStyle{Color: lightColour(layer), Width: 1} }

func evenStyle() draw.LineStyle {
	return draw.LineStyle{Color: soft, Width: 0.8, Dashes: evenDashes}
}

// layerLegend names the colours of layers.
func layerLegend(layers int) []name {
	var out []name
	for layer := range layers {
		out = append(out, name{text: fmt.Sprintf("layer %d", layer), key: stroke(layerStyle(layer))})
	}
	return out
}

// runsFigure has a panel for each training run: numbers of a measure at the greatest trained length, by layer or head.
type runsFigure struct {
	file, x, y string
	high       float64 // of the axis y
	measure    string
	tokens     []string // the first that the run has counts
	shown      func(o *eval.Observation, v float64) float64
	lines      []runsLine
	dots       bool // points that no line joins
}

// runsLine is a number, or its control, of some models.
type runsLine struct {
	text    string
	style   draw.LineStyle
	models  int // trained, untrained or constructed
	number  string
	control bool
}

// Models of a run.
const (
	trained     = iota // at its last step
	untrained          // before training
	constructed        // of the same task
)

// runsFigures are the position in hidden states, queries with the next place, and the share of heads' weights that position explains.
func runsFigures() []runsFigure {
	return []runsFigure{
		{file: "probe", x: "layers before", y: "R² of the position", high: 1, measure: eval.MeasureProbe,
			tokens: []string{eval.RandomTokens, eval.TaskTokens}, shown: shownR2, lines: []runsLine{
				{"trained", plain(0), trained, "r2", false}, {"fitted at several lengths", dashed(0), trained, "r2_mixed", false}, {"before training", dashed(1), untrained, "r2", false},
				{"theorem 1, constructed", dashed(2), constructed, "r2", false}}},
		{file: "causal", x: "layers before", y: "predict the next symbol, %", high: 100, measure: eval.MeasureCausal, tokens: []string{eval.TaskTokens},
			shown: func(o *eval.Observation, v float64) float64 { return 100 * v / max(o.Values["patched_queries"], 1) }, lines: []runsLine{
				{"keys have changed places", plain(0), trained, "swapped_moved", false}, {"control", dashed(0), trained, "swapped_moved", true},
				{"the query has the next place", plain(1), trained, "patched_moved", false}, {"control", dashed(1), trained, "patched_moved", true}}},
		{file: "positional", x: "head, by layer", y: "by position, %", high: 100, measure: eval.MeasureAttention, tokens: []string{eval.RandomTokens},
			shown: func(_ *eval.Observation, v float64) float64 { return 100 * min(max(v, 0), 1) }, dots: true, lines: []runsLine{
				{"trained", plain(0), trained, "positional", false}, {"before training", plain(1), untrained, "positional", false}}},
	}
}

// shownR2 is where the R² of a probe is drawn: it may be any number below 0.
func shownR2(_ *eval.Observation, v float64) float64 { return max(v, -0.5) }

func (f runsFigure) drawn(t summary.InsideTask) figure {
	trainedModels, made := runsOf(t)
	var panels []panel
	for _, run := range trainedModels {
		for _, tokens := range f.tokens {
			_, i := run.Seen(f.measure, tokens)
			if i < 0 {
				continue
			}
			p := linePanel(run.Name, fmt.Sprintf("%s (%s tokens, %d)", f.x, tokens, t.Lengths[i]), f.y, 0, f.high)
			for _, l := range f.lines {
				for _, m := range [][]*summary.InsideModel{{run}, {run.Init}, made}[l.models] {
					points := placePoints(m, f.measure, tokens, i, l, f.shown)
					if f.dots {
						p.addDots(l.style, points)
					} else {
						p.addLine("", l.style, points)
					}
				}
			}
			panels = append(panels, p)
			break
		}
	}
	legend := lists.Map(f.lines, func(l runsLine) name { return name{text: l.text, key: stroke(l.style)} })
	return linesFigure(f.file+"-"+fileName(t.Name), alike(panels), legend)
}

// runsOf are the last steps of training runs, and the constructed models.
func runsOf(t summary.InsideTask) (runs, made []*summary.InsideModel) {
	for i := range t.Models {
		switch m := &t.Models[i]; {
		case m.Course != nil:
			runs = append(runs, m)
		case m.Changed == eval.Constructed:
			made = append(made, m)
		}
	}
	return runs, made
}

// placePoints are a number of each layer or head at a length.
func placePoints(m *summary.InsideModel, measure, tokens string, length int, l runsLine, shown func(*eval.Observation, float64) float64) plotter.XYs {
	var out plotter.XYs
	places, _ := m.Seen(measure, tokens)
	for _, p := range places {
		o := p.At[length]
		if o == nil {
			continue
		}
		numbers := o.Values
		if l.control {
			numbers = o.Control
		}
		if v, there := numbers[l.number]; there {
			out = append(out, plotter.XY{X: float64(o.Layer*max(o.Heads, 1) + o.Head), Y: shown(o, v)})
		}
	}
	return out
}

// courseFigure has the R² of the position after each layer along training, and the share of sequences right: a panel for each
// run and kind of tokens.
func courseFigure(t summary.InsideTask) figure {
	var panels []panel
	var legend []name
	runs, _ := runsOf(t)
	for _, r := range runs {
		for _, tokens := range []string{eval.TaskTokens, eval.RandomTokens} {
			_, i := r.Seen(eval.MeasureProbe, tokens)
			if i < 0 || len(r.Course) < 3 {
				continue
			}
			var right plotter.XYs
			after := map[int]plotter.XYs{} // by layers
			for _, m := range r.Course {
				step := float64(m.Steps)
				for _, p := range placePoints(m, eval.MeasureProbe, tokens, i, runsLine{number: "r2"}, shownR2) {
					after[int(p.X)] = append(after[int(p.X)], plotter.XY{X: step, Y: p.Y})
				}
				if m.Right[i].Known() {
					right = append(right, plotter.XY{X: step, Y: float64(m.Right[i])})
				}
			}
			p := linePanel(fmt.Sprintf("%s, %s tokens", r.Name, tokens), fmt.Sprintf("training step (length %d)", t.Lengths[i]),
				"R² of the position", 0, 1)
			p.addLine("", evenStyle(), right)
			for k := 1; len(after[k]) > 0; k++ { // embeddings have no layer before
				p.addLine("", layerStyle(k-1), after[k])
				if k > len(legend) {
					legend = append(legend, name{text: "after " + human.Plural(k, "layer", "layers"), key: stroke(layerStyle(k - 1))})
				}
			}
			panels = append(panels, p)
		}
	}
	return linesFigure("course-"+fileName(t.Name), panels, append(legend, name{text: "share of sequences right", key: stroke(evenStyle())}))
}

// logitsFigure has the distance term of each head's logits: a panel for each run and for its untrained weights.
func logitsFigure(t summary.InsideTask) figure {
	var panels []panel
	layers := 0
	runs, _ := runsOf(t)
	for _, r := range runs {
		for _, m := range []*summary.InsideModel{r, r.Init} {
			places, i := m.Seen(eval.MeasureLogits, eval.RandomTokens)
			if i < 0 {
				continue
			}
			p := linePanel(m.Name, fmt.Sprintf("tokens back (length %d)", t.Lengths[i]), "f, nats", math.Inf(1), math.Inf(-1))
			for _, place := range places {
				o := place.At[i]
				if o == nil || len(o.Series) == 0 {
					continue
				}
				points := lists.Make(len(o.Series[0]), func(d int) plotter.XY { return plotter.XY{X: float64(d), Y: o.Series[0][d]} })
				p.addLine(fmt.Sprintf("%d.%d R² %.2f", o.Layer, o.Head, o.Values["r2_both"]), layerStyle(o.Layer), points)
				layers = max(layers, o.Layer+1)
			}
			panels = append(panels, p)
		}
	}
	return linesFigure("logits-"+fileName(t.Name), panels, layerLegend(layers))
}

// distanceFigure has a panel for each model with a line for each head: its mean distance by length.
func distanceFigure(t summary.InsideTask) figure {
	var panels []panel
	layers := 0
	for _, m := range t.Models {
		places, length := m.Seen(eval.MeasureAttention, eval.TaskTokens)
		if length < 0 || m.OnTheWay || len(t.Lengths) < 2 {
			continue
		}
		p := linePanel(m.Name, t.Name+" length", "tokens back", 0, 0)
		p.trained = m.Trained
		for k, place := range places {
			var points, control plotter.XYs
			for _, o := range place.At {
				if o != nil {
					points = append(points, plotter.XY{X: float64(o.Length), Y: o.Values["distance"]})
					control = append(control, plotter.XY{X: float64(o.Length), Y: o.Control["distance"]})
				}
			}
			if k == 0 { // the same for all heads
				p.addLine("", evenStyle(), control)
			}
			p.addLine("", layerStyle(place.Layer), points)
			layers = max(layers, place.Layer+1)
		}
		panels = append(panels, p)
	}
	return linesFigure("heads-"+fileName(t.Name), alike(panels), append(layerLegend(layers), name{text: "even attention", key: stroke(evenStyle())}))
}
