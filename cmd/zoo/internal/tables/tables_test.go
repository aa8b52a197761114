package tables_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/cmd/zoo/internal/doctor"
	"github.com/nopezoo/zoo/cmd/zoo/internal/tables"
	"github.com/nopezoo/zoo/cmd/zoo/internal/terminal"
	"github.com/nopezoo/zoo/export"
	"github.com/nopezoo/zoo/internal/ort"
	"github.com/nopezoo/zoo/runtime/ort/install"
	"github.com/nopezoo/zoo/zoo/catalogue"
)

// TestModels: a model that was not measured says so, and one that never failed may go on further.
func TestModels(t *testing.T) {
	named := func(name, encoding string, scores ...catalogue.Score) catalogue.Manifest {
		return catalogue.Manifest{Name: name, Scores: scores, Card: card.Card{
			Task: "copy", Encoding: encoding, Trained: card.Lengths{Min: 2, Max: 4}, Parameters: 1234}}
	}
	catalogue := []catalogue.Manifest{
		named("a", "rope"), named("b", "nope", catalogue.Score{Length: 4, N: 2, Correct: 2},
			catalogue.Score{Length: 8, N: 2, Correct: 2}),
		named("c", "alibi"),
	}
	_, got := tables.Models(catalogue, func(encoding, _ string) bool { return encoding != "alibi" })
	want := [][]string{
		{"model", "trained", "inside", "reach", "params"},
		{"a", "2..4", "unknown", "none", "1.23k"},
		{"b", "2..4", "100 %", "≥ 8", "1.23k"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	values, none := tables.Models(catalogue, func(string, string) bool { return false })
	if data, err := json.Marshal(values); string(data) != "[]" || err != nil || len(none) > 0 {
		t.Errorf("none of them: %#v, %v; want an empty list, and no heading", values, none)
	}
}

// TestFile: operators with their counts, the most frequent first, and long metadata cut.
func TestFile(t *testing.T) {
	r := export.Report{ReadProblem: "too new",
		Ops: map[string]int{"Add": 1, "MatMul": 3, "Abs": 1}, Nodes: 5,
		Metadata: map[string]string{"long": strings.Repeat("é", 103)},
	}
	got := tables.File("x.onnx", r, nil)
	for _, want := range [][]string{
		{"file", "x.onnx (0 B)"}, {"operators", "5: MatMul 3, Abs 1, Add 1"},
		{"long", strings.Repeat("é", 45) + "… (58 more)"}, {"pure Go", "no: too new"},
	} {
		if !slices.ContainsFunc(got, func(line []string) bool { return slices.Equal(line, want) }) {
			t.Errorf("no line %q in %q", want, got)
		}
	}
}

// TestDoctor: where the library came from, or what to do without one.
func TestDoctor(t *testing.T) {
	for want, r := range map[string]doctor.Report{
		"no usable library; install it":     {Remedy: "install it"},
		"origin      npm, hash verified":    {Library: &install.Installed{Origin: "npm", Verified: true}},
		"origin      chosen by ZOO_ORT_LIB": {Library: &install.Installed{Library: ort.Library{Source: ort.FromEnv}}},
		"origin      not one of ours":       {Library: &install.Installed{}},
		"npm         not found (get it)":    {Tools: []doctor.Tool{{Name: "npm", Remedy: "get it"}}},
	} {
		var out strings.Builder
		if tables.Doctor(terminal.Streams{Out: &out}.Print, r); !strings.Contains(out.String(), "\n"+want) {
			t.Errorf("no line %q in:\n%s", want, &out)
		}
	}
}
