package report_test

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/report"
	"github.com/nopezoo/zoo/eval/summary"
)

func reportOf(t *testing.T, rows ...eval.Row) *report.Report {
	t.Helper()
	s, err := report.New(rows, report.Options{Options: summary.Options{Encodings: encodings}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// approx is for means of few numbers; unknown ones are alike.
var approx = cmp.Comparer(func(a, b summary.Number) bool {
	return a == b || math.Abs(float64(a-b)) < 1e-9 || !a.Known() && !b.Known()
})

// Speed without a task has figures of costs alone, on axes of octaves where lengths are far apart.
func TestFiguresOfSpeed(t *testing.T) {
	speed := with(row(t, "nope", 0, 512, 0), func(r *eval.Row) {
		r.Score, r.Task, r.Split, r.TaskVersion = eval.Score{}, "", "", 0
	})
	s := reportOf(t, row(t, "nope", 0, 10, 100), speed, row(t, "rope", 0, 10, 100))
	if names := figureNames(s); slices.Contains(names, "heatmap") ||
		!slices.Contains(names, "cost-decode-speed-without-a-task") ||
		slices.Contains(names, "accuracy-speed-without-a-task") {
		t.Errorf("figures %q", names)
	}
	far := speed
	far.Length = 8192
	if svg := string(figure(t, reportOf(t, speed, far).Figures()[0], "svg")); !strings.Contains(svg, ">4,096<") ||
		!strings.Contains(svg, ">length, tokens<") {
		t.Error("the figure lacks a tick at 4,096 or its axis lacks a name")
	}
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	var line strings.Builder
	if err := eval.Write(&line, row(t, "nope", 0, 10, 1)); err != nil {
		t.Fatal(err)
	}
	a := put("good/a.jsonl", line.String())
	put("good/b/a.jsonl", "\n"+strings.Repeat(strings.Replace(line.String(), `"correct":1,`, `"correct":2,`, 1), 2))
	put("good/notes.txt", "no result")
	put("good/run/metrics.jsonl", `{"step":1}`)
	var observations strings.Builder
	if err := eval.Write(&observations, seen()...); err != nil {
		t.Fatal(err)
	}
	put("good/b/heads.jsonl", "\n"+observations.String())
	results, err := report.Read(filepath.Join(dir, "good"), a)
	rows := results.Rows
	if diff := cmp.Diff(seen(), results.Observations); diff != "" {
		t.Errorf("observations (-want +got):\n%s", diff)
	}
	if err != nil || len(rows) != 4 || rows[0].Correct != 1 || rows[1].Correct != 2 || rows[2].Correct != 2 ||
		rows[3].Correct != 1 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	put("none/notes.txt", "")
	put("none/run/metrics.jsonl", `{"step":1}`)
	for path, want := range map[string]string{
		put("bad.jsonl", line.String()+"{"):                     "bad.jsonl: eval: results line 2: unexpected end of JSON input",
		put("schema.jsonl", `{"schema":7}`):                     "schema.jsonl: eval: results line 1: schema is 7, this program reads 1 to 2",
		put("mixed.jsonl", observations.String()+line.String()): "mixed.jsonl: eval: observations line 9: ",
		put("empty.jsonl", "\n"):                                "empty.jsonl: no results; write some with: zoo bench",
		filepath.Join(dir, "none"):                              "holds no file of results (.jsonl); write one with: zoo bench",
		put("metrics.jsonl", `{"step":1}`):                      "metrics.jsonl: eval: results line 1: no schema: no row of results, such as zoo bench writes",
		filepath.Join(dir, "absent.jsonl"):                      "absent.jsonl: no such file or directory",
	} {
		if _, err := report.Read(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", path, err, want)
		}
	}
}
