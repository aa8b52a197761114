package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/summary"
)

// speedSection shows the rows that have no task.
func speedSection(task *summary.Task) Section {
	t := newSpeedTable(task)
	blocks := speedBlocks(t)
	first, step, memory := blocks[0], blocks[1], blocks[3]
	first.title = strings.Replace(first.title, " over batches", ", batches", 1)
	for i, run := range t.Runs {
		first.notes = append(first.notes, causes(t.heads[i], run.Rows)...)
	}
	flops := t.peak(func(r eval.Row) float64 { return r.PeakFLOPS }, "GFLOP/s")
	bandwidth := t.peak(func(r eval.Row) float64 { return r.PeakBandwidth }, "GB/s")
	title := fmt.Sprintf("speed, without a task: length is the tokens read, then each sequence gets %s more%s",
		newTokens(t.rows), modelsText(t.pattern))
	return Section{title: title, blocks: slices.Concat([]block{
		first,
		t.block("reading alone, in tokens/s, ± standard deviation over repeats",
			func(r eval.Row) []float64 { return []float64{r.PrefillTokensPerSecond, r.PrefillTokensPerSecondSD} },
			plusMinus),
		step,
		t.block("generating alone, in tokens/s of all sequences, ± standard deviation over repeats",
			func(r eval.Row) []float64 { return []float64{r.DecodeTokensPerSecond, r.DecodeTokensPerSecondSD} },
			plusMinus),
		t.block("reading: GFLOP/s, and % of the peak of matrix products"+flops,
			func(r eval.Row) []float64 { return achieved(r.PrefillFLOPs, r.PrefillMS, r.PeakFLOPS) }, ofPeak),
		t.block("generating: GB/s that must move at least, and % of the peak of main memory"+bandwidth,
			func(r eval.Row) []float64 { return achieved(r.DecodeBytes, r.DecodeP50MS, r.PeakBandwidth) }, ofPeak),
		t.block("% of the roofline, reading/generating (above 100: the processor's caches hold the data)",
			func(r eval.Row) []float64 { return []float64{r.PrefillRoofline, r.DecodeRoofline} }, rooflines),
		t.estimates(memory),
	}, t.bus())}
}

// newTokens says how many tokens are generated.
func newTokens(rows []eval.Row) string {
	var all []int
	for _, r := range rows {
		if !slices.Contains(all, r.NewTokens) {
			all = append(all, r.NewTokens)
		}
	}
	return cmp.Or(strings.Trim(fmt.Sprint(all), "[]"), "some")
}

// peak says what a peak is, if it is known and the same for all.
func (t *speedTable) peak(of func(eval.Row) float64, unit string) string {
	known := slices.DeleteFunc(summary.Each(t.rows, of), func(v float64) bool { return v == 0 })
	if len(known) == 0 {
		return " (which was not measured)"
	}
	low, high := significant(slices.Min(known)/1e9), significant(slices.Max(known)/1e9)
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
		return "-" // the work was not counted: the file is another program's
	}
	if v[1] == 0 {
		return significant(v[0])
	}
	return fmt.Sprintf("%s %3.0f%%", significant(v[0]), 100*v[1])
}

func rooflines(v []float64) string {
	if v[0] == 0 && v[1] == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f/%.0f", 100*v[0], 100*v[1])
}

// estimates adds to peak memory what was expected.
func (t *speedTable) estimates(memory block) block {
	b := t.block("peak memory in MiB (what was expected of a fresh process, at most)", func(r eval.Row) []float64 {
		return []float64{float64(r.PeakMemory >> 20), float64(r.MemoryEstimate >> 20)}
	}, func(v []float64) string {
		switch {
		case v[0] == 0:
			return "-"
		case v[1] == 0:
			return fmt.Sprintf("%.0f", v[0])
		}
		return fmt.Sprintf("%.0f (%.0f)", v[0], v[1])
	})
	b.notes = memory.notes
	return b
}
