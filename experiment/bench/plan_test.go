package bench

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/runtime"
)

// The cells multiply out in a fixed order; what is asked for twice is one cell.
func TestPlan(t *testing.T) {
	o := Defaults()
	o.Tasks = []task.Task{lookup(t, "copy"), lookup(t, "copy+paper")}
	o.Lengths, o.Seeds, o.Samples = task.Spans(2, 4), []uint64{1, 2}, 5
	o.Providers, o.Threads, o.Batches = []string{"cpu", "go"}, []int{1, 2}, []int{8, 8}
	p, err := newPlan(t, o, untrained(t, "rope"))
	if err != nil {
		t.Fatal(err)
	}
	type at struct {
		provider       string
		threads, batch int
		task           string
		seed           uint64
		length         int
	}
	var got, want []at
	for _, c := range p.Cells {
		got = append(got, at{c.Provider, c.Threads, c.Batch, c.Task, c.Seed, c.Length})
	}
	for _, e := range []at{{provider: "cpu", threads: 1}, {provider: "cpu", threads: 2}, {provider: "go", threads: 1},
		{provider: "go", threads: 2}} {
		for _, task := range []string{"copy", "copy+paper"} {
			for _, seed := range []uint64{1, 2} {
				for _, length := range []int{2, 4} {
					want = append(want, at{e.provider, e.threads, 8, task, seed, length})
				}
			}
		}
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(at{})); diff != "" {
		t.Errorf("cells (-want +got):\n%s", diff)
	}
	if len(p.groups) != 4 {
		t.Errorf("%d groups, want one for each session", len(p.groups))
	}
}

// A bin is a cell of its own, beside its last length: neither answers for the other.
func TestPlanOfBins(t *testing.T) {
	bin, o := task.Span{Min: 2, Max: 4}, Defaults()
	o.Lengths, o.Providers, o.Samples = []task.Span{bin, task.At(4)}, []string{"go"}, 5
	plan := func(o Options) *Plan {
		t.Helper()
		p, err := newPlan(t, o, untrained(t, "rope"))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	p := plan(o)
	if c := p.Cells[0]; c.LengthMin != 2 || c.Length != 4 || c.name() != "rope at length 2–4, copy" {
		t.Errorf("cell %+v", c)
	}
	seconds, err := p.Estimate(t.Context(), "")
	if err != nil || seconds <= 0 {
		t.Errorf("estimate %v s, %v", seconds, err)
	}
	if err := p.run(t.Context(), "", Watch{}); err != nil {
		t.Fatal(err)
	}
	rows := p.rows()
	if rows[0].Span() != bin || rows[0].Timed() || rows[0].N != 5 || !rows[1].Timed() {
		t.Errorf("rows %+v", rows)
	}
	for i, at := range o.Lengths {
		again := o
		again.Lengths = []task.Span{at}
		if n := plan(again).resume(rows[1-i : 2-i]); n != 0 {
			t.Errorf("length %s is answered by the other row", at)
		}
		if n := plan(again).resume(rows); n != 1 {
			t.Errorf("length %s is measured again", at)
		}
	}
	o.Untimed = true
	if n := plan(o).resume(rows); n != 2 {
		t.Errorf("%d of 2 cells without times are answered by rows that have them", n)
	}
}

// A plan that is interrupted keeps its rows; one made again goes on from the log.
func TestRunGoesOn(t *testing.T) {
	o := Defaults()
	o.Lengths, o.Providers, o.Samples = task.Spans(2, 3, 4), []string{"go"}, 2
	path := filepath.Join(t.TempDir(), "new", "rows.jsonl")
	run := func(ctx context.Context, during func(cell string)) (*Plan, error) {
		p, err := newPlan(t, o, untrained(t, "rope"))
		if err != nil {
			t.Fatal(err)
		}
		last := int64(0)
		return p, p.run(ctx, path, Watch{Progress: func(cell string, done, total int64) {
			if done < last || done > total {
				t.Errorf("%s: %d of %d done, %d before", cell, done, total, last)
			}
			last = done
			during(cell)
		}})
	}
	ctx, cancel := context.WithCancel(t.Context())
	p, err := run(ctx, func(cell string) {
		if cell == "rope at length 3, copy" {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || len(p.rows()) != 1 {
		t.Fatalf("interrupted with %d rows, error %v", len(p.rows()), err)
	}
	measured := map[string]bool{}
	p, err = run(t.Context(), func(cell string) { measured[cell] = true })
	if err != nil || len(p.rows()) != 3 || measured["rope at length 2, copy"] || len(measured) != 2 {
		t.Errorf("%d rows, error %v, cells measured then: %v; want the other two", len(p.rows()), err, measured)
	}
	again, err := newPlan(t, o, untrained(t, "rope"))
	if err != nil {
		t.Fatal(err)
	}
	if found, err := again.resumeFrom(path); found != 3 || err != nil {
		t.Errorf("%d of 3 rows in the file, error %v", found, err)
	}
	if diff := cmp.Diff(p.rows(), again.rows()); diff != "" {
		t.Errorf("the file holds other rows (-plan +file):\n%s", diff)
	}
}

// A task is told of as soon as its last cell has a row, and once; one that was measured
// before, at once.
func TestRunTellsOfTasks(t *testing.T) {
	o := Defaults()
	o.Tasks = []task.Task{lookup(t, "copy"), lookup(t, "copy+paper")}
	o.Lengths, o.Providers, o.Samples = task.Spans(2, 4), []string{"go"}, 2
	p, err := newPlan(t, o, untrained(t, "rope"))
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	watch := Watch{Task: func(rows []eval.Row) error {
		for _, r := range rows {
			told = append(told, fmt.Sprintf("%s at %d", r.Task, r.Length))
		}
		told = append(told, fmt.Sprintf("with %d rows", len(p.rows())))
		return nil
	}}
	if err := p.run(t.Context(), "", watch); err != nil {
		t.Fatal(err)
	}
	want := []string{"copy at 2", "copy at 4", "with 2 rows", "copy+paper at 2", "copy+paper at 4", "with 4 rows"}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("tasks told of (-want +got):\n%s", diff)
	}
	told = nil
	if err := p.run(t.Context(), "", watch); err != nil || len(told) != 6 {
		t.Errorf("what was measured before: told of %v, error %v", told, err)
	}
}

// Nodes may go to the CPU from the devices among the providers, and from no other.
func TestCPUNodesOfDevices(t *testing.T) {
	o := Defaults()
	o.Lengths, o.Providers, o.Samples = task.Spans(2), []string{"go", "webgpu"}, 2
	o.Runtime.AllowCPUNodes = true
	p, err := newPlan(t, o, untrained(t, "rope"))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, g := range p.groups {
		got[g.runtime.Provider] = g.runtime.AllowCPUNodes
	}
	if diff := cmp.Diff(map[string]bool{"go": false, "webgpu": true}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if err := runtime.Check(p.groups[0].runtime); err != nil { // of provider go
		t.Error(err)
	}
}

// What this machine lacks is an error before anything runs.
func TestRunChecksProviders(t *testing.T) {
	o := Defaults()
	o.Lengths, o.Providers, o.Samples = task.Spans(2), []string{"cpu"}, 2
	o.Runtime.Library = filepath.Join(t.TempDir(), "none.so")
	p, err := newPlan(t, o, untrained(t, "rope"))
	if err != nil {
		t.Fatal(err)
	}
	watch := Watch{Done: func(what string, _ []eval.Row) { t.Errorf("a session of %s", what) }}
	err = p.run(t.Context(), "", watch)
	if !errors.Is(err, runtime.ErrNoRuntime) && !errors.Is(err, runtime.ErrNoCgo) {
		t.Errorf("error %v", err)
	}
}

// What half of the samples answered stands for all where none was right, and else does not.
func TestResumeOfHalves(t *testing.T) {
	o := Defaults()
	o.Lengths, o.Providers, o.Samples, o.Untimed, o.Halve = task.Spans(2, 3), []string{"go"}, 4, true, true
	plan := func(o Options) *Plan {
		p, err := newPlan(t, o, untrained(t, "rope"))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	p := plan(o)
	if err := p.run(t.Context(), "", Watch{}); err != nil {
		t.Fatal(err)
	}
	rows := p.rows()
	if rows[0].N != 2 || rows[1].N != 2 || rows[0].Correct+rows[1].Correct > 0 {
		t.Fatalf("an untrained model has rows %+v", rows)
	}
	rows[1].Correct = 1
	if n := plan(o).resume(rows); n != 1 {
		t.Errorf("%d cells are answered, want the one where none was right", n)
	}
	o.Halve = false
	if n := plan(o).resume(rows); n != 0 {
		t.Errorf("%d cells of all samples are answered by halves", n)
	}
}

// Groups side by side are begun one after the other, and workers without one help with the cells that are left.
func TestNext(t *testing.T) {
	a, b := &shared{left: make([]*Cell, 1)}, &shared{left: make([]*Cell, 2)}
	all := []*shared{a, b}
	for i, want := range []*shared{a, b, b, nil} {
		got := next(all)
		if got != want {
			t.Fatalf("choice %d is wrong", i)
		}
		if got != nil {
			got.left, got.workers = got.left[1:], got.workers+1
		}
	}
}

// A model is done, once, when the length with times and those without have rows.
func TestDoneWithTimes(t *testing.T) {
	o := Defaults()
	o.Lengths, o.Providers, o.Samples, o.OneTimed = task.Spans(2, 3, 4), []string{"go"}, 2, true
	p, err := newPlan(t, o, untrained(t, "rope"), untrained(t, "nope"))
	if err != nil {
		t.Fatal(err)
	}
	var done []string
	if err := p.run(t.Context(), "", Watch{Done: func(what string, rows []eval.Row) {
		timed := 0
		for _, r := range rows {
			if r.Timed() {
				timed++
			}
		}
		done = append(done, fmt.Sprintf("%s: %d, timed %d", what, len(rows), timed))
	}}); err != nil {
		t.Fatal(err)
	}
	slices.Sort(done)
	if diff := cmp.Diff([]string{"nope: 3, timed 1", "rope: 3, timed 1"}, done); diff != "" {
		t.Errorf("models that are done (-want +got):\n%s", diff)
	}
}

// Several workers measure the cells of several models, each in one session, to the same rows as one worker.
func TestSideBySide(t *testing.T) {
	o := Defaults()
	o.Lengths, o.Providers, o.Samples, o.Untimed, o.Threads = task.Spans(2, 3, 4, 5, 6), []string{"go"}, 4, true, []int{1}
	rows := func(cores int) []eval.Row {
		p, err := newPlan(t, o, untrained(t, "rope"), untrained(t, "nope"))
		if err != nil {
			t.Fatal(err)
		}
		p.machine.Cores = cores
		var done []string
		if err := p.run(t.Context(), "", Watch{Done: func(what string, rows []eval.Row) {
			done = append(done, fmt.Sprintf("%s: %d", what, len(rows)))
		}}); err != nil {
			t.Fatal(err)
		}
		slices.Sort(done)
		if diff := cmp.Diff([]string{"nope: 5", "rope: 5"}, done); diff != "" {
			t.Errorf("%d cores: models that are done (-want +got):\n%s", cores, diff)
		}
		return p.rows()
	}
	if diff := cmp.Diff(rows(1), rows(4)); diff != "" {
		t.Errorf("rows of one worker and of several (-one +several):\n%s", diff)
	}
}
