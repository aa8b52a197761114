package study

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/experiment/sweep"
)

// opened is a study of two parts with the file's text.
func opened(t *testing.T) *Study {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "mini")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	text := `
tasks: [copy]
encodings: [nope, rope]
model: {d_model: 16, n_layers: 1, n_heads: 2, d_ff: 32}
train: {threads: 1, lengths: 1..3, steps: 4}
bench: {lengths: "2,4"}
parts: [{name: short, seeds: [1]}, {name: long, train: {steps: 8}, bench: {lengths: "8"}}]
`
	if err := os.WriteFile(filepath.Join(folder, sweep.StudyFile), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := Open(folder, "runs")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// fitted says of the runs of a part when they fitted; others were not evaluated.
var fitted = map[string]*int{"short": new(int)}

// row is a row of a run at a length that its model does not take.
func row(r sweep.Run, length int) eval.Row {
	return eval.Row{Schema: eval.RowSchema, TaskVersion: 1, Measure: eval.MeasureAccuracy, ConfigHash: r.Config.Hash(),
		Task: r.Config.Train.Task, Length: length, TrainSteps: 4, NA: true, FittedStep: fitted[r.Part]}
}

// measuredNames are the runs that are measured.
func measuredNames(s *Study) (out []string) {
	for _, r := range s.Runs {
		if s.Measured(r) {
			out = append(out, r.Name)
		}
	}
	return out
}

// A run is measured when its rows are there at all lengths of its part. Rows are added behind
// those that are there, whoever wrote them.
func TestResults(t *testing.T) {
	s := opened(t)
	nope, rope, long := s.Runs[0], s.Runs[1], s.Runs[2]
	for i, rows := range [][]eval.Row{{row(nope, 2), row(nope, 4)}, {row(rope, 2)}, {row(long, 8)}} {
		before, _ := os.ReadFile(s.Results)
		other, err := Open(s.folder, "runs") // each by a program of its own
		if err != nil {
			t.Fatal(err)
		}
		if err := other.add(rows); err != nil {
			t.Fatal(err)
		}
		after, err := os.ReadFile(s.Results)
		if err != nil || !bytes.HasPrefix(after, before) || len(after) == len(before) {
			t.Errorf("addition %d: %d bytes after %d (%v)", i, len(after), len(before), err)
		}
	}
	s, err := Open(s.folder, "runs")
	if err != nil || len(s.Rows) != 4 {
		t.Fatalf("%v, %v", s, err)
	}
	want := []string{nope.Name, long.Name} // of rope a length is missing
	if diff := cmp.Diff(want, measuredNames(s)); diff != "" {
		t.Errorf("measured (-want +got)\n%s", diff)
	}
	all := s.statuses([]sweep.Status{{Name: rope.Name, State: sweep.Finished}}, map[string]error{rope.Name: errors.New("no")})
	var states []string
	for _, status := range all {
		states = append(states, status.State)
	}
	if diff := cmp.Diff([]string{Measured, sweep.Failed, Measured, ""}, states); diff != "" {
		t.Errorf("states (-want +got)\n%s", diff)
	}
	if all[0].Step != 4 || all[0].Encoding != "nope" || all[1].Error != "measuring: no" {
		t.Errorf("statuses %+v", all)
	}
}

// A run whose part has changes is measured when the rows of each are there, too; the rows of one
// change stand for no other.
func TestResultsOfChanges(t *testing.T) {
	s := opened(t)
	rope := s.Runs[1]
	rope.Bench.Changed = []sweep.Change{{RoPE: "ntk:4"}, {Scale: "log-n"}}
	s.Runs = []sweep.Run{rope}
	for i, changed := range []string{"", "ntk:4", "pi:4", "log-n"} {
		if s.Measured(rope) {
			t.Errorf("measured after %d of 4 additions", i)
		}
		two, four := row(rope, 2), row(rope, 4)
		two.Intervention, four.Intervention = changed, changed
		if err := s.add([]eval.Row{two, four}); err != nil {
			t.Fatal(err)
		}
	}
	if !s.Measured(rope) {
		t.Error("not measured after all additions")
	}
}

// Changes that the models of a run cannot have are said before anything is trained.
func TestChangesOfOtherModels(t *testing.T) {
	for want, change := range map[string]sweep.Change{
		"bench.changed: ntk:4: the encoding nope has no frequencies to scale": {RoPE: "ntk:4"},
		`bench.changed: rope "fast": want none, or one of`:                    {RoPE: "fast"},
		`bench.changed: scale "log": want log-n`:                              {Scale: "log"},
	} {
		s := opened(t)
		s.Runs[0].Bench.Changed = []sweep.Change{change}
		if err := s.checkRuns(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// Rows of configurations that the sweep file does not have are named once for each, and no others,
// whichever runs are chosen.
func TestForeign(t *testing.T) {
	s := opened(t)
	old := row(s.Runs[0], 2)
	old.Model, old.ConfigHash = "copy-nope-tiny-short-s1", "another"
	if err := s.add([]eval.Row{row(s.Runs[0], 2), old, old, row(s.Runs[3], 8)}); err != nil {
		t.Fatal(err)
	}
	if err := s.Only("short"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"copy-nope-tiny-short-s1"}, s.Foreign); diff != "" {
		t.Errorf("foreign (-want +got)\n%s", diff)
	}
}

// A file of rows that is damaged, at its opening or when rows are added, is said to be, and stays.
func TestDamagedResults(t *testing.T) {
	s := opened(t)
	if err := s.add([]eval.Row{row(s.Runs[0], 2)}); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(s.Results)
	if err != nil {
		t.Fatal(err)
	}
	broken := whole[:len(whole)-4]
	if err := os.WriteFile(s.Results, broken, 0o644); err != nil {
		t.Fatal(err)
	}
	_, opening := Open(s.folder, "runs")
	for what, err := range map[string]error{"open": opening, "add": s.add([]eval.Row{row(s.Runs[0], 4)})} {
		if err == nil || !strings.Contains(err.Error(), "results.jsonl.gz is damaged: ") ||
			!strings.Contains(err.Error(), "git checkout -- ") {
			t.Errorf("%s: error %v", what, err)
		}
	}
	if now, err := os.ReadFile(s.Results); err != nil || !bytes.Equal(now, broken) {
		t.Errorf("the file was changed (%v)", err)
	}
}

// Parts and patterns choose runs, in the order of the study.
func TestOnly(t *testing.T) {
	for _, c := range []struct {
		only []string
		want string
	}{
		{nil, "copy-nope-tiny-short-s1 copy-rope-tiny-short-s1 copy-nope-tiny-long-s1 copy-rope-tiny-long-s1"},
		{[]string{"long"}, "copy-nope-tiny-long-s1 copy-rope-tiny-long-s1"},
		{[]string{"*-rope-*-long-*", "short"}, "copy-nope-tiny-short-s1 copy-rope-tiny-short-s1 copy-rope-tiny-long-s1"},
	} {
		s := opened(t)
		if err := s.Only(c.only...); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range s.Runs {
			got = append(got, r.Name)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%v: %v, want %s", c.only, got, c.want)
		}
	}
	for name, want := range map[string]string{
		"": "its parts: short, long; ", "lon": `no part of the study mini has the name "lon"`, "[": "syntax error in pattern",
	} {
		if err := opened(t).Only(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", name, err, want)
		}
	}
}

// Where no part has a name, none is listed.
func TestOnlyWithoutParts(t *testing.T) {
	s, err := Open("../../studies/nope", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	const want = `no part of the study nope has the name "lon", and no run either; a pattern such as "*-s1"`
	if err := s.Only("lon"); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
}

// One program at a time adds rows.
func TestClaim(t *testing.T) {
	s := opened(t)
	release, err := s.claim()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.claim(); err == nil || !strings.Contains(err.Error(), "another zoo study is at work on "+s.folder) {
		t.Errorf("a second one: %v", err)
	}
	release()
	if release, err = s.claim(); err != nil {
		t.Fatal(err)
	}
	release()
	if left, err := os.ReadDir(s.folder); err != nil || len(left) != 1 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
}
