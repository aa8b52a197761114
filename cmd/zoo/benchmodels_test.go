package main

import (
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/eval/bench"
)

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
