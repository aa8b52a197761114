package eval_test

import (
	"encoding/csv"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/eval"
)

// speedRow is a row without a task.
func speedRow(model string, length int) eval.Row {
	r := row(model, length, 0, 1)
	r.Measure, r.Task, r.TaskVersion, r.Split, r.Seed, r.Score = eval.MeasureSpeed, "", 0, "", 0, eval.Score{}
	r.Speed.Repeats, r.Speed.SDOf = 2, eval.SDOfRepeats
	r.RepeatPrefillMS, r.RepeatDecodeMS, r.RepeatRates = []float64{12, 13}, []float64{1.25, 1.5}, []float64{100, 110}
	r.Cost = eval.Cost{Chunk: 64, NewTokens: 32, PrefillFLOPs: 1e9, PrefillBytes: 1e7, DecodeFLOPs: 2e6,
		DecodeBytes:            5e6,
		PrefillTokensPerSecond: 6400, PrefillTokensPerSecondSD: 12, DecodeTokensPerSecond: 800,
		DecodeTokensPerSecondSD: 1.5,
		PeakFLOPS:               2e11, PeakBandwidth: 1e10, PrefillRoofline: 0.405, DecodeRoofline: 0.4,
		MemoryEstimate: 320 << 20}
	return r
}

func all() []eval.Row {
	na := speedRow("learned", 600)
	na.NA, na.Reason, na.Speed, na.Cost = true, "too long", eval.Speed{}, eval.Cost{}
	return append(results(), speedRow("rope", 512), speedRow("rope", 1024), na)
}

// golden compares with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := "testdata/" + name
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

func TestMarkdown(t *testing.T) {
	var b strings.Builder
	if err := printed(&b, all(), "md"); err != nil {
		t.Fatal(err)
	}
	golden(t, "table.md", belowWhere(b.String()))
	if err := printed(&failing{}, all(), "md"); err == nil {
		t.Error("a failing writer is not reported")
	}
}

func TestBenchstat(t *testing.T) {
	var b strings.Builder
	rows := all()
	rows[0].Threads, rows[0].Model, rows[0].Machine, rows[0].ToolVersion = 2, "a b/c", "m  n", "v1"
	if err := printed(&b, rows, "benchstat"); err != nil {
		t.Fatal(err)
	}
	golden(t, "benchstat.txt", b.String())
	if err := printed(&failing{}, rows, "benchstat"); err == nil {
		t.Error("a failing writer is not reported")
	}
}

// TestBenchstatSaysOnce: the machine is named where it changes.
func TestBenchstatSaysOnce(t *testing.T) {
	var rows []eval.Row
	for _, machine := range []string{"a", "a", "b", "", "b", "a"} {
		r := speedRow("rope", 512)
		r.Machine = machine
		rows = append(rows, r)
	}
	var b strings.Builder
	if err := printed(&b, rows, "benchstat"); err != nil {
		t.Fatal(err)
	}
	var named []string
	for line := range strings.Lines(b.String()) {
		if machine, is := strings.CutPrefix(strings.TrimSpace(line), "cpu: "); is {
			named = append(named, machine)
		}
	}
	if diff := cmp.Diff([]string{"a", "b", "a"}, named); diff != "" {
		t.Errorf("machines (-want +got):\n%s", diff)
	}
}

// The csv form is tidy: a line for each measure of each row, and one for a row without any.
func TestCSV(t *testing.T) {
	var b strings.Builder
	rows := all()
	rows[0].Model = "a, \"b\"\nc"
	if err := printed(&b, rows, "csv"); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := map[string]int{}
	for i, name := range lines[0] {
		if _, twice := column[name]; twice || name == "" {
			t.Errorf("column %d is named %q", i, name)
		}
		column[name] = i
	}
	numbers := map[[3]string]string{} // by model, length and measure; the first
	for _, line := range lines[1:] {
		key := [3]string{line[column["model"]], line[column["length"]], line[column["measure"]]}
		if _, there := numbers[key]; !there {
			numbers[key] = line[column["value"]] + " " + line[column["unit"]] + " " + line[column["reason"]]
		}
	}
	first, last := rows[0], rows[len(rows)-2]
	for key, want := range map[[3]string]string{
		{first.Model, fmt.Sprint(first.Length), "exact_match"}:     fmt.Sprint(float64(first.Correct)/float64(first.N), "  "),
		{first.Model, fmt.Sprint(first.Length), "loss"}:            "0.25 nats/token ",
		{last.Model, fmt.Sprint(last.Length), "prefill"}:           fmt.Sprint(last.PrefillMS, " ms "),
		{rows[7].Model, fmt.Sprint(rows[7].Length), "exact_match"}: "  too long",
	} {
		if got, there := numbers[key]; !there || got != want {
			t.Errorf("%q is %q, want %q", key, got, want)
		}
	}
	if err := printed(&failing{}, rows, "csv"); err == nil {
		t.Error("a failing writer is not reported")
	}
}
