package summary

import (
	"math"
	"slices"

	"github.com/nopezoo/zoo/eval/task"
)

// Chart is curves over the length, and where they lie on one another: there they take
// turns, so that all can be seen.
type Chart struct {
	Lines []Line  `json:"lines"`
	Top   float64 `json:"top"` // that the axis holds; a band far above all curves may leave it
	// Bottom is where a logarithmic axis begins; 0 for an even one, which begins at 0.
	Bottom float64 `json:"bottom"`
	Limits []Limit `json:"limits"` // what curves cannot be below, by length; none where nothing is known
	// Strokes are all parts of the curves, Bands those of the intervals around them, which
	// are over runs or times. An interval over the prompts of one run is a bar instead: a
	// thin line, as it says nothing of other runs.
	Strokes []Stretch `json:"strokes"`
	Bands   []Stretch `json:"bands"`
	Bars    []Bar     `json:"bars"`
	// Dotted says that the points' runs are drawn, as there is room for them.
	Dotted bool `json:"dotted"`
}

// Line is one series in a chart.
type Line struct {
	Series int   `json:"series"` // index in Task.Series
	Points []Dot `json:"points"` // by length; only known ones
}

// Dot is a point of a curve.
type Dot struct {
	X      float64   `json:"x"` // the length's, or a bin's middle
	Length task.Span `json:"length"`
	Y      Number    `json:"y"`
	Low    Number    `json:"low"` // unknown for no interval
	High   Number    `json:"high"`
	Over   Over      `json:"over,omitempty"` // what the interval is about
	Runs   []Number  `json:"runs,omitempty"` // of several runs each one's value
	// Users are the curves that have the point in common, as far as an eye can tell; where
	// some of them end only those, so that it is seen.
	Users []int `json:"users"`
}

// Limit is what curves cannot be below at a length: the lowest and the highest limit
// among them.
type Limit struct {
	X      float64   `json:"x"` // the length's
	Length task.Span `json:"length"`
	Low    Number    `json:"low"`
	High   Number    `json:"high"`
}

// Stretch is a part of one curve or of several that have it in common.
type Stretch struct {
	Users []int `json:"users"` // indices of curves; From and To are of the first one
	From  int   `json:"from"`  // index of the first point
	To    int   `json:"to"`    // and of the last
}

// Bar is the interval of a point of one curve, or the same one of several.
type Bar struct {
	Users []int `json:"users"` // indices of curves; Point is of the first one
	Point int   `json:"point"`
}

// mostDotted is how many lengths a chart has whose runs are drawn: more would be a cloud.
const mostDotted = 24

// Points of one length that are no further apart than this look the same, as a share of
// the axis: curves do, and on an axis of octaves curves and markers do. One of 200 answers
// is seen.
const (
	near        = 0.0049
	nearCurves  = 0.0075
	nearMarkers = 0.02
)

// newChart prepares curves over an even axis; top 0 is as high as they go.
func newChart(curves []Line, top float64) Chart {
	c := Chart{Lines: curves, Top: top, Limits: []Limit{}}
	if top == 0 {
		for _, of := range curves {
			for _, d := range of.Points {
				c.Top = max(c.Top, float64(d.Y))
				if d.High.Known() {
					top = max(top, float64(d.High))
				}
			}
		}
		c.Top = max(c.Top, min(top, 1.5*c.Top))
	}
	c.share(func(y float64) float64 { return y / max(c.Top, math.SmallestNonzeroFloat64) }, near, near)
	return c
}

// newOctaves prepares curves over an axis of whole octaves, which holds the limits, too.
// Everything is above 0.
func newOctaves(curves []Line, limits []Limit) Chart {
	c := Chart{Lines: curves, Limits: limits}
	low, high := math.Inf(1), math.Inf(-1) // logarithms
	hold := func(least, most Number) {
		low, high = min(low, math.Log2(float64(least))), max(high, math.Log2(float64(most)))
	}
	for _, of := range curves {
		for _, d := range of.Points {
			hold(d.Y, d.Y)
		}
	}
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

// share finds out where curves and markers lie on one another. height is a share of the
// axis, of which curves and markers have that much to be told apart.
func (c *Chart) share(height func(y float64) float64, curves, markers float64) {
	level := c.levels(height, markers)
	users, ending := map[any][]int{}, map[any][]int{}
	for n, of := range c.Lines {
		for i, d := range of.Points {
			users[level(d)] = append(users[level(d)], n)
			if i == len(of.Points)-1 {
				ending[level(d)] = append(ending[level(d)], n)
			}
		}
	}
	for _, of := range c.Lines {
		for i, d := range of.Points {
			of.Points[i].Users = users[level(d)]
			if ends := ending[level(d)]; len(ends) > 0 {
				of.Points[i].Users = ends
			}
		}
	}
	c.Strokes = stretches(c.Lines, c.levels(height, curves))
	c.Bands = stretches(c.Lines, func(d Dot) any {
		if d.Over == "" || d.Over == OverPrompts {
			return nil
		}
		return band{d.Length, d.Low, d.High}
	})
	c.bars()
	lengths := map[task.Span]bool{}
	for _, of := range c.Lines {
		for _, d := range of.Points {
			lengths[d.Length] = true
		}
	}
	c.Dotted = len(lengths) <= mostDotted
}

// bars finds the intervals over prompts, those that are the same once.
func (c *Chart) bars() {
	c.Bars = []Bar{}
	at := map[band]int{}
	for n, of := range c.Lines {
		for i, d := range of.Points {
			if d.Over != OverPrompts || d.Low == d.High {
				continue
			}
			place := band{d.Length, d.Low, d.High}
			k, ok := at[place]
			if !ok {
				k = len(c.Bars)
				at[place], c.Bars = k, append(c.Bars, Bar{Point: i})
			}
			c.Bars[k].Users = append(c.Bars[k].Users, n)
		}
	}
}

// band is where a curve's interval is, to find those that are the same.
type band struct {
	length    task.Span
	low, high Number
}

// levels tells the points of one length apart that lie more than some share of the axis
// above the lowest of their level.
func (c *Chart) levels(height func(y float64) float64, apart float64) func(Dot) any {
	heights := map[task.Span][]float64{} // by length, ascending
	for _, of := range c.Lines {
		for _, d := range of.Points {
			heights[d.Length] = append(heights[d.Length], height(float64(d.Y)))
		}
	}
	for _, at := range heights {
		slices.Sort(at)
	}
	type level struct {
		length task.Span
		lowest float64
	}
	return func(d Dot) any {
		at := heights[d.Length]
		lowest, own := at[0], height(float64(d.Y))
		for _, h := range at {
			if h <= own && h-lowest > apart {
				lowest = h
			}
		}
		return level{d.Length, lowest}
	}
}

// stretches parts curves where others join or leave them. Points of one place are the
// same; nil is none, which a stretch ends at.
func stretches(curves []Line, place func(Dot) any) []Stretch {
	users := map[[2]any][]int{}
	at := func(d []Dot, i int) [2]any { return [2]any{place(d[i-1]), place(d[i])} }
	known := func(key [2]any) bool { return key[0] != nil && key[1] != nil }
	for n, of := range curves {
		for i := 1; i < len(of.Points); i++ {
			if key := at(of.Points, i); known(key) {
				users[key] = append(users[key], n)
			}
		}
	}
	out := []Stretch{}
	for n, of := range curves {
		open := -1 // the stretch that goes on
		for i := 1; i < len(of.Points); i++ {
			key := at(of.Points, i)
			switch {
			case !known(key) || users[key][0] != n:
				open = -1
			case open >= 0 && slices.Equal(out[open].Users, users[key]):
				out[open].To = i
			default:
				open = len(out)
				out = append(out, Stretch{users[key], i - 1, i})
			}
		}
	}
	return out
}

// add adds a point to a curve if it is known, scaled.
func (l *Line) add(length task.Span, v Spread, scale Number) {
	if !v.Median.Known() {
		return
	}
	d := Dot{X: length.Middle(), Length: length, Y: scale * v.Median, Low: scale * v.Low, High: scale * v.High, Over: v.Over}
	if v.Over == OverRuns {
		d.Runs = Each(v.Runs, func(r Number) Number { return scale * r })
	}
	l.Points = append(l.Points, d)
}

// accuracyChart is a task's curves of a measure in percent.
func (t *Task) accuracyChart(of func(Point) Spread) Chart {
	curves := []Line{}
	for i, s := range t.Series {
		curve := Line{i, []Dot{}}
		for _, p := range s.Points {
			curve.add(p.Length, of(p), 100)
		}
		curves = append(curves, curve)
	}
	return newChart(curves, 100)
}

// curves are a place's, of a cost.
func (p *Place) curves(m Metric) []Line {
	curves := []Line{}
	for _, s := range p.Series {
		curve := Line{Series: s.Series}
		for _, p := range s.Costs {
			curve.add(p.Length, m.Of(p), 1)
		}
		if len(curve.Points) > 0 {
			curves = append(curves, curve)
		}
	}
	return curves
}
