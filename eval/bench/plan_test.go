package bench

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/eval/task"
)

// The cells multiply out in a fixed order; what is asked for twice is one cell.
func TestPlan(t *testing.T) {
	o := Defaults()
	o.Tasks = []task.Task{lookup(t, "copy"), lookup(t, "copy+paper")}
	o.Lengths, o.Seeds, o.Samples = []int{2, 4}, []uint64{1, 2}, 5
	o.Providers, o.Threads, o.Batches = []string{"cpu", "go"}, []int{1, 2}, []int{8, 8}
	p, err := NewPlan(t.Context(), []Model{untrained(t, "rope")}, o)
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
	for _, c := range p.Cells() {
		got = append(got, at{c.Provider, c.Threads, c.Batch, c.Task, c.Seed, c.Length})
	}
	for _, e := range []at{{provider: "cpu", threads: 1}, {provider: "cpu", threads: 2}, {provider: "go"}} { // which heeds no threads
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
	if len(p.groups) != 3 {
		t.Errorf("%d groups, want one for each session", len(p.groups))
	}
}

// A plan that is interrupted keeps its rows; one made again goes on from the log.
func TestRunGoesOn(t *testing.T) {
	o := Defaults()
	o.Lengths, o.Providers, o.Samples = []int{2, 3, 4}, []string{"go"}, 2
	path := filepath.Join(t.TempDir(), "new", "rows.jsonl")
	finished := 0
	run := func(ctx context.Context, after func(c *Cell)) (*Plan, error) {
		p, err := NewPlan(ctx, []Model{untrained(t, "rope")}, o)
		if err != nil {
			t.Fatal(err)
		}
		log, err := OpenLog(path)
		if err != nil {
			t.Fatal(err)
		}
		defer log.Close()
		p.Resume(log.Rows)
		last, total := p.Work()
		return p, p.Run(ctx, log, Watch{
			Progress: func(c *Cell, done int64) {
				if done < last || done > total {
					t.Errorf("%s: %d of %d done, %d before", c, done, total, last)
				}
				last = done
			},
			Finished: func(c *Cell) error {
				finished++
				after(c)
				return nil
			},
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	if p, err := run(ctx, func(*Cell) { cancel() }); !errors.Is(err, context.Canceled) || len(p.Rows()) != 1 {
		t.Fatalf("interrupted with %d rows, error %v", len(p.Rows()), err)
	}
	p, err := run(t.Context(), func(c *Cell) {
		if c.Length == 2 {
			t.Error("length 2 was measured again")
		}
	})
	if err != nil || len(p.Rows()) != 3 || finished != 3 {
		t.Errorf("%d rows and %d cells measured, error %v; want 3 of both", len(p.Rows()), finished, err)
	}
	if rows, err := ReadLog(path); err != nil || cmp.Diff(rows, p.Rows()) != "" {
		t.Errorf("the log holds other rows: error %v, %s", err, cmp.Diff(rows, p.Rows()))
	}
}
