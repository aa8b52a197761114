package report_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/summary"
	"github.com/nopezoo/zoo/internal/lists"
)

// costs gives a row the time of a step, of prefill and a peak memory.
func costs(r eval.Row, step, prefill float64, mib int64) eval.Row {
	return with(r, func(r *eval.Row) { r.DecodeP50MS, r.PrefillMS, r.PeakMemory = step, prefill, mib<<20 })
}

// TestHeadlineCosts checks the costs of a headline: at the longest
// trained length that was measured, relative to the first of the usual encodings.
func TestHeadlineCosts(t *testing.T) {
	nope, rope, alibi := row(t, "nope", 0, 20, 100), row(t, "rope", 0, 20, 100), row(t, "alibi", 0, 20, 100)
	large := func(r eval.Row) eval.Row { return with(r, func(r *eval.Row) { r.Parameters = 12e6 }) }
	for _, tc := range []struct {
		name  string
		rows  []eval.Row
		head  string
		cells map[string]string
	}{
		{"with nope", []eval.Row{costs(nope, 0.4, 2, 80), costs(rope, 0.5, 3, 80), costs(alibi, 0.38, 2, 100),
			costs(row(t, "nope", 0, 40, 0), 9, 9, 9)},
			"decode step, median, ms (×\u00a0nope) | prefill, ms (×\u00a0nope) | peak memory, MiB (×\u00a0nope)",
			map[string]string{"nope": "0.400 (1.00×) | 2.00 (1.00×) | 80.0 (1.00×)",
				"rope":  "0.500 (1.25×) | 3.00 (1.50×) | 80.0 (1.00×)",
				"alibi": "0.380 (0.95×) | 2.00 (1.00×) | 100 (1.25×)"}},
		{"without nope", []eval.Row{costs(rope, 0.5, 3, 80), costs(alibi, 0.38, 2, 100)},
			"decode step, median, ms | prefill, ms | peak memory, MiB",
			map[string]string{"rope": "0.500 | 3.00 | 80.0", "alibi": "0.380 | 2.00 | 100"}},
		{"nope alone", []eval.Row{costs(nope, 0.4, 2, 80)},
			"decode step, median, ms (×\u00a0nope) | prefill, ms (×\u00a0nope) | peak memory, MiB (×\u00a0nope)",
			map[string]string{"nope": "0.400 (1.00×) | 2.00 (1.00×) | 80.0 (1.00×)"}},
		{"each size has its own", []eval.Row{costs(nope, 1, 1, 100), costs(rope, 2, 2, 100),
			costs(large(nope), 10, 10, 100), costs(large(rope), 15, 15, 100)},
			"decode step, median, ms (×\u00a0nope) | prefill, ms (×\u00a0nope) | peak memory, MiB (×\u00a0nope)",
			map[string]string{"rope (0.6 M parameters)": "2.00 (2.00×) | 2.00 (2.00×) | 100 (1.00×)",
				"rope (12.0 M parameters)": "15.0 (1.50×) | 15.0 (1.50×) | 100 (1.00×)"}},
		{"spreads that overlap", []eval.Row{costs(nope, 0.4, 2, 80), costs(row(t, "nope", 1, 20, 0), 0.5, 3, 80),
			costs(rope, 0.5, 3, 90), costs(row(t, "rope", 1, 20, 0), 0.6, 4, 90),
			costs(alibi, 0.9, 1, 80), costs(row(t, "alibi", 1, 20, 0), 0.9, 1, 80)},
			"decode step, median, ms (×\u00a0nope) | prefill, ms (×\u00a0nope) | peak memory, MiB (×\u00a0nope)",
			map[string]string{"nope": "0.450 (1.00×) | 2.50 (1.00×) | 80.0 (1.00×)"}},
		{"one that stops at once", []eval.Row{costs(nope, 0.4, 2, 80),
			with(costs(rope, 0, 3, 80), func(r *eval.Row) { r.DecodeSteps = 0 })},
			"decode step, median, ms (×\u00a0nope) | prefill, ms (×\u00a0nope) | peak memory, MiB (×\u00a0nope)",
			map[string]string{"nope": "0.400 (1.00×) | 2.00 (1.00×) | 80.0 (1.00×)",
				"rope": "– | 3.00 (1.50×) | 80.0 (1.00×)"}},
	} {
		s := reportOf(t, tc.rows...)
		task := s.Tasks[0]
		table := task.Headlines[0]
		first, after := len(table.Head)-4, len(table.Head)-1 // the parameters stand behind
		if got := strings.Join(table.Head[first:after], " | "); got != tc.head {
			t.Errorf("%s: head %s", tc.name, got)
		}
		if !strings.Contains(table.Title, "costs at length 20, test machine") {
			t.Errorf("%s: caption %s", tc.name, table.Title)
		}
		got := map[string]string{}
		for _, l := range table.Lines {
			if _, ok := tc.cells[l[0].Text]; ok {
				got[l[0].Text] = strings.Join(texts(l[first:after]), " | ")
			}
		}
		if diff := cmp.Diff(tc.cells, got); diff != "" {
			t.Errorf("%s: cells (-want +got):\n%s", tc.name, diff)
		}
	}
}

// TestCostOfSpeedAlone checks that speed without a task has a headline of costs.
func TestCostOfSpeedAlone(t *testing.T) {
	s := reportOf(t, with(costs(row(t, "nope", 0, 512, 0), 1, 2, 3),
		func(r *eval.Row) { r.Score, r.Task, r.Split, r.TaskVersion = eval.Score{}, "", "", 0 }))
	table := s.Tasks[0].Headlines[0]
	want := []string{"headline on speed without a task; costs at length 512, test machine, 2 cores · cpu",
		"encoding", "runs", "decode step, median, ms (×\u00a0nope)", "prefill, ms (×\u00a0nope)", "peak memory, MiB (×\u00a0nope)", "parameters",
		"nope", "1 run", "1.00 (1.00×)", "2.00 (1.00×)", "3.00 (1.00×)", "0.6 M"}
	if diff := cmp.Diff(want, slices.Concat([]string{table.Title}, table.Head, texts(table.Lines[0]))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// texts are the texts of cells, with their marks.
func texts(line []summary.Cell) []string {
	return lists.Map(line, func(c summary.Cell) string { return c.Text + c.Mark })
}

// TestCostsOfTokens checks the numbers behind the chart of the time per new token, which
// is of speed alone, with the roofline where it is known.
func TestCostsOfTokens(t *testing.T) {
	of := func(r eval.Row) (head, line string) {
		var heads, lines []string
		for _, table := range reportOf(t, r).Tasks[0].Places[0].Tables[4:] {
			heads, lines = append(heads, table.Title), append(lines, texts(table.Lines[0])[1])
		}
		return strings.Join(heads, " | "), strings.Join(lines, " | ")
	}
	r := with(speedRow(t, "nope", 512, 1), func(r *eval.Row) { r.Batch, r.DecodeP50MS, r.DecodeBytes = 4, 10, 8e7 })
	unknown := with(r, func(r *eval.Row) { r.PeakBandwidth = 0 })
	for _, tc := range []struct {
		name, head, line string
		row              eval.Row
	}{
		{"speed alone", "time per new token on speed without a task, in ms, test machine, 2 cores · cpu | roofline on speed without a task, in ms, test machine, 2 cores · cpu", "2.50 | 2.00", r},
		{"without peaks", "time per new token on speed without a task, in ms, test machine, 2 cores · cpu", "2.50", unknown},
		{"a task", "", "", row(t, "nope", 0, 20, 50)},
	} {
		if head, line := of(tc.row); head != tc.head || line != tc.line {
			t.Errorf("%s: %q, %q; want %q, %q", tc.name, head, line, tc.head, tc.line)
		}
	}
}

// TestWideBands checks that a band far above all curves does not press them flat.
func TestWideBands(t *testing.T) {
	s := reportOf(t, with(row(t, "nope", 0, 10, 1), func(r *eval.Row) { r.DecodeP50MS, r.DecodeSDMS = 1, 1000 }))
	for _, f := range s.Figures() {
		if f.Name == "cost-decode-copy" {
			if svg := string(figure(t, f, "svg")); !strings.Contains(svg, ">1.5<") || strings.Contains(svg, ">1,000<") {
				t.Error("the axis follows the band")
			}
		}
	}
}
