package report_test

import (
	"strings"
	"testing"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/report"
)

// Throughput is one quantity under one name on the page and in the terminal.
func TestThroughput(t *testing.T) {
	r := with(row(t, "nope", 0, 10, 50), func(r *eval.Row) { r.TokensPerSecond = 4321 })
	s := reportOf(t, r)
	at := s.Tasks[0].Places[0].Series[0].Common
	if at.Values["tokens"].Median != 4321 {
		t.Errorf("the page has %v", at.Values["tokens"].Median)
	}
	for _, m := range s.Metrics {
		if at.Values[m.Key].Median == 4321 && !(m.Label == "Throughput" && m.Unit == "tokens/s") {
			t.Errorf("the page calls it %q in %s", m.Label, m.Unit)
		}
	}
	var table strings.Builder
	if err := (&report.Printer{Out: &table, Format: "table"}).Rest([]eval.Row{r}); err != nil {
		t.Fatal(err)
	}
	_, below, _ := strings.Cut(table.String(), "\nthroughput in tokens/s")
	if lines, _, _ := strings.Cut(below, "\npeak memory"); !strings.Contains(lines, " 4321\n") {
		t.Errorf("the terminal has no such number under its name:\n%s", &table)
	}
}
