package summary

import (
	"fmt"
	"slices"

	"github.com/nopezoo/zoo/eval/task"
)

// Sections lay the study by exact match out: a section for each task, with a line for each length and a column for each model;
// then texts, ranks, speed and, if asked for, the published numbers.
func (s *Study) Sections(published bool) []Section {
	out := slices.Concat(each(s.Scored, s.taskSection), each(s.Texts, func(t *Text) Section { return t.Section }))
	if len(s.Ranks) > 0 {
		ranks := Section{Title: "encodings, ranked for each task and training run: equals share their ranks, and a length that a model " +
			"cannot take counts as wrong", Tables: []Table{s.RankTable}}
		if len(s.Agreements) > 0 {
			ranks.Tables = append(ranks.Tables, s.AgreementTable)
		}
		if len(out) == 1 { // the sentence on the one task comes last
			ranks.Summary, out[0].Summary = out[0].Summary, ""
		}
		out = append(out, ranks)
	}
	for _, t := range s.Tasks {
		if !t.Scored {
			out = append(out, speedSection(t))
		}
	}
	if published && len(s.Published) > 0 {
		out = append(out, s.publishedSection())
	}
	return out
}

// taskSection is all that was measured on one task.
func (s *Study) taskSection(t *Task) Section {
	pattern, heads := headsOf(each(t.Columns, func(s Series) named { return named{s.Name, s.Model} }))
	out := Section{Task: t.Task, Summary: t.Summary, Title: fmt.Sprintf("task %s (version %d), n = %s different %s prompts%s",
		t.Task, t.Version, promptsOf(t.Columns, t.Lengths...), t.Split, modelsText(pattern))}
	if slices.ContainsFunc(t.Series, func(s Series) bool { return len(s.Seeds) > 1 }) {
		out.Tables = append(out.Tables, t.Accuracy)
	}
	byLength := func(title string, cell func(point) Cell) Table {
		return t.byLength(title, t.Columns, heads, func(_ Series, p point) Cell { return cell(p) })
	}
	out.Tables = append(out.Tables, t.accuracy(t.Columns, heads, Exact),
		byLength("tokens right in %, place by place (beyond the cliff of exact match)", func(p point) Cell {
			return Cell{Text: p.Token.Median.percent(), Value: &p.Token}
		}),
		byLength("edit distance, as a share of the longer of answer and target", func(p point) Cell {
			return numberCell(p.EditDistance, Number.rank)
		}),
		byLength("loss in nats per target token", func(p point) Cell {
			c := numberCell(p.Loss, Number.rank)
			if !p.Loss.Known() {
				c.Text = "not finite"
			}
			return c
		}))
	out.Tables = append(out.Tables, newCostTables(t.Lengths, t.Runs).taskCosts()...)
	return out
}

// wholeText names one of Task.Whole.
func wholeText(length task.Span) string {
	if length.IsBin() {
		return "some of " + length.Label()
	}
	return length.Label()
}
