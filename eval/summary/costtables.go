package summary

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/lists"
)

// costTables make tables of the costs in one place, with a line for each length and a column for each series.
type costTables struct {
	task    *Task
	place   Place
	rows    []eval.Row // that were timed
	several bool       // rows of a length that differ in their samples or seeds
}

func newCostTables(t *Task, p Place) costTables {
	c := costTables{task: t, place: p}
	for _, s := range p.Series {
		for _, p := range s.Costs {
			c.rows, c.several = append(c.rows, p.Rows...), c.several || len(p.Rows) > 1
		}
	}
	return c
}

// table has the lengths that were timed, and those that a model could not take.
func (t costTables) table(title string, cell func(costPoint) Cell) Table {
	lengths := slices.DeleteFunc(slices.Clone(t.task.Lengths), func(length task.Span) bool {
		return !slices.ContainsFunc(t.task.Series, func(s Series) bool {
			return t.place.costsOf(t.task, s.Name).Costs.at(length).Length.Max > 0 ||
				slices.ContainsFunc(s.Rows, func(r eval.Row) bool { return r.NA && r.Span() == length })
		})
	})
	return grid(title, "length", lists.Map(lengths, task.Span.Label), namesOf(t.task.Series), func(i, k int) Cell {
		s, length := t.task.Series[k], lengths[i]
		if p := t.place.costsOf(t.task, s.Name).Costs.at(length); p.Length.Max > 0 {
			c := cell(p)
			c.N = len(p.Rows)
			return c
		}
		if slices.ContainsFunc(s.Rows, func(r eval.Row) bool { return r.NA && r.Span() == length }) {
			return Cell{Text: "n/a"}
		}
		return Cell{Text: "–"}
	})
}

// medians is a table of numbers that are medians over samples, written as one cell of which the first is the value.
func (t costTables) medians(title string, numbers func(eval.Row) []float64, write func([]float64) string) Table {
	if t.several {
		title += ", median over seeds"
	}
	if len(t.task.Places) > 1 {
		title += ", " + t.place.Name
	}
	return t.table(title, func(p costPoint) Cell {
		v := p.medians(numbers)
		if len(v) == 0 || write(v) == "–" {
			return Cell{Text: "–"}
		}
		return Cell{Text: write(v), Value: new(single(Number(v[0])))}
	})
}

// byMetric has a table for each kind of cost that was measured.
func (t costTables) byMetric() []Table {
	var out []Table
	for _, m := range append(metrics(), metric{Key: RooflineCost, Label: "Roofline", Unit: "ms"}) {
		known := slices.ContainsFunc(t.place.Series, func(c costSeries) bool {
			return slices.ContainsFunc(c.Costs, func(c costPoint) bool { return c.Values[m.Key].Median.Known() })
		})
		if known {
			out = append(out, t.table(fmt.Sprintf("%s on %s, in %s, %s", strings.ToLower(m.Label), t.task.Name, m.Unit, t.place.Name),
				func(c costPoint) Cell { return shortCell(c.Values[m.Key]) }))
		}
	}
	return out
}

// ofTask are the costs of the models of a task, as they were run.
func (t costTables) ofTask() []Table {
	return append([]Table{t.firstToken(), t.step(), t.throughput(), t.memory()}, t.bus()...)
}

func (t costTables) firstToken() Table {
	percentiles := func(r eval.Row) bool { return r.TimedBatches > 2 } // of one or two batches they are the slowest
	which := "median"
	if slices.ContainsFunc(t.rows, percentiles) {
		which = "p50/p95/p99"
	}
	return t.medians("time to the first token (prefill) in ms: "+which+" over "+t.batches(), func(r eval.Row) []float64 {
		if !percentiles(r) {
			return []float64{r.PrefillMS}
		}
		return []float64{r.PrefillMS, r.PrefillP95MS, r.PrefillP99MS}
	}, slashed)
}

func (t costTables) step() Table {
	return t.medians("one more token of the whole batch in ms: p50/p95/p99 over steps", func(r eval.Row) []float64 {
		if r.DecodeSteps == 0 {
			return nil
		}
		return []float64{r.DecodeP50MS, r.DecodeP95MS, r.DecodeP99MS}
	}, slashed)
}

// throughput counts the tokens of sequences that end early as few as they are; prefill takes its time.
func (t costTables) throughput() Table {
	repeated := func(r eval.Row) bool { return r.SDOf == eval.SDOfRepeats } // batches differ in their prompts
	title := "throughput in tokens/s: all tokens generated over the time of prefill and steps"
	if slices.ContainsFunc(t.rows, repeated) {
		title += ", ± standard deviation over repeats"
	}
	return t.medians(title, func(r eval.Row) []float64 {
		if !repeated(r) {
			return []float64{r.TokensPerSecond, 0}
		}
		return []float64{r.TokensPerSecond, r.TokensPerSecondSD}
	}, plusMinus)
}

func (t costTables) memory() Table {
	out := t.medians("peak memory in MiB (what was expected of a fresh process, at most)", func(r eval.Row) []float64 {
		return []float64{float64(r.PeakMemory >> 20), float64(r.MemoryEstimate >> 20)}
	}, func(v []float64) string {
		switch {
		case v[0] == 0:
			return "–"
		case v[1] == 0:
			return fmt.Sprintf("%.0f", v[0])
		}
		return fmt.Sprintf("%.0f (%.0f)", v[0], v[1])
	})
	if slices.ContainsFunc(t.rows, func(r eval.Row) bool { return r.PeakMemoryOf == eval.PeakOfProcess }) {
		out.Notes = []string{"process peak: this system does not tell the peak of one measurement, so earlier ones count too"}
	}
	return out
}

// bus is the traffic between main memory and a device's; nothing where no row has it.
func (t costTables) bus() []Table {
	if !slices.ContainsFunc(t.rows, func(r eval.Row) bool { return r.DecodeBusBytes > 0 }) {
		return nil
	}
	return []Table{t.medians("KiB of inputs and outputs over the bus for one more token of the whole batch",
		func(r eval.Row) []float64 { return []float64{r.DecodeBusBytes / 1024} }, slashed)}
}

// batches names the sizes of timed batches.
func (t costTables) batches() string {
	sizes := distinct(t.rows, func(r eval.Row) int { return r.TimedBatch })
	if len(sizes) == 0 {
		return "batches of 0"
	}
	return "batches of " + between(sizes[0], sizes[len(sizes)-1])
}

// ofSpeed are the costs of speed without a task.
func (t costTables) ofSpeed() []Table {
	return append([]Table{
		t.firstToken(),
		t.medians("reading alone, in tokens/s, ± standard deviation over repeats",
			func(r eval.Row) []float64 { return []float64{r.PrefillTokensPerSecond, r.PrefillTokensPerSecondSD} }, plusMinus),
		t.step(),
		t.medians("generating alone, in tokens/s of all sequences, ± standard deviation over repeats",
			func(r eval.Row) []float64 { return []float64{r.DecodeTokensPerSecond, r.DecodeTokensPerSecondSD} }, plusMinus),
		t.medians("reading: GFLOP/s, and % of the peak of matrix products"+
			t.peak(func(r eval.Row) float64 { return r.PeakFLOPS }, "GFLOP/s"),
			func(r eval.Row) []float64 { return achieved(r.PrefillFLOPs, r.PrefillMS, r.PeakFLOPS) }, ofPeak),
		t.medians("generating: GB/s that must move at least, and % of the peak of main memory"+
			t.peak(func(r eval.Row) float64 { return r.PeakBandwidth }, "GB/s"),
			func(r eval.Row) []float64 { return achieved(r.DecodeBytes, r.DecodeP50MS, r.PeakBandwidth) }, ofPeak),
		t.medians("% of the roofline, reading/generating (above 100: the processor's caches hold the data)",
			func(r eval.Row) []float64 { return []float64{100 * r.PrefillRoofline, 100 * r.DecodeRoofline} }, rooflines),
		t.memory(),
	}, t.bus()...)
}

// peak writes a known peak.
func (t costTables) peak(value func(eval.Row) float64, unit string) string {
	known := slices.DeleteFunc(distinct(t.rows, value), func(v float64) bool { return v == 0 })
	if len(known) == 0 {
		return " (which was not measured)"
	}
	low, high := significant(known[0]/1e9), significant(known[len(known)-1]/1e9)
	if low == high {
		return fmt.Sprintf(", %s %s here", low, unit)
	}
	return fmt.Sprintf(", %s to %s %s here", low, high, unit)
}

// achieved returns billions per second, and the fraction of a peak per second.
func achieved(amount, ms, peak float64) []float64 {
	if ms <= 0 {
		return []float64{0, 0}
	}
	rate := amount / ms * 1e3
	if peak <= 0 {
		return []float64{rate / 1e9, 0}
	}
	return []float64{rate / 1e9, rate / peak}
}

func ofPeak(v []float64) string {
	if v[0] == 0 {
		return "–" // the work was not counted: the file is another program's
	}
	if v[1] == 0 {
		return significant(v[0])
	}
	return fmt.Sprintf("%s %3.0f%%", significant(v[0]), 100*v[1])
}

func rooflines(v []float64) string {
	if v[0] == 0 && v[1] == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f/%.0f", v[0], v[1])
}

// slashed writes percentiles; zeros are none.
func slashed(v []float64) string {
	if v[0] == 0 {
		return "–"
	}
	return strings.Join(lists.Map(v, significant), "/")
}

func plusMinus(v []float64) string {
	if v[1] > 0 {
		return significant(v[0]) + " ±" + significant(v[1])
	}
	return significant(v[0])
}

func significant(v float64) string { return Number(v).short() }
