package report

import (
	"math"
	"slices"

	"github.com/nopezoo/zoo/eval/summary"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/lists"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// chart is curves over the length, in figures and, as JSON, on the page. Curves that lie on one another take turns.
type chart struct {
	Lines []curve `json:"lines"`
	Top   float64 `json:"top"` // end of the axis; a band far above all curves may leave it
	// Bottom is the beginning of a logarithmic axis; an even one begins at 0.
	Bottom float64 `json:"bottom"`
	Limits []dot   `json:"limits"` // the lowest and the highest bound of curves, by length; none where unknown
	// Strokes are the parts of curves, Bands the parts of intervals over runs or times, Bars the intervals over one run's
	// prompts.
	Strokes []stretch `json:"strokes"`
	Bands   []stretch `json:"bands"`
	Bars    []stretch `json:"bars"`
	Dotted  bool      `json:"dotted"` // whether there is room for a dot for each run
}

// curve is one series in a chart.
type curve struct {
	Series int   `json:"series"` // index in Task.Series
	Points []dot `json:"points"` // by length; only known ones
}

// dot is a point of a curve.
type dot struct {
	X      float64          `json:"x"` // the length's, or a bin's middle
	Length task.Span        `json:"length"`
	Y      summary.Number   `json:"y"`
	Low    summary.Number   `json:"low"` // unknown for no interval
	High   summary.Number   `json:"high"`
	Over   string           `json:"over,omitempty"` // what the interval is about
	Runs   []summary.Number `json:"runs,omitempty"` // of several runs each one's value
	// Users are the curves that share the point to the eye; of a point where some end, the ending ones alone.
	Users []int `json:"users"`
}

// place is where the point stands.
func (d dot) place() plotter.XY { return plotter.XY{X: d.X, Y: float64(d.Y)} }

// stretch is a part of one curve, or a part that several have in common.
type stretch struct {
	Users []int `json:"users"` // indices of curves; From and To are of the first one
	From  int   `json:"from"`  // index of the first point
	To    int   `json:"to"`    // and of the last
}

// mostDotted is how many lengths a chart has whose runs are drawn: more would be a cloud.
const mostDotted = 24

// Points of one length look the same within this share of the axis; on an axis of octaves curves and markers differ in it.
const (
	near        = 0.0049
	nearCurves  = 0.0075
	nearMarkers = 0.02
)

// each visits all points: curve n, its point i.
func (c *chart) each(visit func(n, i int, d *dot)) {
	for n, curve := range c.Lines {
		for i := range curve.Points {
			visit(n, i, &curve.Points[i])
		}
	}
}

// newChart prepares curves over an even axis; top 0 is as high as they go.
func newChart(curves []curve, top float64) chart {
	c := chart{Lines: curves, Top: top, Limits: []dot{}}
	if top == 0 {
		c.each(func(_, _ int, d *dot) {
			c.Top = max(c.Top, float64(d.Y))
			if d.High.Known() {
				top = max(top, float64(d.High))
			}
		})
		c.Top = max(c.Top, min(top, 1.5*c.Top))
	}
	c.share(func(y float64) float64 { return y / max(c.Top, math.SmallestNonzeroFloat64) }, near, near)
	return c
}

// newOctaves prepares curves over an axis of whole octaves, limits included. Everything is above 0.
func newOctaves(curves []curve, limits []dot) chart {
	c := chart{Lines: curves, Limits: limits}
	low, high := math.Inf(1), math.Inf(-1) // logarithms
	hold := func(least, most summary.Number) {
		low, high = min(low, math.Log2(float64(least))), max(high, math.Log2(float64(most)))
	}
	c.each(func(_, _ int, d *dot) { hold(d.Y, d.Y) })
	for _, l := range limits {
		hold(l.Low, l.High)
	}
	if len(curves) > 0 {
		const end = 1023 // of numbers
		low, high = math.Floor(low), min(math.Ceil(high), end)
		low = min(low, high-1)
		c.Bottom, c.Top = math.Exp2(low), math.Exp2(high)
	}
	c.share(func(y float64) float64 { return (math.Log2(y) - low) / (high - low) }, nearCurves, nearMarkers)
	return c
}

// share finds where curves and markers lie on one another: closer than these shares of the axis, on which height is.
func (c *chart) share(height func(y float64) float64, curves, markers float64) {
	level := c.levels(height, markers)
	users, ending := map[any][]int{}, map[any][]int{}
	c.each(func(n, i int, d *dot) {
		users[level(*d)] = append(users[level(*d)], n)
		if i == len(c.Lines[n].Points)-1 {
			ending[level(*d)] = append(ending[level(*d)], n)
		}
	})
	c.each(func(_, _ int, d *dot) {
		d.Users = users[level(*d)]
		if ends := ending[level(*d)]; len(ends) > 0 {
			d.Users = ends
		}
	})
	c.Strokes = stretches(c.Lines, 1, c.levels(height, curves), func(dot) bool { return true })
	interval := func(d dot) any { return [3]any{d.Length, d.Low, d.High} }
	c.Bands = stretches(c.Lines, 1, interval, func(d dot) bool { return d.Over != "" && d.Over != summary.OverPrompts })
	c.Bars = stretches(c.Lines, 0, interval, func(d dot) bool { return d.Over == summary.OverPrompts && d.Low != d.High })
	c.Dotted = len(c.lengths()) <= mostDotted
}

// levels tells the points of one length apart that lie more than a share of the axis above the lowest of their level.
func (c *chart) levels(height func(y float64) float64, apart float64) func(dot) any {
	heights := map[task.Span][]float64{} // by length, ascending
	c.each(func(_, _ int, d *dot) { heights[d.Length] = append(heights[d.Length], height(float64(d.Y))) })
	for _, all := range heights {
		slices.Sort(all)
	}
	return func(d dot) any {
		all := heights[d.Length]
		lowest, own := all[0], height(float64(d.Y))
		for _, h := range all {
			if h <= own && h-lowest > apart {
				lowest = h
			}
		}
		return [2]any{d.Length, lowest}
	}
}

// stretches cuts the drawn parts of curves where others join or leave them; place tells points apart. step 1 cuts lines, 0
// points.
func stretches(curves []curve, step int, place func(dot) any, drawn func(dot) bool) []stretch {
	users := map[any][]int{}
	each := func(visit func(n, i int, part any)) {
		for n, curve := range curves {
			for i := step; i < len(curve.Points); i++ {
				if from, to := curve.Points[i-step], curve.Points[i]; drawn(from) && drawn(to) {
					visit(n, i, [2]any{place(from), place(to)})
				}
			}
		}
	}
	each(func(n, _ int, part any) { users[part] = append(users[part], n) })
	out := []stretch{}
	each(func(n, i int, part any) {
		if users[part][0] != n {
			return
		}
		if last := len(out) - 1; last >= 0 && out[last].To == i-1 && slices.Equal(out[last].Users, users[part]) {
			out[last].To = i
		} else {
			out = append(out, stretch{users[part], i - step, i})
		}
	})
	return out
}

// lengths lists the lengths of all points, each once.
func (c *chart) lengths() []task.Span {
	var all []task.Span
	c.each(func(_, _ int, d *dot) { all = append(all, d.Length) })
	return task.SortSpans(all)
}

// add adds a point to a curve if it is known, scaled.
func (c *curve) add(length task.Span, v summary.Spread, scale summary.Number) {
	if !v.Median.Known() {
		return
	}
	d := dot{X: length.Middle(), Length: length, Y: scale * v.Median, Low: scale * v.Low, High: scale * v.High, Over: v.Over}
	if v.Over == summary.OverRuns {
		d.Runs = lists.Map(v.Runs, func(r summary.Number) summary.Number { return scale * r })
	}
	c.Points = append(c.Points, d)
}

// curvesOf has a curve for each of n series that has points.
func curvesOf(n int, fill func(c *curve, series int)) []curve {
	curves := []curve{}
	for i := range n {
		c := curve{Series: i}
		if fill(&c, i); len(c.Points) > 0 {
			curves = append(curves, c)
		}
	}
	return curves
}

// accuracyChart has a task's accuracy by a measure, in percent.
func accuracyChart(t *summary.Task, measure string) chart {
	return newChart(curvesOf(len(t.Series), func(c *curve, series int) {
		for _, p := range t.Series[series].Points {
			value := p.Exact
			if measure == summary.Tokens {
				value = p.Token
			}
			c.add(p.Length, value, 100)
		}
	}), 100)
}

// costChart has a cost in a place.
func costChart(p summary.Place, key string) chart {
	curves := curvesOf(len(p.Series), func(c *curve, i int) {
		c.Series = p.Series[i].Series
		for _, p := range p.Series[i].Costs {
			c.add(p.Length, p.Values[key], 1)
		}
	})
	if key == summary.TokenCost {
		return newOctaves(curves, rooflines(p))
	}
	return newChart(curves, 0)
}

// rooflines are the limits of a place's time per token.
func rooflines(p summary.Place) []dot {
	limits := []dot{}
	for _, s := range p.Series {
		for _, c := range s.Costs {
			least := c.Values[summary.RooflineCost].Median
			if least.Known() && c.Values[summary.TokenCost].Median.Known() {
				i, there := slices.BinarySearchFunc(limits, c.Length, func(d dot, length task.Span) int { return d.Length.Compare(length) })
				if !there {
					limits = slices.Insert(limits, i, dot{X: c.Length.Middle(), Length: c.Length, Low: least, High: least})
				}
				limits[i].Low, limits[i].High = min(limits[i].Low, least), max(limits[i].High, least)
			}
		}
	}
	return limits
}

// drawing is the input of the page's script.
type drawing struct {
	Tasks  []taskCharts                  `json:"tasks"`
	Scores map[string][][]summary.Number `json:"scores"` // mean beyond training by task and series
	Dashes [][]vg.Length                 `json:"dashes"` // by variant of an encoding's series, in points
	Limit  []vg.Length                   `json:"limit"`  // dashes of limits
}

// taskCharts are the charts of a task on the page.
type taskCharts struct {
	Accuracy map[string]chart   `json:"accuracy"` // by measure
	Places   []map[string]chart `json:"places"`   // by the key of a cost
}

func (s *Report) drawing() drawing {
	d := drawing{Scores: map[string][][]summary.Number{}, Dashes: dashPatterns, Limit: limitDashes}
	for _, by := range s.measures() {
		d.Scores[by.Measure] = lists.Map(by.Tasks, func(t *summary.Task) []summary.Number {
			return lists.Map(t.Series, func(s summary.Series) summary.Number { return s.Score.Median })
		})
	}
	for _, t := range s.Tasks {
		charts := taskCharts{Accuracy: map[string]chart{}}
		for _, measure := range []string{summary.Exact, summary.Tokens} {
			charts.Accuracy[measure] = accuracyChart(t, measure)
		}
		for i, p := range t.Places {
			charts.Places = append(charts.Places, map[string]chart{})
			for _, m := range s.Metrics {
				charts.Places[i][m.Key] = costChart(p, m.Key)
			}
		}
		d.Tasks = append(d.Tasks, charts)
	}
	return d
}
