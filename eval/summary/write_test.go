package summary

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/internal/human"
)

// sample is a section with everything that a table can have.
func sample() Section {
	t := Table{Title: "exact match in % of a_b", Head: []string{"length", "nope & co", "kind"}, Notes: []string{"n/a: <too long>"}}
	exact := percentCell(Spread{Median: 0.5, Low: 0.25, High: 0.75, Over: OverRuns, Runs: []Number{0.25, 0.5, 0.75}})
	exact.Mark, exact.N = "*", 100
	t.add(words("10")[0], exact, words("fitted")[0])
	t.add(words("200")[0], Cell{Text: "n/a"}, words("no")[0])
	t.add(words("", "", "")...)
	t.add(words("mean")[0], numberCell(0.125, Number.percent), words("–")[0])
	return Section{Task: "copy", Title: "task copy", Tables: []Table{t}, Summary: "On copy, nope goes on to 10."}
}

// One table has every writing: marks stand behind numbers, signs are escaped, an empty line parts.
func TestWrite(t *testing.T) {
	for format, want := range map[string]string{
		"table": `task copy

exact match in % of a_b

  length         nope & co     kind
      10  50.0 (25.0–75.0)*  fitted
     200               n/a       no

    mean              12.5        –

n/a: <too long>

On copy, nope goes on to 10.
`,
		"md": `### task copy

exact match in % of a\_b

| length | nope & co | kind |
| ---: | ---: | ---: |
| 10 | 50.0 (25.0–75.0)\* | fitted |
| 200 | n/a | no |
| mean | 12.5 | – |

n/a: &lt;too long&gt;

On copy, nope goes on to 10.
`,
		"latex": latexHead + `% task copy
\begin{table}
\centering
\caption{exact match in \% of a\_b}
\zootable{\begin{tabular}{lrl}
\toprule
length & nope \& co & kind \\
\midrule
10 & 50.0 (25.0--75.0)\textsuperscript{*} & fitted \\
200 & n/a & no \\
\midrule
mean & 12.5 & -- \\
\bottomrule
\end{tabular}}
\par n/a: $<$too long$>$
\end{table}
On copy, nope goes on to 10.
`,
	} {
		var b strings.Builder
		if err := Write(&b, format, 80, sample()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, b.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", format, diff)
		}
		if err := Write(broken{}, format, 80, sample()); err == nil {
			t.Errorf("%s: a writer that fails is not reported", format)
		}
	}
	var two strings.Builder
	if err := Write(&two, "latex", 80, sample(), sample()); err != nil || strings.Count(two.String(), "\n\\clearpage ") != 1 {
		t.Errorf("two sections, error %v; LaTeX would have too many floats that have no place yet:\n%s", err, &two)
	}
	if err := Write(&strings.Builder{}, "xls", 80, sample()); err == nil || !strings.Contains(err.Error(), "known: table, md, latex") {
		t.Errorf("of an unknown format: %v", err)
	}
}

// TestWideCell: a text wider than its column may be goes on below, and no line is wider than asked for.
func TestWideCell(t *testing.T) {
	lines := [][]string{{"task", "where ranks differ"}, {"", ""}, {"copy", "alibi (2 here, 3 published), t5 and nope"}}
	want := "  task  where ranks differ\n\n  copy  alibi (2 here, 3\n        published), t5 and\n        nope\n"
	if diff := cmp.Diff(want, human.Numbers(folded(lines, 26)[0], columnGap)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("closed") }
