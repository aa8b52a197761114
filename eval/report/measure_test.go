package report_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/summary"
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
		by               *summary.Study
		measure, summary string
		ranks            []string
		beyond           []string // of nope and rope, in the headline, the table of the chart and the table of the trade-off
	}{
		{s.Study, "exact match", "On copy, nope and rope go furthest, to 10 at ≥ 90 % exact match; trained on lengths 2 to 20, 1 run each.",
			[]string{"nope", "rope"}, []string{"60.0", "20.0"}},
		{s.Tokens, "tokens right", "On copy, rope goes furthest, to 30 (the longest measured) at ≥ 90 % tokens right; trained on lengths 2 to 20, 1 run each.",
			[]string{"rope", "nope"}, []string{"95.0", "70.0"}},
	} {
		task := tc.by.Tasks[0]
		if task.Summary != tc.summary {
			t.Errorf("summary by %s: %s", tc.measure, task.Summary)
		}
		var ranks, beyond, at, against []string
		for _, r := range tc.by.Ranks {
			ranks = append(ranks, r.Name)
		}
		headline := task.Headlines[0]
		for _, l := range headline.Lines {
			beyond = append(beyond, l[4].Text)
		}
		for _, cell := range task.Accuracy.Lines[1][1:] {
			value, _, _ := strings.Cut(cell.Text, " [")
			at = append(at, value)
		}
		for _, l := range task.Tradeoffs[0].Lines {
			against = append(against, l[2].Text)
		}
		for what, diff := range map[string]string{"ranks": cmp.Diff(tc.ranks, ranks),
			"headline": cmp.Diff(tc.beyond, beyond),
			"accuracy": cmp.Diff(tc.beyond, at), "trade-off": cmp.Diff(tc.beyond, against)} {
			if diff != "" {
				t.Errorf("%s by %s (-want +got):\n%s", what, tc.measure, diff)
			}
		}
		for _, table := range []summary.Table{headline, tc.by.RankTable, task.Tradeoffs[0],
			tc.by.HeatMap, task.Accuracy} {
			if text := table.Title + strings.Join(table.Head, " "); !strings.Contains(text, tc.measure) {
				t.Errorf("a table by %s does not say so: %s", tc.measure, text)
			}
		}
	}
	if len(s.Published) != 2 || len(s.Tokens.Published) != 0 {
		t.Errorf("published numbers, which are of exact match, stand with %d and %d series", len(s.Published),
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
