package eval_test

import (
	"encoding/csv"
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

// The csv form has a cell for each field of the JSON form.
func TestCSV(t *testing.T) {
	var b strings.Builder
	rows := all()
	rows[0].Model = "a, \"b\"\nc"
	rows[0].Parts = map[string]float64{"input": 0.5}
	if err := printed(&b, rows, "csv"); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
	if err != nil || len(lines) != 1+len(rows) {
		t.Fatalf("%d lines for %d rows, error %v", len(lines), len(rows), err)
	}
	at := map[string]int{}
	for i, name := range lines[0] {
		if _, twice := at[name]; twice || name == "" {
			t.Errorf("column %d is named %q", i, name)
		}
		at[name] = i
	}
	var json strings.Builder
	if err := eval.Write(&json, rows...); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		row        int
		name, want string
	}{
		{0, "model", "a, \"b\"\nc"}, {0, "correct", "1999"}, {0, "loss", "0.25"}, {0, "scratchpad", `{"input":0.5}`},
		{0, "na", "false"},
		{0, "repeat_decode_ms", "[1.25]"}, {0, "prefill_flops", ""}, {7, "na", "true"}, {7, "reason", "too long"},
		{7, "n", ""},
		{11, "measure", "speed"}, {11, "n", ""}, {11, "prefill_flops", "1000000000"}, {11, "decode_roofline", "0.4"},
	} {
		if got := lines[1+tc.row][at[tc.name]]; got != tc.want {
			t.Errorf("row %d: %s is %q, want %q", tc.row, tc.name, got, tc.want)
		}
	}
	if err := printed(&failing{}, rows, "csv"); err == nil {
		t.Error("a failing writer is not reported")
	}
}
