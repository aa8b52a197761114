package bench

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/tasktest"
)

// A model that is measured on a corpus has a row of bits per byte for each length, and one that says
// why for lengths that too few documents have; a second plan finds them all in the log.
func TestText(t *testing.T) {
	var documents []task.Document
	for i := range 80 {
		documents = append(documents, task.Document{Text: strings.Repeat(fmt.Sprintf("line %d\n", i), 20)})
	}
	path := tasktest.WriteCorpus(t, "lines.jsonl", documents)
	k := lookup(t, "text:"+path)
	o := Defaults()
	o.Providers, o.Tasks, o.Samples, o.Batches = []string{"go"}, []task.Task{k}, 6, []int{4}
	o.Lengths = task.Spans(8, 32, 100_000)
	model := untrainedOn(t, "alibi", "text:"+path, card.Portable)
	plan, err := newPlan(t, o, model)
	if err != nil {
		t.Fatal(err)
	}
	told, file := 0, filepath.Join(t.TempDir(), "rows.jsonl")
	if err := plan.run(t.Context(), file, Watch{Task: func(rows []eval.Row) error { told = len(rows); return nil }}); err != nil {
		t.Fatal(err)
	}
	rows := plan.rows()
	if len(rows) != 3 || told != 3 {
		t.Fatalf("%d rows, %d told, want 3", len(rows), told)
	}
	for _, r := range rows[:2] {
		if r.Text == nil || r.Text.N != 6 || !(r.Text.Bits > 4 && r.Text.Bits < 16) { // of a model that has learned nothing
			t.Errorf("%+v", r.Text)
		}
	}
	for _, r := range rows { // windows of all lengths end where one of 32 tokens has room
		if r.LongestWindow != 32 || r.TaskVersion != 2 {
			t.Errorf("length %d: the longest window has %d tokens, version %d", r.Length, r.LongestWindow, r.TaskVersion)
		}
	}
	if !rows[2].NA {
		t.Errorf("%+v", rows[2])
	}
	again, err := newPlan(t, o, model)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := again.resumeFrom(file); n != 3 || err != nil {
		t.Errorf("%d of 3 rows are found again, error %v", n, err)
	}
	o.Lengths = []task.Span{{Min: 8, Max: 16}}
	if _, err := newPlan(t, o, model); err == nil || !strings.Contains(err.Error(), "8-16 is a bin") {
		t.Errorf("error %v", err)
	}
}

// The whole of a corpus has lengths that its test documents lack. A model that zoo trained has seen most of it.
func TestTextWhole(t *testing.T) {
	var documents []task.Document
	for i := range 40 {
		documents = append(documents, task.Document{Text: fmt.Sprintf("a short line %d\n", i)})
	}
	for i := range task.MinDocuments {
		documents = append(documents, task.Document{Text: strings.Repeat(fmt.Sprintf("line %d\n", i), 20)})
	}
	path := tasktest.WriteCorpus(t, "long.jsonl", documents)
	o := Defaults()
	o.Providers, o.Tasks, o.Samples, o.Batches, o.Lengths = []string{"go"}, []task.Task{lookup(t, "text:"+path)}, 2, []int{2}, task.Spans(64)
	trained := untrainedOn(t, "alibi", "text:"+path, card.Portable)
	for split, na := range map[task.Split]bool{"": true, task.Test: true, task.Whole: false} {
		o.Split = split
		model := trained
		if !na {
			if _, err := newPlan(t, o, trained); err == nil || !strings.Contains(err.Error(), "split whole has documents that training may have had") {
				t.Errorf("error %v", err)
			}
			model = carded(t, "alibi", "text:"+path, card.Portable, card.Card{})
		}
		plan, err := newPlan(t, o, model)
		if err != nil {
			t.Fatal(err)
		}
		if err := plan.run(t.Context(), filepath.Join(t.TempDir(), "rows.jsonl"), Watch{}); err != nil {
			t.Fatal(err)
		}
		if r := plan.rows()[0]; r.NA != na || !na && (r.Split != string(task.Whole) || r.Text.N != 2) {
			t.Errorf("split %q: %+v", split, r)
		}
	}
}
