package analysis

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/models"
)

// What an interruption leaves in the file is not looked into again, and the end is the same as without it. Other
// weights, other sequences, maps that are not there and cells of which some observations are missing are looked into.
func TestResume(t *testing.T) {
	cfg := models.Config{Encoding: "nope", DModel: 8, NLayers: 1, NHeads: 2, DFF: 4}
	plan := func(seed uint64, change func(*Options)) *Plan {
		m := blank(t, cfg)
		model, err := models.New(m.Config)
		if err != nil {
			t.Fatal(err)
		}
		m.Weights = models.InitWeights(model.Params(), seed)
		read, err := NewModel("m", m)
		if err != nil {
			t.Fatal(err)
		}
		o := Defaults()
		o.Samples, o.Lengths, o.Probe = 2, []int{3, 5}, true
		if change != nil {
			change(&o)
		}
		p, err := NewPlan([]*Model{read}, o)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	want := observations(t, plan(1, nil))

	path := filepath.Join(t.TempDir(), "observations.jsonl")
	p := plan(1, nil)
	log, err := p.Resume(path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	err = p.run(ctx, log, func(sequences int64, _ func() string) {
		if sequences == 7 { // of the fourth cell of 8
			stop()
		}
	})
	if !errors.Is(err, context.Canceled) || p.Done != 3 || p.Cells != 8 {
		t.Fatalf("%d of %d cells, error %v", p.Done, p.Cells, err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"schema":1,"meas`); err != nil { // of a program that was killed
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	p = plan(1, nil)
	if log, err = p.Resume(path); err != nil || log.Repaired == "" {
		t.Fatalf("repaired %q, error %v", log.Repaired, err)
	}
	defer log.Close()
	if p.Done != 3 || p.Read != 6 {
		t.Errorf("%d cells of %d sequences are taken from the file", p.Done, p.Read)
	}
	left := int64(0)
	got, err := p.Run(t.Context(), log, func(int64, func() string) { left++ })
	if err != nil || left == 0 {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("not as without the interruption (-want +got):\n%s", diff)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	_, kept, err := eval.Read(file)
	if diff := cmp.Diff(want, kept); err != nil || diff != "" {
		t.Errorf("error %v, the file (-want +got):\n%s", err, diff)
	}

	withMaps := func(o *Options) { o.Maps = true }
	mapped := observations(t, plan(1, withMaps))
	for name, tc := range map[string]struct {
		plan  *Plan
		found []eval.Observation
		want  int
	}{
		"all":                      {plan(1, nil), kept, 8},
		"more than asked for":      {plan(1, func(o *Options) { o.Lengths = []int{5} }), kept, 4},
		"measured twice":           {plan(1, nil), append(kept[:len(kept):len(kept)], kept...), 8},
		"other weights":            {plan(2, nil), kept, 0},
		"more sequences":           {plan(1, func(o *Options) { o.Samples = 3 }), kept, 0},
		"others":                   {plan(1, func(o *Options) { o.Seed = 9 }), kept, 0},
		"fitted elsewhere":         {plan(1, func(o *Options) { o.Lengths = []int{3} }), kept, 2},
		"maps, of attention":       {plan(1, withMaps), kept, 4},
		"maps that are there":      {plan(1, withMaps), mapped, 8},
		"the first one is missing": {plan(1, nil), kept[1:], 7},
		"a file of before":         {plan(1, nil), withoutCells(kept), 0},
	} {
		if tc.plan.takeAll(tc.found); tc.plan.Done != tc.want {
			t.Errorf("%s: %d cells are there, want %d", name, tc.plan.Done, tc.want)
		}
	}
}

func withoutCells(all []eval.Observation) []eval.Observation {
	out := make([]eval.Observation, len(all))
	for i, o := range all {
		o.Cell, o.Together = "", 0
		out[i] = o
	}
	return out
}
