package eval_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/eval"
)

func measured(t *testing.T) []eval.Row {
	t.Helper()
	c := copyCard(t)
	c.MaxLength = 40
	cfg := config(t, 4, 100)
	cfg.Environment.Model = `a "b" <c>`
	rows, err := sweep(t.Context(), &fake{answer: perfect, logProb: -0.25}, c, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func TestJSONLRoundTrip(t *testing.T) {
	want := measured(t)
	var b strings.Builder
	if err := eval.Write(&b, want...); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "\n"); n != len(want) {
		t.Errorf("%d lines for %d rows", n, len(want))
	}
	got, err := eval.ReadJSONL(strings.NewReader("\n" + b.String() + "  \n"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

// What older rows call yarn has the ramp of the paper's text; both may stand in one file.
func TestOldInterventions(t *testing.T) {
	rows := measured(t)[:1]
	rows[0].Intervention = "yarn:4"
	var b strings.Builder
	if err := eval.Write(&b, rows...); err != nil {
		t.Fatal(err)
	}
	old := strings.Replace(b.String(), `"scaling_ramp":"pairs",`, "", 1)
	if old == b.String() {
		t.Fatalf("nothing says which ramp it is: %s", old)
	}
	got, err := eval.ReadJSONL(strings.NewReader(b.String() + old))
	if err != nil || len(got) != 2 || got[0].Intervention != "yarn:4" || got[1].Intervention != "yarn-paper:4" {
		t.Fatalf("%+v, %v", got, err)
	}
	var again strings.Builder
	if err := eval.Write(&again, got...); err != nil {
		t.Fatal(err)
	}
	if reread, err := eval.ReadJSONL(strings.NewReader(again.String())); err != nil || reread[1].Intervention != "yarn-paper:4" {
		t.Errorf("%+v, %v", reread, err)
	}
}

// Field names are what other programs read.
func TestJSONLForm(t *testing.T) {
	var b strings.Builder
	if err := eval.Write(&b, measured(t)...); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	for _, part := range []string{
		`"schema":2`, `"model":"a \"b\" <c>"`, `"model_sha256":"abc"`, `"provider":"none"`, `"threads":1`,
		`"spinning":false`,
		`"machine":"m"`, `"ort_version":""`, `"tool_version":"v0"`, `"encoding":"none"`, `"profile":"portable"`,
		`"config_hash":"c0ffee"`,
		`"train_min":2`, `"train_max":20`, `"task":"copy"`, `"task_version":1`, `"split":"test"`, `"length":4`,
		`"seed":1`, `"batch":4`,
		`"na":false`, `"n":10`, `"correct":10`, `"accuracy":1`, `"sequence_correct":10`, `"tokens_correct":50`,
		`"edit_distance":0`,
		`"loss":0.25`, `"prefill_ms":`, `"decode_p99_ms":`, `"tokens_per_second":`,
	} {
		if !strings.Contains(lines[0], part) {
			t.Errorf("row lacks %s:\n%s", part, lines[0])
		}
	}
	if !strings.Contains(lines[1], `"na":true,"reason":"`) || strings.Contains(lines[1], `"accuracy":`) ||
		strings.Contains(lines[1], `"prefill_ms"`) {
		t.Errorf("row of a length that is not available:\n%s", lines[1])
	}
}

// The mark that PowerShell writes before a text is passed over, but only there.
func TestReadJSONLMark(t *testing.T) {
	var b strings.Builder
	if err := eval.Write(&b, measured(t)[0]); err != nil {
		t.Fatal(err)
	}
	if rows, err := eval.ReadJSONL(strings.NewReader("\ufeff" + b.String() + b.String())); err != nil || len(rows) != 2 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	if _, err := eval.ReadJSONL(strings.NewReader(b.String() + "\ufeff" + b.String())); err == nil {
		t.Error("no error for a mark between lines")
	}
}

func TestReadJSONLErrors(t *testing.T) {
	var b strings.Builder
	if err := eval.Write(&b, measured(t)[0]); err != nil {
		t.Fatal(err)
	}
	good := b.String()
	for _, tc := range []struct{ reason, line, want string }{
		{"garbage", "garbage", "line 3"},
		{"cut off", good[:len(good)/2], "line 3"},
		{"other schema", strings.Replace(good, `"schema":2`, `"schema":3`, 1),
			"line 3: schema is 3, this program reads 1 to 2"},
		{"no task", strings.Replace(good, `"task":"copy"`, `"task":""`, 1), "line 3: task"},
		{"no measurements", `{"schema":1,"task":"copy","length":3}`, "line 3: na is false"},
		{"measured and not available", strings.Replace(good, `"na":false`, `"na":true`, 1), "line 3: na is true"},
		{"impossible count", strings.Replace(good, `"correct":10`, `"correct":11`, 1), "line 3: 11 correct of 10"},
		{"impossible tokens", regexp.MustCompile(`"tokens_correct":\d+`).ReplaceAllString(good,
			`"tokens_correct":1000000`), "line 3: 1000000 correct of"},
		{"negative time", regexp.MustCompile(`"prefill_ms":[^,]+`).ReplaceAllString(good, `"prefill_ms":-1`),
			"line 3: prefill_ms is -1, expected a number from 0 to 1e+15"},
		{"endless rate", regexp.MustCompile(`"tokens_per_second":[^,]+`).ReplaceAllString(good,
			`"tokens_per_second":1e300`), "line 3: tokens_per_second is 1e+300"},
		{"trained backwards", regexp.MustCompile(`"train_min":\d+`).ReplaceAllString(good, `"train_min":1000`),
			"line 3: trained lengths are 1000 to"},
		{"empty bin", strings.Replace(good, `"length":4`, `"length":4,"length_min":4`, 1), "line 3: length_min is 4"},
		{"endless length", strings.Replace(good, `"length":`, `"length":9000000000000000`, 1), "line 3: task is"},
		{"endless line", strings.Repeat(" ", 2<<20), "line 3 is longer than 1048576 bytes"},
	} {
		rows, err := eval.ReadJSONL(strings.NewReader(good + "\n" + tc.line + "\n" + good))
		if err == nil || !strings.Contains(err.Error(), tc.want) || len(rows) != 1 {
			t.Errorf("%s: %d rows, error %v does not contain %q", tc.reason, len(rows), err, tc.want)
		}
	}
	if err := eval.Write(&b, eval.Row{}); err == nil {
		t.Error("an empty row was written")
	}
}

func FuzzReadJSONL(f *testing.F) {
	f.Add([]byte(`{"schema":1,"task":"copy","length":3,"na":true}`))
	f.Add([]byte(`{"schema":1,"task":"copy","length":3,"n":1,"warmup":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		rows, err := eval.ReadJSONL(strings.NewReader(string(data)))
		if err != nil {
			return
		}
		var b strings.Builder
		if err := eval.Write(&b, rows...); err != nil {
			t.Fatalf("read but not written: %v", err)
		}
		if err := printed(&b, rows, "table"); err != nil {
			t.Fatalf("no table: %v", err)
		}
	})
}
