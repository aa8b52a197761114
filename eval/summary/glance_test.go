package summary_test

import (
	"strings"
	"testing"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/summary"
)

// inTokensRows are of a model that reads and answers to 8,192 tokens, and changed, to 16,384 at 0.02 bits more.
func inTokensRows() []eval.Row {
	var rows []eval.Row
	for _, changed := range []string{"", "yarn:4"} {
		base := eval.Row{Schema: eval.RowSchema, Encoding: "rope", Intervention: changed, Architecture: "decoder", Positions: "contiguous",
			Profile: "portable", Split: "test", Seed: 1, Batch: 1, Untimed: true,
			Environment: eval.Environment{Model: "smol" + changed, ModelSHA256: "a" + changed, Provider: "go", Machine: "m"}}
		for i, length := range []int{512, 1024, 2048, 4096, 8192, 16384} {
			text := base
			text.Measure, text.Task, text.TaskVersion, text.Length, text.LongestWindow = eval.MeasureText, "text-brown-0123456789ab", 2, length, 16384
			bits := []float64{1, 0.98, 0.96, 0.95, 0.94, 3.2}[i]
			if changed != "" {
				bits = []float64{1.02, 1, 0.98, 0.97, 0.96, 0.95}[i]
			}
			text.Text = &eval.TextScore{N: 8, Asked: 8, Documents: 5, Tokens: 8 * length, Bytes: 32 * length, Loss: 2, Bits: bits + 0.1, Stride: 64,
				SlidingN: 2000, Sliding: bits}
			rows = append(rows, text)
			for _, depth := range []int{0, 50, 100} {
				r := base
				r.Measure, r.Task, r.TaskVersion, r.Length, r.Depth = eval.MeasureAccuracy, "passkey+tokens", 1, length, new(depth)
				r.Score = eval.Score{N: 2, Asked: 2, Distinct: 2, Tokens: 12, Correct: 2}
				switch {
				case length == 16384 && changed == "":
					r.Score, r.NA, r.Reason = eval.Score{}, true, "longer than declared"
				case length == 16384 && depth == 0:
					r.Correct = 1
				}
				r.Accuracy = float64(r.Correct) / 2
				rows = append(rows, r)
			}
		}
	}
	return rows
}

// Text and tasks in tokens stand together in few lines: how far each model reads on and answers, and what a change costs.
func TestGlance(t *testing.T) {
	s, err := summary.New(inTokensRows(), summary.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const width = 80
	sections := s.Brief(width)
	if len(sections) != 1 {
		t.Fatalf("%d sections", len(sections))
	}
	var b strings.Builder
	if err := summary.Write(&b, "table", width, sections...); err != nil {
		t.Fatal(err)
	}
	const sentence = "rope reads on to 8,192 and no further and is right on passkey to 8,192 and no further; " +
		"with yarn:4 reads on to 16,384 (the longest), at +0.02 bits and is right on passkey to 8,192 and no further."
	if got := sections[0].Title; got != sentence {
		t.Errorf("it says %q", got)
	}
	lines := strings.Split(b.String(), "\n")
	if len(lines) > 45 || strings.Count(b.String(), "0.94") != 1 || !strings.Contains(b.String(), "n/a") {
		t.Errorf("%d lines:\n%s", len(lines), &b)
	}
	for _, line := range lines {
		if n := len([]rune(line)); n > width {
			t.Errorf("%d characters: %s", n, line)
		}
	}
	t.Log("\n" + b.String())
}

// A task without a prompt at any length, or a text without a window, is said to be not measured, and not to be wrong.
func TestGlanceUnmeasured(t *testing.T) {
	for measure, want := range map[string]string{
		eval.MeasureAccuracy: "rope reads on to 8,192 and no further and is not measured on passkey; ",
		eval.MeasureText:     "rope is not measured on the text and is right on passkey to 8,192 and no further; ",
	} {
		rows := inTokensRows()
		for i := range rows {
			if rows[i].Measure == measure {
				rows[i].Score, rows[i].Accuracy, rows[i].Text, rows[i].NA, rows[i].Reason = eval.Score{}, 0, nil, true, "nothing has this length"
			}
		}
		s, err := summary.New(rows, summary.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Brief(80)[0].Title; !strings.HasPrefix(got, want) {
			t.Errorf("it says %q, want %q", got, want)
		}
	}
}

// Answers stand by depth and length, with the n/a of lengths that a model does not take.
func TestDepths(t *testing.T) {
	s, err := summary.New(inTokensRows(), summary.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tables := s.Tasks[0].Depths
	if len(tables) != 2 || len(tables[0].Lines) != 3 || len(tables[0].Head) != 7 {
		t.Fatalf("%d tables: %+v", len(tables), tables)
	}
	for _, table := range tables {
		last := func(line int) string { return table.Lines[line][6].Text }
		want := [3]string{"50", "100", "100"}
		if !strings.Contains(table.Title, "yarn") {
			want = [3]string{"n/a", "n/a", "n/a"}
		}
		if got := [3]string{last(0), last(1), last(2)}; got != want {
			t.Errorf("%s: %v, want %v", table.Title, got, want)
		}
	}
	if n := s.Tasks[0].Series[0].Points[0].N; n != 6 {
		t.Errorf("%d prompts of all depths, want 6", n)
	}
}
