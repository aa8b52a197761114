package main

import (
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval/bench"
	"github.com/nopezoo/zoo/zoo"
)

// Without a task one is measured: that of the runs, or of the catalogue where there
// are none; among several the headline's, else the first that "zoo list tasks" has.
func TestChooseTask(t *testing.T) {
	in := func(encoding, task string) zoo.Manifest {
		return zoo.Manifest{Card: card.Card{Encoding: encoding, Task: task}}
	}
	of := func(encoding, task string) runInfo { return runInfo{Encoding: encoding, Task: task} }
	catalogue := []zoo.Manifest{in("rope", "addition"), in("rope", zoo.Headline), in("nope", "copy"), in("nope", "parity"), in("cwrnn", "parity")}
	for _, tc := range []struct {
		name      string
		f         finder
		encodings []string
		want      string
		others    string
	}{
		{"the catalogue's headline", finder{catalogue: catalogue}, nil, zoo.Headline, "copy, addition, parity"},
		{"of one encoding", finder{catalogue: catalogue}, []string{"nope"}, "copy", "parity"},
		{"no choice", finder{catalogue: catalogue}, []string{"cwrnn"}, "", ""},
		{"runs come first", finder{catalogue: catalogue, runs: []runInfo{of("rope", "sorting"), of("nope", "reverse")}}, nil, "reverse", "sorting"},
		{"runs with the headline, options and mixtures", finder{runs: []runInfo{of("rope", "addition+full,"+zoo.Headline+"+noprefix")}}, nil, zoo.Headline, "addition"},
		{"runs of one task", finder{catalogue: catalogue, runs: []runInfo{of("rope", "copy+noprefix"), of("nope", "copy")}}, nil, "", ""},
		{"runs of no task", finder{runs: []runInfo{of("rope", "")}}, nil, "", ""},
		{"runs of other encodings", finder{catalogue: catalogue, runs: []runInfo{of("alibi", "lego")}}, []string{"nope"}, "copy", "parity"},
	} {
		var notes strings.Builder
		a := &app{stderr: &notes}
		if got := a.chooseTask(tc.f, tc.encodings); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
		if want := "--task NAME another one: " + tc.others + "\n"; tc.want != "" && !(strings.Contains(notes.String(), want) && strings.Contains(notes.String(), "--task all")) {
			t.Errorf("%s: %q does not say how to get the others", tc.name, &notes)
		}
	}
}

// The tables of a task come as soon as it is complete, and once.
func TestBenchShowsFinishedTasks(t *testing.T) {
	var out strings.Builder
	a := &app{stdout: &out, stderr: io.Discard}
	o := benchOptions{
		Options: bench.Defaults(), task: "copy,copy+paper", lengths: "2,4", seeds: []uint{1}, runs: "runs", format: "table",
	}
	o.Providers, o.Samples = []string{"go"}, 2
	p, err := a.planBench(t.Context(), o, []string{untrainedFile(t, "rope")})
	if err != nil {
		t.Fatal(err)
	}
	printer, err := a.startPrinting(p, o)
	if err != nil {
		t.Fatal(err)
	}
	var shown []int
	titles := func() int { return strings.Count(out.String(), "task copy") }
	err = p.Run(t.Context(), nil, bench.Watch{Finished: func(c *bench.Cell) error {
		err := printer.measured(c)
		shown = append(shown, titles())
		return err
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := printer.rest(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{0, 1, 1, 2, 2}, append(shown, titles())); diff != "" {
		t.Errorf("tasks shown after each cell (-want +got):\n%s", diff)
	}
	out.Reset()
	if _, err := a.startPrinting(p, o); err != nil || titles() != 2 {
		t.Errorf("what was measured before shows %d tasks, error %v", titles(), err)
	}
}

// Tables are as wide as COLUMNS says, and 80 in a pipe.
func TestWidth(t *testing.T) {
	a := &app{stdout: &results{w: &strings.Builder{}}}
	for columns, want := range map[string]int{"": 80, "120": 120, "wide": 80, "-1": 80} {
		t.Setenv("COLUMNS", columns)
		if got := a.width(); got != want {
			t.Errorf("COLUMNS=%s: %d, want %d", columns, got, want)
		}
	}
}
