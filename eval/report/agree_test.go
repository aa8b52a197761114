package report_test

import (
	"encoding/json"
	"fmt"
	"html"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/report"
	"github.com/nopezoo/zoo/eval/summary"
)

// pageData is what the page's charts are drawn from.
type pageData struct {
	Tasks []struct {
		Lengths []int
		Series  []struct {
			Name      string
			Trained   [2]int
			Inside    spread
			Beyond    spread
			Effective struct{ Length, Low, High int }
			Points    []struct {
				Length, N    int
				NA           bool
				Exact, Token spread
			}
		}
		Places []struct {
			Series []struct {
				Series int
				Points []struct {
					Length int
					Values map[string]spread
				}
			}
		}
	}
	Ranks []struct {
		Name string
		MRR  float64
		Runs int
	}
}

type spread struct{ Median, Low, High *float64 }

// percent writes a ratio as both do; a dash for none.
func percent(v *float64) string {
	if v == nil {
		return "–"
	}
	switch {
	case *v > 0 && *v < 0.0005:
		return "<0.1"
	case *v < 1 && *v >= 0.9995:
		return ">99.9"
	}
	return fmt.Sprintf("%.1f", 100**v)
}

func short(v *float64) string {
	if v == nil || *v == 0 {
		return "–"
	}
	digits := 3 // behind the point; none for what has three before it
	for at := *v; at >= 1 && digits > 0; at /= 10 {
		digits--
	}
	return fmt.Sprintf("%.*f", digits, *v)
}

// markdownTables are the lines of each table that the terminal writes, by the
// beginning of its title.
func markdownTables(t *testing.T, rows []eval.Row) map[string][][]string {
	t.Helper()
	var b strings.Builder
	if err := (&report.Printer{Out: &b, Format: "md", Options: summary.Options{Encodings: encodings}}).Rest(rows); err != nil {
		t.Fatal(err)
	}
	out := map[string][][]string{}
	title := ""
	for line := range strings.Lines(html.UnescapeString(b.String())) {
		switch line = strings.TrimSpace(strings.ReplaceAll(line, `\`, "")); {
		case line == "" || strings.HasPrefix(line, "| ---"):
		case strings.HasPrefix(line, "|"):
			cells := strings.Split(strings.Trim(line, "|"), "|")
			for i := range cells {
				cells[i] = strings.TrimSpace(cells[i])
			}
			out[title] = append(out[title], cells)
		default:
			title, _, _ = strings.Cut(strings.Replace(line, " on copy by length", " in ", 1), " in ")
		}
	}
	return out
}

// TestAgreesWithTable measures models again and again, of one encoding each (in other
// batches, with other seeds, more and fewer prompts, older rows, rows without a
// measurement) and wants the page to draw the very numbers that zoo bench's tables
// have: cells and how many prompts they have, intervals, means, effective lengths,
// ranks and costs.
func TestAgreesWithTable(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		var rows []eval.Row
		for _, encoding := range encodings[:3] {
			batch := 1 + rng.IntN(2)
			for range 1 + rng.IntN(12) {
				n := []int{1, 7, 10, 100}[rng.IntN(4)]
				r := with(row(t, encoding, 0, 10*(1+rng.IntN(4)), 0), func(r *eval.Row) {
					r.N, r.Correct, r.Distinct, r.Prompts = n, rng.IntN(n+1), n, []int{0, n, 100, 1e6}[rng.IntN(4)]
					r.Tokens, r.TokensCorrect = 10*n, rng.IntN(10*n+1)
					r.DecodeP50MS, r.PrefillMS, r.TokensPerSecond, r.DecodeSteps = rng.Float64(), 10*rng.Float64(),
						1000*rng.Float64(), rng.IntN(2)
					if r.Seed, r.Batch = uint64(rng.IntN(3)), batch; rng.IntN(4) == 0 {
						r.Schema, r.Prompts, r.Distinct = 1, 0, 1+rng.IntN(n)
					}
				})
				if rng.IntN(5) == 0 {
					r = refused(r)
				}
				rows = append(rows, r)
			}
		}
		agree(t, rows)
		if t.Failed() {
			return
		}
	}
}

// lineOf is the line of a length in one of several tables below one another.
func lineOf(t *testing.T, lines [][]string, table, length int) []string {
	for _, line := range lines {
		if line[0] == "length" {
			table--
		}
		if table < 0 && line[0] == strconv.Itoa(length) {
			return line
		}
	}
	t.Fatalf("no line of length %d in %q", length, lines)
	return nil
}

func agree(t *testing.T, rows []eval.Row) {
	t.Helper()
	var data pageData
	if err := json.Unmarshal([]byte(dataScript.FindStringSubmatch(page(t, report.Options{Options: summary.Options{Encodings: encodings}},
		rows...))[1]), &data); err != nil {
		t.Fatal(err)
	}
	tables, task := markdownTables(t, rows), data.Tasks[0]
	same := func(what, table, page string) {
		t.Helper()
		if table != page {
			t.Errorf("%s: %q in the table, %q on the page", what, table, page)
		}
	}
	exact := tables["exact match"]
	column := map[string]int{} // of the encodings, which the tables call by their models
	for i, head := range exact[0] {
		column[head] = i
	}
	for _, s := range task.Series {
		at, ok := column[s.Name]
		if !ok && len(task.Series) == 1 {
			at, ok = 1, true
		}
		if !ok {
			t.Fatalf("no column %s in %q", s.Name, exact[0])
		}
		for i, p := range s.Points {
			mark := ""
			if (p.N > 0 || p.NA) && s.Trained[0] <= p.Length && p.Length <= s.Trained[1] {
				mark = "*"
			}
			wantExact := "–"
			if p.NA {
				wantExact = "n/a" + mark
			} else if p.N > 0 {
				wantExact = fmt.Sprintf("%s [%s–%s]%s", percent(p.Exact.Median), percent(p.Exact.Low), percent(p.Exact.High), mark)
				if n := exact[1+i][0]; strings.Contains(n, "(") && !strings.Contains(n, "to") {
					same("prompts", n, fmt.Sprintf("%d (%d)", p.Length, p.N))
				}
			}
			same(s.Name+" exact match", exact[1+i][at], wantExact)
		}
		below := exact[1+len(s.Points):]
		for i, of := range []spread{s.Inside, s.Beyond} {
			value, _, _ := strings.Cut(strings.Replace(below[i][at], "n/a", "–", 1), " ")
			same(s.Name+" "+below[i][0], value, percent(of.Median))
		}
		want := fmt.Sprint(s.Effective.Length)
		if s.Effective.Low != s.Effective.High {
			want += fmt.Sprintf(" [%d–%d]", s.Effective.Low, s.Effective.High)
		}
		same(s.Name+" effective", below[2][at], want)
	}
	for k, place := range task.Places { // each has a table
		for _, c := range place.Series {
			for _, p := range c.Points {
				for title, want := range map[string]*float64{"time to the first token (prefill)": p.Values["prefill"].Median,
					"one more token of the whole batch": p.Values["decode"].Median,
					"throughput":                        p.Values["tokens"].Median, "peak memory": p.Values["memory"].Median} {
					at := max(1, slices.Index(tables[title][0], task.Series[c.Series].Name)) // 1 for the one model
					got, _, _ := strings.Cut(lineOf(t, tables[title], k, p.Length)[at], "/")
					got, _, _ = strings.Cut(got, " ")
					if title == "peak memory" {
						want = new(math.Floor(*want))
						same(title, got, fmt.Sprint(*want))
					} else {
						same(title, got, short(want))
					}
				}
			}
		}
	}
	var table, page []string
	for title, lines := range tables {
		if strings.HasPrefix(title, "mean reciprocal rank by exact match") {
			for _, l := range lines[1:] {
				table = append(table, l[0]+" "+l[1]+" "+l[slices.Index(lines[0], "runs")])
			}
		}
	}
	for _, r := range data.Ranks {
		page = append(page, fmt.Sprintf("%s %.3f %d", r.Name, r.MRR, r.Runs))
	}
	if diff := cmp.Diff(table, page); diff != "" {
		t.Errorf("ranks (-table +page):\n%s", diff)
	}
}

// TestMostPromptsCount checks that 5 of 10 do not replace 950 of 1000.
func TestMostPromptsCount(t *testing.T) {
	again := func(correct, n int) eval.Row {
		return with(row(t, "nope", 0, 30, 0), func(r *eval.Row) { r.Correct, r.N, r.Distinct = correct, n, n })
	}
	for _, rows := range [][]eval.Row{{again(950, 1000), again(5, 10)}, {again(5, 10), again(950, 1000)}} {
		if got := reportOf(t, rows...).Tasks[0].Series[0].Beyond.Median; got != 0.95 {
			t.Errorf("950 of 1000 and 5 of 10 are %v", got)
		}
	}
}
