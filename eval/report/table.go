package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/nopezoo/zoo/eval/study"
	"github.com/nopezoo/zoo/eval/task"
)

// taskSection is all that was measured on one task.
func taskSection(t *study.Task) Section {
	pattern, heads := headsOf(study.Each(t.Columns, func(s study.Series) named { return named{s.Name, s.Model} }))
	lines := func(write func(study.Point) (value, more string)) [][]string { return accuracyLines(t, heads, write) }
	exact := block{
		title: "exact match in %, with 95 % intervals (* length seen in training)",
		lines: roomForIntervals(append(counted(t, lines(exactCell)), headline(t)...)),
		notes: append(notHeldOut(t), notAvailable(t, heads)...),
	}
	title := fmt.Sprintf("task %s (version %d), n = %s different %s prompts%s",
		t.Task, t.Version, prompts(t, t.Lengths...), t.Split, modelsText(pattern))
	s := Section{Task: t.Task, title: title, closing: t.ColumnsAnswer(heads), blocks: []block{
		exact,
		{title: "tokens right in %, place by place (beyond the cliff of exact match)", lines: lines(tokenCell)},
		{title: "edit distance, as a share of the longer of answer and target", lines: lines(distanceCell)},
		{title: "loss in nats per target token", lines: lines(lossCell)},
	}}
	if speed := newSpeedTable(t); len(speed.rows) > 0 {
		s.blocks = append(s.blocks, speedBlocks(speed)...)
	}
	return s
}

// rankingSection is the mean reciprocal rank of the encodings over all tasks and
// training seeds.
func rankingSection(s *study.Study) Section {
	lines := [][]string{{"encoding", "mean reciprocal rank", "rankings"}}
	for _, r := range s.Ranks {
		lines = append(lines, []string{r.Name, ranked3(r.MRR), strconv.Itoa(r.Contests)})
	}
	b := block{lines: lines, title: fmt.Sprintf("1 is always best; %s; equals share their ranks, "+
		"and a length that a model cannot take counts as wrong", s.Weighting)}
	var guessed []string
	for _, t := range s.Tasks {
		if t.AtChance && !slices.Contains(guessed, t.Task) {
			guessed = append(guessed, t.Task)
		}
	}
	if len(guessed) > 0 {
		b.notes = []string{"not ranked where no encoding is above chance: " + strings.Join(guessed, ", ")}
	}
	return Section{
		title:  "encodings, ranked by mean exact match beyond the trained lengths, for each task and training seed",
		blocks: []block{b},
	}
}

// notHeldOut names the lengths at which training saw the same prompts.
func notHeldOut(t *study.Task) []string {
	if len(t.Whole) == 0 {
		return nil
	}
	lengths := strings.Join(study.Each(t.Whole, study.WholeText), ", ")
	return []string{fmt.Sprintf("nothing held out at length %s: training may have seen the same prompts", lengths)}
}

// prompts says how many different prompts stand behind the cells of lengths.
func prompts(t *study.Task, lengths ...task.Span) string {
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
	return study.Between(slices.Min(all), slices.Max(all))
}

// counted adds to each line's length how many prompts it has, if that is not the
// same everywhere.
func counted(t *study.Task, lines [][]string) [][]string {
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
func accuracyLines(t *study.Task, heads []string, write func(study.Point) (value, more string)) [][]string {
	lines := [][]string{append([]string{"length"}, study.Each(heads,
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
func headline(t *study.Task) [][]string {
	inside, beyond, effective := []string{"mean trained"}, []string{"mean beyond"}, []string{"effective length"}
	for _, s := range t.Columns {
		inside = append(inside, meanText(s.Inside, s.InsideNA)+" ")
		beyond = append(beyond, meanText(s.Beyond, s.BeyondNA)+" ")
		effective = append(effective, fmt.Sprintf("%s [%s, %s]",
			s.Effective.Length.Label(), s.Effective.Low.Label(), s.Effective.High.Label()))
	}
	return [][]string{make([]string, len(inside)), inside, beyond, effective}
}

// meanText is a mean over lengths in percent, and how many it leaves out.
func meanText(mean study.Spread, na int) string {
	switch {
	case !mean.Mean.Known() && na == 0:
		return "-"
	case !mean.Mean.Known():
		return "n/a"
	case na > 0:
		return fmt.Sprintf("%s (%d n/a)", mean.Percent(), na)
	}
	return mean.Percent()
}

// intervalWidth is that of "100–100".
const intervalWidth = 7

// exactCell rounds the interval outwards.
func exactCell(p study.Point) (value, more string) {
	interval := fmt.Sprintf("%.0f–%.0f", math.Floor(100*float64(p.Exact.Low)), math.Ceil(100*float64(p.Exact.High)))
	return p.Exact.Mean.Percent(), fmt.Sprintf(" %*s", intervalWidth, interval)
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

func tokenCell(p study.Point) (value, more string) {
	if !p.Token.Mean.Known() {
		return "-", ""
	}
	return p.Token.Mean.Percent(), ""
}

func distanceCell(p study.Point) (value, more string) {
	return strconv.FormatFloat(float64(p.EditDistance), 'f', 3, 64), ""
}

func lossCell(p study.Point) (value, more string) {
	if !p.Loss.Known() {
		return "not finite", ""
	}
	return strconv.FormatFloat(float64(p.Loss), 'f', 3, 64), ""
}
