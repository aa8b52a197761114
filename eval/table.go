package eval

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// Table writes rows for people: for each task, exact match with a line per length
// and a column per model and the headline below, then speed with a line per
// length and model. It states counts, and marks trained lengths.
func Table(w io.Writer, rows []Row) error {
	for i, g := range groupRows(rows) {
		if i > 0 {
			if _, err := fmt.Fprintln(w); err != nil {
				return err
			}
		}
		if err := g.write(w); err != nil {
			return err
		}
	}
	return nil
}

func (g *group) write(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "task %s (version %d), %s prompts, n = %s\n\nexact match in %% (* length seen in training)\n\n",
		g.task, g.version, g.split, g.samples()); err != nil {
		return err
	}
	if err := aligned(w, append(g.accuracy(cell.accuracy), g.headline()...)); err != nil {
		return err
	}
	if err := g.writeWhole(w); err != nil {
		return err
	}
	if _, err := fmt.Fprint(w, "\ntokens right in %, place by place (beyond the cliff of exact match)\n\n"); err != nil {
		return err
	}
	if err := aligned(w, g.accuracy(cell.tokenAccuracy)); err != nil {
		return err
	}
	if _, err := fmt.Fprint(w, "\nspeed (milliseconds; a step is one token of the whole batch)\n\n"); err != nil {
		return err
	}
	return aligned(w, g.speed())
}

// writeWhole names the lengths at which training saw the same prompts.
func (g *group) writeWhole(w io.Writer) error {
	if len(g.whole) == 0 {
		return nil
	}
	slices.Sort(g.whole)
	_, err := fmt.Fprintf(w, "\nnothing held out at length %s: training may have seen the same prompts\n",
		strings.Trim(strings.Join(strings.Fields(fmt.Sprint(g.whole)), ", "), "[]"))
	return err
}

// samples says how many samples stand behind each cell.
func (g *group) samples() string {
	low, high := 0, 0
	for _, c := range g.columns {
		for _, at := range c.cells {
			if at.n > 0 && (low == 0 || at.n < low) {
				low = at.n
			}
			high = max(high, at.n)
		}
	}
	if low == high {
		return strconv.Itoa(low)
	}
	return fmt.Sprintf("%d to %d", low, high)
}

// accuracy is a line per length and a column per model of one measure.
func (g *group) accuracy(measure func(cell) float64) [][]string {
	head := []string{"length"}
	for _, c := range g.columns {
		head = append(head, c.label+" ")
	}
	lines := [][]string{head}
	for _, length := range g.lengths() {
		line := []string{strconv.Itoa(length)}
		for _, c := range g.columns {
			line = append(line, c.at(length, measure))
		}
		lines = append(lines, line)
	}
	return lines
}

// headline is what stands below exact match: its means, and how far it carries.
func (g *group) headline() [][]string {
	inside, beyond, effective := []string{"mean trained"}, []string{"mean beyond"}, []string{"effective length"}
	for _, c := range g.columns {
		s := c.summary(g)
		inside = append(inside, s.Inside.String())
		beyond = append(beyond, s.Beyond.String())
		effective = append(effective, fmt.Sprintf("%d [%d, %d] ", s.Effective, s.EffectiveLow, s.EffectiveHigh))
	}
	return [][]string{make([]string, len(inside)), inside, beyond, effective}
}

// at is one cell; the last character is the mark of a trained length.
func (c *column) at(length int, measure func(cell) float64) string {
	mark := " "
	if c.saw(length) {
		mark = "*"
	}
	at, ok := c.cells[length]
	switch {
	case !ok:
		return "-" + mark
	case at.n == 0:
		return "n/a" + mark
	}
	return percent(measure(at)) + mark
}

// percent never rounds up to 100 or down to 0 what is not.
func percent(ratio float64) string {
	switch {
	case ratio < 1 && ratio >= 0.9995:
		return ">99.9"
	case ratio > 0 && ratio < 0.0005:
		return "<0.1"
	}
	return strconv.FormatFloat(100*ratio, 'f', 1, 64)
}

// String gives the mean in percent, and how many lengths it leaves out.
func (m Mean) String() string {
	switch {
	case m.Lengths == 0 && m.NA == 0:
		return "- "
	case m.Lengths == 0:
		return "n/a "
	case m.NA > 0:
		return fmt.Sprintf("%s (%d n/a) ", percent(m.Value), m.NA)
	}
	return percent(m.Value) + " "
}

func (g *group) speed() [][]string {
	lines := [][]string{{"length", "model", "batch", "prefill", "step p50", "p95", "p99", "tokens/s", "peak MiB"}}
	for _, length := range g.lengths() {
		for _, c := range g.columns {
			for _, r := range c.rows {
				if r.Length == length {
					lines = append(lines, append([]string{strconv.Itoa(length), c.label}, r.speedCells()...))
				}
			}
		}
	}
	return lines
}

func (r *Row) speedCells() []string {
	if r.NA {
		return []string{"", "n/a", "", "", "", "", ""}
	}
	line := []string{strconv.Itoa(r.TimedBatch), significant(r.PrefillMS)}
	for _, ms := range []float64{r.DecodeP50MS, r.DecodeP95MS, r.DecodeP99MS} {
		if r.DecodeSteps == 0 {
			line = append(line, "-")
		} else {
			line = append(line, significant(ms))
		}
	}
	memory := "-"
	if r.PeakMemory > 0 {
		memory = strconv.FormatInt(r.PeakMemory>>20, 10)
		if r.PeakMemoryOf == PeakOfProcess {
			memory = "≤" + memory
		}
	}
	return append(line, significant(r.TokensPerSecond), memory)
}

// significant gives three digits, or all before the point.
func significant(v float64) string {
	switch {
	case v >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case v >= 1:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return strconv.FormatFloat(v, 'f', 3, 64)
}

// aligned writes lines of cells with columns flush right, and no space at the
// end of a line.
func aligned(w io.Writer, lines [][]string) error {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, line := range lines {
		if _, err := fmt.Fprintln(t, strings.Join(line, "\t")+"\t"); err != nil {
			return err
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	out := slices.Collect(strings.Lines(b.String()))
	for i, line := range out {
		out[i] = strings.TrimRight(line, " \n") + "\n"
	}
	_, err := io.WriteString(w, strings.Join(out, ""))
	return err
}
