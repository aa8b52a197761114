package eval

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// EffectiveAccuracy is the exact match that a length must reach to count as
// handled.
const EffectiveAccuracy = 0.9

// Summary is the headline of one model on one task. Effective lengths are lengths
// that were measured; 0 for none.
type Summary struct {
	Task, Split string
	Model       string // label, as in tables
	Trained     [2]int // shortest and longest length seen in training; 0, 0 if never trained
	Inside      Mean   // exact match at the trained lengths
	Beyond      Mean   // exact match at longer ones
	Effective   int    // see EffectiveLength

	// The effective length's interval: the same for the lower and the upper end of
	// exact match's 95 % interval (Wilson).
	// Few samples leave the lower one at 0: below 35, all right is not sure enough.
	EffectiveLow, EffectiveHigh int
}

// Mean is an unweighted mean over lengths.
type Mean struct {
	Value   float64 // NaN for no lengths
	Lengths int     // measured
	NA      int     // lengths the model could not take; they are no part of Value
}

// Summarize returns one headline for each task and model, in order of first
// appearance; rows of speed alone are passed over. Rows of one model are
// put together by Pool.
func Summarize(rows []Row) []Summary {
	var out []Summary
	for _, g := range groupRows(Only(MeasureAccuracy, rows)) {
		for _, c := range g.columns {
			out = append(out, c.summary(g))
		}
	}
	return out
}

// group is all that was measured on one split of one task.
type group struct {
	task, split string
	version     int
	columns     []*column
	whole       []int // lengths at which nothing is held out
}

// column is one model in a group.
type column struct {
	label     string
	attribute []string
	trained   [2]int
	cells     map[int]Cell // by length
	rows      []Row
}

// attributes tell rows of one model name apart.
var attributes = []func(Row) string{
	func(r Row) string { return r.Encoding },
	func(r Row) string { return r.Profile },
	func(r Row) string { return r.Provider },
	func(r Row) string { return fmt.Sprintf("%d threads", r.Threads) },
	func(r Row) string { return r.Machine },
	func(r Row) string { return fmt.Sprintf("train seed %d", r.TrainSeed) },
	func(r Row) string { return fmt.Sprintf("%d steps", r.TrainSteps) },
	func(r Row) string { return "config " + shortHash(r.ConfigHash) },
	func(r Row) string { return "file " + shortHash(r.ModelSHA256) },
}

func shortHash(h string) string { return h[:min(8, len(h))] }

func groupRows(rows []Row) []*group {
	var groups []*group
	for _, r := range rows {
		g := find(&groups, func(g *group) bool {
			return g.task == r.Task && g.split == r.Split && g.version == r.TaskVersion
		}, func() *group { return &group{task: r.Task, split: r.Split, version: r.TaskVersion} })

		attribute := []string{r.Model}
		for _, a := range attributes {
			attribute = append(attribute, a(r))
		}
		c := find(&g.columns, func(c *column) bool { return slices.Equal(c.attribute, attribute) }, func() *column {
			return &column{attribute: attribute, trained: [2]int{r.TrainMin, r.TrainMax}, cells: map[int]Cell{}}
		})
		c.rows = append(c.rows, r)
		c.cells[r.Length] = Cell{}
		if !r.NA && r.NotHeldOut() && !slices.Contains(g.whole, r.Length) {
			g.whole = append(g.whole, r.Length)
		}
	}
	for _, g := range groups {
		for _, c := range g.columns {
			for length := range c.cells {
				c.cells[length] = Pool(slices.DeleteFunc(slices.Clone(c.rows), func(r Row) bool { return r.Length != length }))
			}
		}
		g.label()
	}
	return groups
}

// find returns the first element that matches, or a new one, appended.
func find[T any](list *[]*T, match func(*T) bool, create func() *T) *T {
	if i := slices.IndexFunc(*list, match); i >= 0 {
		return (*list)[i]
	}
	*list = append(*list, create())
	return (*list)[len(*list)-1]
}

// label names columns by model, and by whatever else differs between columns of
// the same model.
func (g *group) label() {
	for _, c := range g.columns {
		var differs []string
		for i := range c.attribute {
			if slices.ContainsFunc(g.columns, func(o *column) bool { return o.attribute[0] == c.attribute[0] && o.attribute[i] != c.attribute[i] }) {
				differs = append(differs, c.attribute[i])
			}
		}
		c.label = cmp.Or(c.attribute[0], "(no name)")
		if len(differs) > 0 {
			c.label += " (" + strings.Join(differs, ", ") + ")"
		}
	}
}

func (g *group) lengths() []int {
	all := map[int]bool{}
	for _, c := range g.columns {
		for length := range c.cells {
			all[length] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// saw reports whether a length was part of training.
func (c *column) saw(length int) bool { return c.trained[0] <= length && length <= c.trained[1] }

func (c *column) summary(g *group) Summary {
	s := Summary{Task: g.task, Split: g.split, Model: c.label, Trained: c.trained}
	lengths := slices.Sorted(maps.Keys(c.cells))
	for _, length := range lengths {
		at := c.cells[length]
		switch {
		case c.saw(length):
			s.Inside.add(at)
		case length > c.trained[1]:
			s.Beyond.add(at)
		}
	}
	reach := func(of func(Cell) float64) int {
		length, _ := EffectiveLength(lengths, func(length int) (float64, bool) { return of(c.cells[length]), c.cells[length].N > 0 })
		return length
	}
	s.Effective = reach(func(at Cell) float64 { return at.Accuracy })
	s.EffectiveLow = reach(func(at Cell) float64 { return at.Low })
	s.EffectiveHigh = reach(func(at Cell) float64 { return at.High })
	s.Inside.finish()
	s.Beyond.finish()
	return s
}

// EffectiveLength returns the largest of ascending lengths up to which all those
// measured reach EffectiveAccuracy, 0 for none, and next, the one after it, which does
// not; 0 for none: the effective length may be larger. ok is false for a length that
// was not available; it is passed over.
func EffectiveLength(lengths []int, accuracy func(length int) (value float64, ok bool)) (length, next int) {
	for _, n := range lengths {
		value, ok := accuracy(n)
		switch {
		case !ok:
		case !(value >= EffectiveAccuracy):
			return length, n
		default:
			length = n
		}
	}
	return length, 0
}

func (m *Mean) add(at Cell) {
	if at.N == 0 {
		m.NA++
		return
	}
	m.Lengths++
	m.Value += at.Accuracy
}

func (m *Mean) finish() {
	if m.Lengths == 0 {
		m.Value = math.NaN()
		return
	}
	m.Value /= float64(m.Lengths)
}
