package summary

import (
	"fmt"
	"slices"

	"github.com/nopezoo/zoo/eval/task"
)

// Sections lay the study by exact match out: a section for each task,
// then texts, ranks, speed and, if asked for, the published numbers.
func (s *Study) Sections(published bool) []Section {
	out := slices.Concat(each(s.Scored, taskSection), each(s.Texts, func(t *Text) Section { return t.Section }))
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

// taskSection is accuracy by series and the costs of each model.
func taskSection(t *Task) Section {
	costs := newCostTables(t.Lengths, t.Runs)
	tables := []Table{t.Accuracy}
	if len(t.EveryRun.Head) > 1 {
		tables = append(tables, t.EveryRun)
	}
	return Section{Task: t.Task, Summary: t.Summary, Tables: append(tables, costs.taskCosts()...), Title: fmt.Sprintf(
		"task %s (version %d), n = %s different %s prompts%s", t.Task, t.Version, promptsOf(t.Series, t.Lengths...), t.Split, costs.models())}
}

// wholeText names one of Task.Whole.
func wholeText(length task.Span) string {
	if length.IsBin() {
		return "some of " + length.Label()
	}
	return length.Label()
}
