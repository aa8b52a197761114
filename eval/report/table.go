package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/nopezoo/zoo/eval/summary"
	"github.com/nopezoo/zoo/eval/task"
)

// taskSection is all that was measured on one task.
func taskSection(t *summary.Task) Section {
	pattern, heads := headsOf(summary.Each(t.Columns, func(s summary.Series) named { return named{s.Name, s.Model} }))
	lines := func(write func(summary.Point) (value, more string)) [][]string { return accuracyLines(t, heads, write) }
	exact := block{
		title: "exact match in %, 1 run in each column, with 95 % intervals over its prompts (* length seen in training)",
		lines: roomForIntervals(append(counted(t, lines(exactCell)), headline(t)...)),
		notes: append(notHeldOut(t), notAvailable(t, heads)...),
	}
	title := fmt.Sprintf("task %s (version %d), n = %s different %s prompts%s",
		t.Task, t.Version, prompts(t, t.Lengths...), t.Split, modelsText(pattern))
	s := Section{Task: t.Task, title: title, closing: t.ColumnsAnswer(heads)}
	if severalRuns(t) {
		s.blocks, s.closing = []block{runsBlock(t)}, t.Answer
	}
	s.blocks = append(s.blocks, exact,
		block{title: "tokens right in %, place by place (beyond the cliff of exact match)", lines: lines(tokenCell)},
		block{title: "edit distance, as a share of the longer of answer and target", lines: lines(distanceCell)},
		block{title: "loss in nats per target token", lines: lines(lossCell)})
	if speed := newSpeedTable(t); len(speed.rows) > 0 {
		s.blocks = append(s.blocks, speedBlocks(speed)...)
	}
	return s
}

// notHeldOut names the lengths at which training saw the same prompts.
func notHeldOut(t *summary.Task) []string {
	if len(t.Whole) == 0 {
		return nil
	}
	lengths := strings.Join(summary.Each(t.Whole, summary.WholeText), ", ")
	return []string{fmt.Sprintf("nothing held out at length %s: training may have seen the same prompts", lengths)}
}

// prompts says how many different prompts stand behind the cells of lengths.
func prompts(t *summary.Task, lengths ...task.Span) string {
	var all []int
	for _, s := range t.Columns {
		for _, p := range s.Points {
			if p.N > 0 && slices.Contains(lengths, p.Length) {
				all = append(all, p.N)
			}
		}
	}
	if len(all) == 0 {
		return "0"
	}
	return summary.Between(slices.Min(all), slices.Max(all))
}

// counted adds to each line's length how many prompts it has, if that is not the
// same everywhere.
func counted(t *summary.Task, lines [][]string) [][]string {
	if !strings.Contains(prompts(t, t.Lengths...), " ") {
		return lines
	}
	lines[0][0] += " (n)"
	for i, length := range t.Lengths {
		if n := prompts(t, length); n != "0" {
			lines[1+i][0] += " (" + n + ")"
		}
	}
	return lines
}

// accuracyLines is a line per length and a column per model of one measure, of which
// write gives the text, with what follows the mark of a trained length.
func accuracyLines(t *summary.Task, heads []string, write func(summary.Point) (value, more string)) [][]string {
	lines := [][]string{append([]string{"length"}, summary.Each(heads,
		func(head string) string { return head + " " })...)}
	for i, length := range t.Lengths {
		line := []string{length.Label()}
		for _, s := range t.Columns {
			mark, value, more := " ", "-", ""
			if s.Saw(length) {
				mark = "*"
			}
			switch p := s.Points[i]; {
			case p.NA:
				value = "n/a"
			case p.N > 0:
				value, more = write(p)
			}
			line = append(line, value+mark+more)
		}
		lines = append(lines, line)
	}
	return lines
}

// headline is what stands below exact match: its means, and how far it carries.
func headline(t *summary.Task) [][]string {
	inside, beyond, effective := []string{"mean trained"}, []string{"mean beyond"}, []string{"effective length"}
	for _, s := range t.Columns {
		inside = append(inside, meanText(s.Inside, s.InsideNA)+" ")
		beyond = append(beyond, meanText(s.Beyond, s.BeyondNA)+" ")
		effective = append(effective, fmt.Sprintf("%s [%s, %s]",
			s.Effective.Length.Label(), s.Effective.Low.Label(), s.Effective.High.Label()))
	}
	out := [][]string{make([]string, len(inside)), inside, beyond, effective}
	if slices.ContainsFunc(t.Columns, func(s summary.Series) bool { return s.Fit.Unknown == 0 }) {
		out = append(out, append([]string{"fitted"}, summary.Each(t.Columns, func(s summary.Series) string { return fitted(s) + " " })...))
	}
	if distinctTypes(t.Columns) > 1 {
		out = append(out, append([]string{"file, MiB"}, summary.Each(t.Columns, fileSize)...))
	}
	return out
}

// distinctTypes counts the precisions of the files that were measured.
func distinctTypes(columns []summary.Series) int {
	types := map[string]bool{}
	for _, s := range columns {
		types[s.Rows[0].DType] = true
	}
	return len(types)
}

// fileSize is the size of a column's model file.
func fileSize(s summary.Series) string {
	if s.Rows[0].ModelBytes == 0 {
		return "- " // older rows do not say
	}
	return fmt.Sprintf("%.2f ", float64(s.Rows[0].ModelBytes)/(1<<20))
}

// fitted says of a series of one run whether it fitted.
func fitted(s summary.Series) string {
	switch {
	case s.Fit.Unknown > 0:
		return "-"
	case s.Fit.None():
		return "no"
	}
	return "yes"
}

// meanText is a mean over lengths in percent, and how many it leaves out.
func meanText(mean summary.Spread, na int) string {
	switch {
	case !mean.Median.Known() && na == 0:
		return "-"
	case !mean.Median.Known():
		return "n/a"
	case na > 0:
		return fmt.Sprintf("%s (%d n/a)", mean.Percent(), na)
	}
	return mean.Percent()
}

// intervalWidth is that of "100–100".
const intervalWidth = 7

// exactCell rounds the interval outwards.
func exactCell(p summary.Point) (value, more string) {
	interval := fmt.Sprintf("%.0f–%.0f", math.Floor(100*float64(p.Exact.Low)), math.Ceil(100*float64(p.Exact.High)))
	return p.Exact.Median.Percent(), fmt.Sprintf(" %*s", intervalWidth, interval)
}

// roomForIntervals moves what has no interval, of its own kind either, to where the
// others' values are.
func roomForIntervals(lines [][]string) [][]string {
	for _, line := range lines[1:] {
		for i := range line {
			if i > 0 && !strings.ContainsAny(line[i], "–[") {
				line[i] += strings.Repeat(" ", intervalWidth+1)
			}
		}
	}
	return lines
}

func tokenCell(p summary.Point) (value, more string) {
	if !p.Token.Median.Known() {
		return "-", ""
	}
	return p.Token.Median.Percent(), ""
}

func distanceCell(p summary.Point) (value, more string) {
	return strconv.FormatFloat(float64(p.EditDistance), 'f', 3, 64), ""
}

func lossCell(p summary.Point) (value, more string) {
	if !p.Loss.Known() {
		return "not finite", ""
	}
	return strconv.FormatFloat(float64(p.Loss), 'f', 3, 64), ""
}
