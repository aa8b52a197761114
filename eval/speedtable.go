package eval

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// speedTable is rows by length and by what tells their speed apart: the model,
// its file and engine, and the batch.
type speedTable struct {
	group
	average bool // over rows that differ in their samples alone
}

func newSpeedTable(rows []Row) *speedTable {
	t := &speedTable{}
	rows, _ = Latest(rows)
	for _, r := range rows {
		attribute := []string{r.Model}
		for _, a := range attributes {
			attribute = append(attribute, a(r))
		}
		attribute = append(attribute, fmt.Sprintf("batch %d", r.Batch))
		c := find(&t.columns, func(c *column) bool { return slices.Equal(c.attribute, attribute) }, func() *column {
			return &column{attribute: attribute, cells: map[int]Cell{}}
		})
		t.average = t.average || slices.ContainsFunc(c.rows, func(o Row) bool { return o.Length == r.Length })
		c.cells[r.Length] = Cell{}
		c.rows = append(c.rows, r)
	}
	t.label()
	return t
}

// block is one measure, given by numbers that are averaged over samples and
// written as one cell.
func (t *speedTable) block(title string, numbers func(*Row) []float64, write func([]float64) string) block {
	if t.average {
		title += ", mean over seeds"
	}
	_, heads := t.heads()
	b := block{title: title, lines: [][]string{append([]string{"length"}, heads...)}}
	for _, length := range t.lengths() {
		line := []string{strconv.Itoa(length)}
		for _, c := range t.columns {
			line = append(line, c.speedCell(length, numbers, write))
		}
		b.lines = append(b.lines, line)
	}
	return b
}

func (c *column) speedCell(length int, numbers func(*Row) []float64, write func([]float64) string) string {
	text := "-"
	var sum []float64
	count := 0.0
	for i := range c.rows {
		r := &c.rows[i]
		if r.Length != length {
			continue
		}
		if r.NA {
			text = "n/a"
			continue
		}
		list := numbers(r)
		if sum == nil {
			sum = make([]float64, len(list))
		}
		for k, v := range list {
			sum[k] += v
		}
		count++
	}
	if count == 0 {
		return text
	}
	for k := range sum {
		sum[k] /= count
	}
	return write(sum)
}

// Throughput is what Speed.TokensPerSecond is called wherever people read it: tokens of
// sequences that end early are as few as they are, and prefill takes its time. What
// reading or generating alone reaches has other names.
const Throughput = "throughput"

// speedBlocks are the measures that rows with and without a task have.
func speedBlocks(t *speedTable) []block {
	first := t.block("time to the first token (prefill) in ms: p50/p95/p99 over "+t.batches(),
		func(r *Row) []float64 { return []float64{r.PrefillMS, r.PrefillP95MS, r.PrefillP99MS} }, slashed)
	step := t.block("one more token of the whole batch in ms: p50/p95/p99 over steps", func(r *Row) []float64 {
		if r.DecodeSteps == 0 {
			return []float64{0, 0, 0}
		}
		return []float64{r.DecodeP50MS, r.DecodeP95MS, r.DecodeP99MS}
	}, slashed)
	rate := t.block(Throughput+" in tokens/s: all tokens generated over the time of prefill and steps, ± standard deviation over "+t.deviates(),
		func(r *Row) []float64 { return []float64{r.TokensPerSecond, r.TokensPerSecondSD} }, plusMinus)
	return []block{first, step, rate, t.memory()}
}

// batches says what was timed.
func (t *speedTable) batches() string {
	low, high := 0, 0
	for _, c := range t.columns {
		for _, r := range c.rows {
			if r.NA {
				continue
			}
			if low == 0 || r.TimedBatch < low {
				low = r.TimedBatch
			}
			high = max(high, r.TimedBatch)
		}
	}
	if low == high {
		return fmt.Sprintf("batches of %d", low)
	}
	return fmt.Sprintf("batches of %d to %d", low, high)
}

// deviates says what the deviation is over.
func (t *speedTable) deviates() string {
	var of []string
	for _, c := range t.columns {
		for _, r := range c.rows {
			if !r.NA && r.SDOf != "" && !slices.Contains(of, r.SDOf) {
				of = append(of, r.SDOf)
			}
		}
	}
	if len(of) == 0 {
		return "repeats (there is one)"
	}
	return strings.Join(of, " or ")
}

// memory notes where a peak may be that of earlier work.
func (t *speedTable) memory() block {
	process := false
	b := t.block("peak memory in MiB", func(r *Row) []float64 {
		process = process || r.PeakMemoryOf == PeakOfProcess
		return []float64{float64(r.PeakMemory >> 20)}
	}, func(v []float64) string {
		if v[0] == 0 {
			return "-"
		}
		return strconv.FormatFloat(v[0], 'f', 0, 64)
	})
	if process {
		b.notes = []string{"process peak: this system does not tell the peak of one measurement, so earlier ones count too"}
	}
	return b
}

// slashed writes percentiles; zeros are none.
func slashed(v []float64) string {
	if v[0] == 0 {
		return "-"
	}
	var out []string
	for _, x := range v {
		out = append(out, significant(x))
	}
	return strings.Join(out, "/")
}

func plusMinus(v []float64) string {
	text := significant(v[0])
	if v[1] > 0 {
		text += " ±" + significant(v[1])
	}
	return text
}
