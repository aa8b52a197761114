package eval

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// section is all that was measured on one task.
func (g *group) section() Section {
	pattern, _ := g.heads()
	exact := block{title: "exact match in %, with 95 % intervals (* length seen in training)",
		lines: roomForIntervals(append(g.counted(g.lines(exactCell)), g.headline()...)), notes: append(g.notHeldOut(), g.notAvailable()...)}
	s := Section{Task: g.task, title: fmt.Sprintf("task %s (version %d), n = %s different %s prompts%s", g.task, g.version, g.samples(g.lengths()...), g.split, modelsText(pattern)), closing: g.finding(), blocks: []block{
		exact,
		{title: "tokens right in %, place by place (beyond the cliff of exact match)", lines: g.lines(tokenCell)},
		{title: "edit distance, as a share of the longer of answer and target", lines: g.lines(distanceCell)},
		{title: "loss in nats per target token", lines: g.lines(lossCell)},
	}}
	var rows []Row
	for _, c := range g.columns {
		rows = append(rows, c.rows...)
	}
	s.blocks = append(s.blocks, speedBlocks(newSpeedTable(rows))...)
	return s
}

// notHeldOut names the lengths at which training saw the same prompts.
func (g *group) notHeldOut() []string {
	if len(g.whole) == 0 {
		return nil
	}
	slices.Sort(g.whole)
	return []string{fmt.Sprintf("nothing held out at length %s: training may have seen the same prompts",
		strings.Trim(strings.Join(strings.Fields(fmt.Sprint(g.whole)), ", "), "[]"))}
}

// samples says how many different prompts stand behind the cells of lengths.
func (g *group) samples(lengths ...int) string {
	var all []int
	for _, c := range g.columns {
		for _, length := range lengths {
			if n := c.cells[length].N; n > 0 {
				all = append(all, n)
			}
		}
	}
	if len(all) == 0 {
		return "0"
	}
	return Between(slices.Min(all), slices.Max(all))
}

// counted adds to each line's length how many prompts it has, if that is not the
// same everywhere.
func (g *group) counted(lines [][]string) [][]string {
	lengths := g.lengths()
	if !strings.Contains(g.samples(lengths...), " ") {
		return lines
	}
	lines[0][0] += " (n)"
	for i, length := range lengths {
		if n := g.samples(length); n != "0" {
			lines[1+i][0] += " (" + n + ")"
		}
	}
	return lines
}

// lines is a line per length and a column per model of one measure, of which
// write gives the text, with what follows the mark of a trained length.
func (g *group) lines(write func(Cell) (value, more string)) [][]string {
	head := []string{"length"}
	_, names := g.heads()
	for _, name := range names {
		head = append(head, name+" ")
	}
	lines := [][]string{head}
	for _, length := range g.lengths() {
		line := []string{strconv.Itoa(length)}
		for _, c := range g.columns {
			line = append(line, c.at(length, write))
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
		effective = append(effective, fmt.Sprintf("%d [%d, %d]", s.Effective, s.EffectiveLow, s.EffectiveHigh))
	}
	return [][]string{make([]string, len(inside)), inside, beyond, effective}
}

// at is one cell; the value is followed by the mark of a trained length.
func (c *column) at(length int, write func(Cell) (value, more string)) string {
	mark := " "
	if c.saw(length) {
		mark = "*"
	}
	at, there := c.cells[length]
	switch {
	case !there:
		return "-" + mark
	case at.N == 0:
		return "n/a" + mark
	}
	value, more := write(at)
	return value + mark + more
}

// intervalWidth is that of "100–100".
const intervalWidth = 7

// exactCell rounds the interval outwards.
func exactCell(at Cell) (value, more string) {
	interval := fmt.Sprintf("%.0f–%.0f", math.Floor(100*at.Low), math.Ceil(100*at.High))
	return percent(at.Accuracy), fmt.Sprintf(" %*s", intervalWidth, interval)
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

func tokenCell(at Cell) (value, more string) {
	if math.IsNaN(at.TokenAccuracy) {
		return "-", ""
	}
	return percent(at.TokenAccuracy), ""
}

func distanceCell(at Cell) (value, more string) {
	return strconv.FormatFloat(at.EditDistance, 'f', 3, 64), ""
}

func lossCell(at Cell) (value, more string) {
	if math.IsNaN(at.Loss) {
		return "not finite", ""
	}
	return strconv.FormatFloat(at.Loss, 'f', 3, 64), ""
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
