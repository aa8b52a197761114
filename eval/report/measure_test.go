package report_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/report"
)

// tokens changes how many of a row's 1,000 tokens are right.
func tokens(r eval.Row, right int) eval.Row {
	return with(r, func(r *eval.Row) { r.TokensCorrect = right })
}

// TestByTokens checks that the study by tokens right says of them all that the study
// says of exact match, where the two disagree.
func TestByTokens(t *testing.T) {
	s := reportOf(t,
		tokens(row(t, "nope", 0, 10, 100), 1000), tokens(row(t, "nope", 0, 30, 60), 700),
		tokens(row(t, "rope", 0, 10, 100), 1000), tokens(row(t, "rope", 0, 30, 20), 950))
	for _, tc := range []struct {
		by              *report.Report
		measure, answer string
		ranks           []string
		beyond          []string // of nope and rope, in the headline, the table of the chart and that of the trade-off
	}{
		{s, "exact match", "On copy, all go on to 10 at ≥ 90 % exact match; at 30 exact match tells nope (60 %) " +
			"apart; trained on lengths 2 to 20, 1 run each: other seeds may differ.",
			[]string{"nope", "rope"}, []string{"60.0", "20.0"}},
		{s.Measures()[1], "tokens right", "On copy, rope goes on to 30 (the longest measured) at ≥ 90 % tokens " +
			"right, nope to 10; trained on lengths 2 to 20, 1 run each: other seeds may differ.",
			[]string{"rope", "nope"}, []string{"70.0", "95.0"}},
	} {
		task := tc.by.Tasks[0]
		if task.Answer != tc.answer {
			t.Errorf("answer by %s: %s", tc.measure, task.Answer)
		}
		var ranks, beyond, at, against []string
		for _, r := range tc.by.Ranks {
			ranks = append(ranks, r.Name)
		}
		headline := tc.by.Headline(task, task.Places[0])
		for _, l := range headline.Lines {
			beyond = append(beyond, l[4])
		}
		for _, cell := range tc.by.Accuracy(task).Lines[1][1:] {
			cell, _, _ = strings.Cut(strings.TrimSpace(cell), " [")
			at = append(at, strings.Trim(cell, "\u2007"))
		}
		for _, l := range tc.by.Tradeoff(task, task.Places[0]).Lines {
			against = append(against, l[2])
		}
		for what, diff := range map[string]string{"ranks": cmp.Diff(tc.ranks, ranks),
			"headline": cmp.Diff(tc.beyond, beyond),
			"accuracy": cmp.Diff(tc.beyond, at), "trade-off": cmp.Diff(tc.beyond, against)} {
			if diff != "" {
				t.Errorf("%s by %s (-want +got):\n%s", what, tc.measure, diff)
			}
		}
		for _, table := range []report.Table{headline, tc.by.RankTable(), tc.by.Tradeoff(task, task.Places[0]),
			tc.by.HeatMap(), tc.by.Accuracy(task)} {
			if text := table.Caption + strings.Join(table.Head, " "); !strings.Contains(text, tc.measure) {
				t.Errorf("a table by %s does not say so: %s", tc.measure, text)
			}
		}
	}
	if len(s.Published) != 2 || len(s.Tokens.Published) != 0 {
		t.Errorf("published numbers, which are of exact match, stand beside %d and %d series", len(s.Published),
			len(s.Tokens.Published))
	}
}

// TestByTokensAtChance checks that a task that all guess on is not ranked by tokens
// right either: who says yes or no at random has half of the tokens right, and more.
func TestByTokensAtChance(t *testing.T) {
	s := reportOf(t, row(t, "nope", 0, 30, 10), row(t, "rope", 0, 30, 80),
		on("parity", guess(tokens(row(t, "nope", 0, 30, 53), 900))),
		on("parity", guess(tokens(row(t, "rope", 0, 30, 48), 500))))
	if !s.Tokens.Tasks[1].AtChance || s.Tokens.Tasks[0].AtChance || s.Tokens.Ranks[0].Runs != 1 {
		t.Errorf("by tokens right parity counts: %+v", s.Tokens.Ranks)
	}
	first := reportOf(t, on("parity", guess(row(t, "nope", 0, 30, 53))), on("parity", guess(row(t, "rope", 0, 30, 48))),
		row(t, "nope", 0, 30, 10), row(t, "rope", 0, 30, 80)).First
	if first != 1 {
		t.Errorf("the page begins with task %d, where all guess", first)
	}
}
