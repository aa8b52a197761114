package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nopezoo/zoo/eval/summary"
)

// RankTable is the mean reciprocal ranks, ours and the paper's, if it has any, and ours on
// each task.
func (s *Report) RankTable() Table {
	by := s.Measure.Label()
	published := slices.ContainsFunc(s.Ranks, func(r summary.Rank) bool { return r.Published.Known() })
	out := Table{
		Caption: fmt.Sprintf("Mean reciprocal rank by %s over all runs of all tasks, 1 for always best; %s", by, s.Weighting),
		Head:    []string{"encoding", "MRR"},
	}
	if published {
		out.Head = append(out.Head, "paper’s tie rule", "published MRR")
	}
	out.Head = append(out.Head, "mean "+by+" beyond, %", "runs")
	tasks := rankedTasks(s.Study)
	for _, i := range tasks {
		out.Head = append(out.Head, s.Tasks[i].Name)
	}
	for _, r := range s.Ranks {
		line := []string{r.Name, ranked3(r.MRR)}
		if published {
			line = append(line, ranked3(r.PaperTies), ranked3(r.Published))
		}
		line = append(line, r.Mean.Percent(), strconv.Itoa(r.Runs))
		for _, i := range tasks {
			line = append(line, ranked3(r.Tasks[i]))
		}
		out.Lines = append(out.Lines, line)
	}
	return out
}

// AgreementTable is how our orders of encodings and the published ones agree.
func (s *Report) AgreementTable() Table {
	out := Table{Caption: "Our order of encodings and the published one", Prose: []int{1, 4},
		Head: []string{"task", "at", "Spearman’s rank correlation", "encodings", "where the ranks differ most"}}
	for _, a := range s.Agreements {
		out.Lines = append(out.Lines, []string{cmp.Or(a.Task, "all, by mean reciprocal rank"), cmp.Or(a.At(), "–"), a.Rho.Signed(),
			strconv.Itoa(len(a.Pairs)), a.Differences()})
	}
	return out
}

// ranked3 gives a reciprocal rank as the paper does.
func ranked3(n summary.Number) string {
	if !n.Known() {
		return "–"
	}
	return strconv.FormatFloat(float64(n), 'f', 3, 64)
}

// rankingSection is the mean reciprocal rank of the encodings over all runs of all tasks, and of
// each task.
func rankingSection(s *summary.Study) Section {
	lines := [][]string{{"encoding", "mean reciprocal rank", "runs"}}
	tasks := rankedTasks(s)
	for _, i := range tasks {
		lines[0] = append(lines[0], s.Tasks[i].Name)
	}
	for _, r := range s.Ranks {
		line := []string{r.Name, ranked3(r.MRR), strconv.Itoa(r.Runs)}
		for _, i := range tasks {
			line = append(line, ranked3(r.Tasks[i]))
		}
		lines = append(lines, line)
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
	for _, unfit := range s.Unfit() {
		b.notes = append(b.notes, "not ranked: "+unfit)
	}
	for _, a := range s.Agreements {
		b.notes = append(b.notes, a.Sentence())
	}
	return Section{
		title:  "encodings, ranked by mean exact match beyond the trained lengths, for each task and training run",
		blocks: []block{b},
	}
}

// rankedTasks are the tasks with ranks, by index, if there are several.
func rankedTasks(s *summary.Study) []int {
	var out []int
	for i := range s.Tasks {
		if slices.ContainsFunc(s.Ranks, func(r summary.Rank) bool { return r.Tasks[i].Known() }) {
			out = append(out, i)
		}
	}
	if len(out) < 2 {
		return nil
	}
	return out
}
