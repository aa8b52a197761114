package report

import (
	"slices"
	"strconv"
	"strings"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/summary"
)

// speedTable is what the models of a task cost, as they were run.
type speedTable struct {
	*summary.Task
	pattern string
	heads   []string
	rows    []eval.Row // that were timed
	several bool       // rows of a length that differ in their samples alone
}

func newSpeedTable(task *summary.Task) *speedTable {
	t := &speedTable{Task: task}
	t.pattern, t.heads = headsOf(summary.Each(task.Runs, func(r summary.Run) named { return named{r.Name, r.Model} }))
	for _, run := range task.Runs {
		for _, p := range run.Costs {
			t.rows = append(t.rows, p.Rows...)
			t.several = t.several || len(p.Rows) > 1
		}
	}
	return t
}

// block is one measure, given by numbers that are medians over samples and
// written as one cell.
func (t *speedTable) block(title string, numbers func(eval.Row) []float64, write func([]float64) string) block {
	if t.several {
		title += ", median over seeds"
	}
	b := block{title: title, lines: [][]string{append([]string{"length"}, t.heads...)}}
	for _, length := range t.Lengths {
		line := []string{length.Label()}
		for _, run := range t.Runs {
			cell := "-"
			if p := run.At(length); p.Length.Max > 0 {
				cell = write(p.Medians(numbers))
			} else if slices.ContainsFunc(run.Rows, func(r eval.Row) bool { return r.NA && r.Span() == length }) {
				cell = "n/a"
			}
			line = append(line, cell)
		}
		b.lines = append(b.lines, line)
	}
	return b
}

// speedBlocks are the measures that rows with and without a task have.
func speedBlocks(t *speedTable) []block {
	first := t.block("time to the first token (prefill) in ms: p50/p95/p99 over "+t.batches(),
		func(r eval.Row) []float64 { return []float64{r.PrefillMS, r.PrefillP95MS, r.PrefillP99MS} }, slashed)
	step := t.block("one more token of the whole batch in ms: p50/p95/p99 over steps", func(r eval.Row) []float64 {
		if r.DecodeSteps == 0 {
			return nil
		}
		return []float64{r.DecodeP50MS, r.DecodeP95MS, r.DecodeP99MS}
	}, slashed)
	rate := t.block(summary.Throughput+" in tokens/s: all tokens generated over the time of prefill and steps, "+
		"± standard deviation over "+t.deviates(),
		func(r eval.Row) []float64 { return []float64{r.TokensPerSecond, r.TokensPerSecondSD} }, plusMinus)
	return slices.Concat([]block{first, step, rate, t.memory()}, t.bus())
}

// bus is what moves between main memory and a device's; nothing where no row has it.
func (t *speedTable) bus() []block {
	if !slices.ContainsFunc(t.rows, func(r eval.Row) bool { return r.DecodeBusBytes > 0 }) {
		return nil
	}
	return []block{t.block("KiB of inputs and outputs over the bus for one more token of the whole batch",
		func(r eval.Row) []float64 { return []float64{r.DecodeBusBytes / 1024} }, slashed)}
}

// batches says what was timed.
func (t *speedTable) batches() string {
	if len(t.rows) == 0 {
		return "batches of 0"
	}
	sizes := summary.Each(t.rows, func(r eval.Row) int { return r.TimedBatch })
	return "batches of " + summary.Between(slices.Min(sizes), slices.Max(sizes))
}

// deviates says what the deviation is over.
func (t *speedTable) deviates() string {
	var of []string
	for _, r := range t.rows {
		if r.SDOf != "" && !slices.Contains(of, r.SDOf) {
			of = append(of, r.SDOf)
		}
	}
	if len(of) == 0 {
		return "repeats (there is one)"
	}
	return strings.Join(of, " or ")
}

// memory notes where a peak may be that of earlier work.
func (t *speedTable) memory() block {
	b := t.block("peak memory in MiB",
		func(r eval.Row) []float64 { return []float64{float64(r.PeakMemory >> 20)} },
		func(v []float64) string {
			if v[0] == 0 {
				return "-"
			}
			return strconv.FormatFloat(v[0], 'f', 0, 64)
		})
	if slices.ContainsFunc(t.rows, func(r eval.Row) bool { return r.PeakMemoryOf == eval.PeakOfProcess }) {
		b.notes = []string{"process peak: this system does not tell the peak of one " +
			"measurement, so earlier ones count too"}
	}
	return b
}

// slashed writes percentiles; zeros are none.
func slashed(v []float64) string {
	if len(v) == 0 || v[0] == 0 {
		return "-"
	}
	return strings.Join(summary.Each(v, significant), "/")
}

func plusMinus(v []float64) string {
	text := significant(v[0])
	if v[1] > 0 {
		text += " ±" + significant(v[1])
	}
	return text
}

func significant(v float64) string { return summary.Number(v).Short() }
