package summary

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/internal/lists"
)

// Place is where and how costs were measured. They are comparable within one place alone.
type Place struct {
	Name   string       `json:"name"`
	Series []costSeries `json:"series"` // in the order of the task's
	// Common is the longest trained length where most series have a decode step, else the longest of all; zero for none.
	Common   task.Span `json:"common"`
	UpperRAM bool      `json:"upperRAM"` // some peak memory is the process's, an upper bound
	Tables   []Table   `json:"-"`        // for each kind of cost that was measured

	traits []string // its name in full
}

// costSeries is one series in one place.
type costSeries struct {
	Series int       `json:"series"` // index in Task.Series
	Costs  costs     `json:"points"`
	Common costPoint `json:"-"` // at Place.Common
}

// costs are the measured costs of some rows by length, ascending.
type costs []costPoint

// at returns the costs at a length; a point of no length with unknown costs where nothing was measured.
func (c costs) at(length task.Span) costPoint {
	if i := slices.IndexFunc(c, func(p costPoint) bool { return p.Length == length }); i >= 0 {
		return c[i]
	}
	return newCostPoint(task.Span{}, nil)
}

// costPoint is the cost of one length over all its measurements.
type costPoint struct {
	Length task.Span         `json:"length"`
	Values map[string]Spread `json:"values"` // by the key of the metric
	Rows   []eval.Row        `json:"-"`      // the measurements, all of them timed
}

// Keys of metrics.
const (
	DecodeCost   = "decode"
	TokenCost    = "token"
	RooflineCost = "roofline" // the least time of a token by the machine's peaks (see eval.Peaks.Least)
)

// metric is one kind of cost.
type metric struct {
	Key      string // as in JSON
	Label    string
	Unit     string
	read     func(eval.Row) reading
	headline bool // it stands in headlines
}

// reading is the cost in one row: a value, its standard deviation over the batches, and the value of each repeat.
type reading struct {
	value, sd float64
	known     bool
	repeats   []float64
}

// metrics lists the kinds of cost in the order of the page.
func metrics() []metric {
	decode := func(r eval.Row) reading {
		return reading{r.DecodeP50MS, r.DecodeSDMS, r.DecodeSteps > 0, r.RepeatDecodeMS}
	}
	return []metric{
		{"tokens", "Throughput", "tokens/s", func(r eval.Row) reading {
			return reading{r.TokensPerSecond, r.TokensPerSecondSD, r.TokensPerSecond > 0, r.RepeatRates}
		}, false},
		{DecodeCost, "Decode step, median", "ms", decode, true},
		{"prefill", "Prefill", "ms", func(r eval.Row) reading {
			return reading{r.PrefillMS, r.PrefillSDMS, r.PrefillMS > 0, r.RepeatPrefillMS}
		}, true},
		{"memory", "Peak memory", "MiB", func(r eval.Row) reading {
			return reading{value: float64(r.PeakMemory) / (1 << 20), known: r.PeakMemory > 0}
		}, true},
		// A sequence's share of the batch's step: of speed alone, where no sequence ends early and lengths are tokens.
		{TokenCost, "Time per new token", "ms", func(r eval.Row) reading {
			v, share := decode(r), 1/float64(max(1, r.Batch))
			v.known = v.known && r.Task == "" && v.value > 0 // 0 has no logarithm
			v.value, v.sd, v.repeats = share*v.value, share*v.sd, lists.Map(v.repeats, func(ms float64) float64 { return share * ms })
			return v
		}, false},
	}
}

// placeTraits are the conditions of costs, without model and length. Names of places leave out common ones.
var placeTraits = []func(eval.Row) string{
	func(r eval.Row) string { return cmp.Or(computer(r), "unnamed machine") },
	func(r eval.Row) string { return cmp.Or(r.Provider, "unnamed provider") },
	func(r eval.Row) string { return r.Profile + " profile" },
	func(r eval.Row) string { return fmt.Sprintf("batch %d", r.Batch) },
	func(r eval.Row) string { return threads(r.Threads) },
	func(r eval.Row) string {
		if r.ORTVersion == "" {
			return "no ONNX Runtime"
		}
		return "ONNX Runtime " + r.ORTVersion
	},
	func(r eval.Row) string {
		if r.Spinning {
			return "idle threads spin"
		}
		return "idle threads sleep"
	},
	func(r eval.Row) string { return "read in chunks of " + human.Plural(r.Chunk, "token", "tokens") }, // and new ones: of speed alone
	func(r eval.Row) string { return human.Plural(r.NewTokens, "new token", "new tokens") },
}

// alwaysNamed is the number of traits that every place's name has.
const alwaysNamed = 2

// places groups the costs of a task's series; trained is the longest trained length.
func places(series []Series, trained int) []Place {
	out := []Place{} // a list in JSON, too
	for i, s := range series {
		rows, _ := latest(s.Rows)
		traitsOf := func(r eval.Row) []string {
			return lists.Map(placeTraits, func(trait func(eval.Row) string) string { return trait(r) })
		}
		for _, g := range groupBy(timed(rows), func(r eval.Row) string { return fmt.Sprintf("%q", traitsOf(r)) }) {
			traits := traitsOf(g.rows[0])
			k := slices.IndexFunc(out, func(p Place) bool { return slices.Equal(p.traits, traits) })
			if k < 0 {
				k, out = len(out), append(out, Place{traits: traits})
			}
			p := &out[k]
			p.Series = append(p.Series, costSeries{Series: i, Costs: costsOf(g.rows)})
			for _, r := range g.rows {
				p.UpperRAM = p.UpperRAM || r.PeakMemoryOf == eval.PeakOfProcess
			}
		}
	}
	for i := range out {
		p := &out[i]
		var name []string
		for k, trait := range p.traits {
			if k < alwaysNamed || slices.ContainsFunc(out, func(o Place) bool { return o.traits[k] != trait }) {
				name = append(name, trait)
			}
		}
		p.Name = strings.Join(name, " · ")
		p.Common = p.common(trained)
		p.roofline()
		for k := range p.Series {
			p.Series[k].Common = p.Series[k].Costs.at(p.Common)
		}
	}
	return out
}

// roofline sets the least times per token by the highest peaks that any row of the place found: a busy moment lowers them.
func (p *Place) roofline() {
	var peaks eval.Peaks
	for _, s := range p.Series {
		for _, c := range s.Costs {
			for _, r := range c.Rows {
				peaks.FLOPS, peaks.Bandwidth = max(peaks.FLOPS, r.PeakFLOPS), max(peaks.Bandwidth, r.PeakBandwidth)
			}
		}
	}
	for _, s := range p.Series {
		for _, c := range s.Costs {
			var least []float64
			for _, r := range c.Rows {
				if seconds := peaks.Least(r.DecodeFLOPs, r.DecodeBytes); seconds > 0 {
					least = append(least, 1e3*seconds/float64(max(1, r.Batch)))
				}
			}
			c.Values[RooflineCost] = overTimes(least, nil)
		}
	}
}

func timed(rows []eval.Row) []eval.Row {
	return slices.DeleteFunc(slices.Clone(rows), func(r eval.Row) bool { return !r.Timed() })
}

// costsOf puts the costs of timed rows together by length.
func costsOf(rows []eval.Row) costs {
	byLength := groupBy(timed(rows), func(r eval.Row) task.Span { return r.Span() })
	points := lists.Map(byLength, func(g group[task.Span]) costPoint { return newCostPoint(g.key, g.rows) })
	slices.SortFunc(points, func(a, b costPoint) int { return a.Length.Compare(b.Length) })
	return points
}

// newCostPoint puts the measurements of a length together: the median over seeds, from the least to the largest measurement or
// repeat. A single one without repeats has a standard deviation to either side.
func newCostPoint(length task.Span, rows []eval.Row) costPoint {
	p := costPoint{Length: length, Rows: rows, Values: map[string]Spread{RooflineCost: unknownSpread}}
	for _, m := range metrics() {
		var values, all []float64
		for _, r := range rows {
			v := m.read(r)
			if !v.known {
				continue
			}
			values, all = append(values, v.value), append(all, v.value)
			switch {
			case len(v.repeats) > 1:
				all = append(all, v.repeats...)
			case len(rows) == 1:
				all = append(all, max(0, v.value-v.sd), v.value+v.sd)
			}
		}
		p.Values[m.Key] = overTimes(values, all)
	}
	return p
}

func (p *Place) common(trained int) task.Span {
	steps := map[task.Span]int{}
	for _, s := range p.Series {
		for _, pt := range s.Costs {
			if pt.Values[DecodeCost].Median.Known() {
				steps[pt.Length]++
			}
		}
	}
	var longest, seen task.Span // their steps are none
	for _, length := range slices.SortedFunc(maps.Keys(steps), task.Span.Compare) {
		if steps[length] >= steps[longest] {
			longest = length
		}
		if length.Max <= trained && steps[length] >= steps[seen] {
			seen = length
		}
	}
	return cmp.Or(seen, longest)
}

// baseline is the costs of the study's baseline of the series' size and trained lengths, or of the only one.
func (s *Study) baseline(t *Task, p Place, series int) costPoint {
	suffix := strings.TrimPrefix(t.Series[series].Name, s.Encodings[t.Series[series].Encoding])
	var found costs
	for _, c := range p.Series {
		base, common := t.Series[c.Series], c.Common
		if s.Encodings[base.Encoding] != s.Baseline || common.Length == (task.Span{}) {
			continue
		}
		if base.Name == s.Baseline+suffix {
			return common
		}
		found = append(found, common)
	}
	if len(found) != 1 {
		found = nil
	}
	return found.at(p.Common)
}

// relative is a cost at the place's common length as a multiple of the baseline's; unknown without one.
func (s *Study) relative(t *Task, p Place, c costSeries, m metric) Number {
	return c.Common.Values[m.Key].Median / s.baseline(t, p, c.Series).Values[m.Key].Median
}

// relativeTo is the head of such multiples, or "".
func (s *Study) relativeTo(t *Task, p Place, m metric) string {
	if slices.ContainsFunc(p.Series, func(c costSeries) bool { return s.relative(t, p, c, m).Known() }) {
		return " (×\u00a0" + s.Baseline + ")"
	}
	return ""
}

// costsOf is the costs of a task's series; of no length where it has none here.
func (p Place) costsOf(t *Task, name string) costSeries {
	if i := slices.IndexFunc(p.Series, func(c costSeries) bool { return t.Series[c.Series].Name == name }); i >= 0 {
		return p.Series[i]
	}
	return costSeries{Common: costs(nil).at(task.Span{})}
}

// costCell is a cost of one of a task's series in a headline: "0.412 (1.06×)".
func (s *Study) costCell(t *Task, p Place, name string, m metric) Cell {
	c := p.costsOf(t, name)
	cell := numberCell(c.Common.Values[m.Key].Median, Number.short)
	if times := s.relative(t, p, c, m); times.Known() {
		cell.Text += fmt.Sprintf(" (%.2f×)", float64(times))
	}
	return cell
}

// medians are the medians of some numbers over the measurements that have them, one by one.
func (p costPoint) medians(numbers func(eval.Row) []float64) []float64 {
	var columns [][]float64
	for _, r := range p.Rows {
		for i, v := range numbers(r) {
			if i == len(columns) {
				columns = append(columns, nil)
			}
			columns[i] = append(columns[i], v)
		}
	}
	return lists.Map(columns, func(values []float64) float64 { return float64(median(values)) })
}
