package summary

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/internal/lists"
)

// Sections lay the study by exact match out: a section for each task,
// then texts, ranks, speed and, if asked for, the published numbers.
func (s *Study) Sections(published bool) []Section {
	out := slices.Concat(lists.Map(s.Scored, taskSection), lists.Map(s.Texts, func(t *Text) Section { return t.Section }))
	if len(s.Ranks) > 0 {
		ranks := Section{Title: "encodings, ranked for each task and training run: equals share their ranks, and a length that a model " +
			"cannot take counts as wrong", Tables: []Table{s.RankTable}}
		if len(s.AgreementTable.Lines) > 0 {
			ranks.Tables = append(ranks.Tables, s.AgreementTable)
		}
		if len(out) == 1 { // the sentence on the one task comes last
			ranks.Summary, out[0].Summary = out[0].Summary, ""
		}
		out = append(out, ranks)
	}
	for _, t := range s.Tasks {
		if !t.Scored {
			out = append(out, speedSection(t, costTables.ofSpeed))
		}
	}
	if published && len(s.Published) > 0 {
		out = append(out, s.publishedSection())
	}
	return out
}

// taskSection is accuracy by series and the costs in each place.
func taskSection(t *Task) Section {
	out := Section{Task: t.Task, Summary: t.Summary, Tables: []Table{t.Accuracy}, Title: fmt.Sprintf(
		"task %s (version %d), n = %s different %s prompts", t.Task, t.Version, promptsOf(t.Series, t.Lengths...), t.Split)}
	if len(t.EveryRun.Head) > 1 {
		out.Tables = append(out.Tables, t.EveryRun)
	}
	out.Tables = append(append(out.Tables, t.Depths...), t.Differences...)
	for _, p := range t.Places {
		out.Tables = append(out.Tables, newCostTables(t, p).ofTask()...)
	}
	return out
}

// speedSection is speed without a task: tables of each place, or one of lengths that no model takes.
func speedSection(t *Task, tables func(costTables) []Table) Section {
	measured := timed(slices.Concat(lists.Map(t.Series, func(s Series) []eval.Row { return s.Rows })...))
	tokens := distinct(measured, func(r eval.Row) int { return r.NewTokens })
	out := Section{Title: fmt.Sprintf("speed, without a task: length is the tokens read, then each sequence gets %s more",
		cmp.Or(strings.Trim(fmt.Sprint(tokens), "[]"), "some"))}
	for _, p := range t.Places {
		out.Tables = append(out.Tables, tables(newCostTables(t, p))...)
	}
	if len(t.Places) == 0 {
		out.Tables = []Table{newCostTables(t, Place{}).step()}
	}
	for _, s := range t.Series {
		out.Tables[0].Notes = append(out.Tables[0].Notes, causes(s.Name, s.Rows)...)
	}
	return out
}
