package sweep

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/placement"
)

// Lists that multiply to more runs than there can be are refused before any is made,
// also where the product overflows.
func TestHugeSweep(t *testing.T) {
	for _, n := range []int{200, 1 << 13} {
		var list strings.Builder
		for i := range n {
			fmt.Fprintf(&list, "%d, ", i+1)
		}
		f, err := parse("huge", fmt.Appendf(nil, "seeds: [%s]\ngrid: {train.steps: [%[1]s], train.batch: [%[1]s], "+
			"train.warmup: [%[1]s], train.examples: [%[1]s]}", &list))
		if err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("%d seeds × %[1]d grid.train.batch × %[1]d grid.train.examples × %[1]d grid.train.steps "+
			"× %[1]d grid.train.warmup are more than 10000 runs", n)
		if runs, err := f.runs("", configs.Sources{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d runs, error %v; want %q", len(runs), err, want)
		}
	}
}

// TestPlacementSection: a file says where runs are trained, for all of them, and that changes none.
func TestPlacementSection(t *testing.T) {
	const runs = "encodings: [nope, rope]\n"
	hashes := func(text string) (out []string) {
		f, err := parse("any", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		all, err := f.runs("", configs.Sources{})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range all {
			out = append(out, r.Config.Hash())
		}
		if len(text) > len(runs) && (f.at != placement.Placement{Provider: "cuda", Device: "1"}) {
			t.Errorf("placed at %+v", f.at)
		}
		return out
	}
	if diff := cmp.Diff(hashes(runs), hashes(runs+"placement: {provider: cuda, device: 1}")); diff != "" {
		t.Errorf("hashes (-without +with a placement):\n%s", diff)
	}
	for text, want := range map[string]string{
		"placement: cuda":                            "placement is cuda: want a section",
		"placement: {provider: 3}":                   "placement.provider is 3: want a name",
		"placement: {device: 0, devices: all}":       "placement has device and devices; leave one of them out",
		"placement: {per_device: 2}":                 "placement.per_device is of devices, and none are given",
		"placement: {devices: [0], per_device: 0}":   "placement.per_device is 0: want a whole number of 1 or more",
		"placement: {card: 1}":                       `placement: unknown key "card"`,
		"parts: [{placement: {provider: cuda}}, {}]": `part 1: unknown key "placement"`,
	} {
		if _, err := parse("any", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}

// TestPaperOnEachTask holds the sweep paper against the sizes of the paper's data and
// the lengths of its tasks, and its preset alone against the sweep.
func TestPaperOnEachTask(t *testing.T) {
	f, err := read("paper")
	if err != nil {
		t.Fatal(err)
	}
	p := &f.parts[0]
	runs := 0
	for _, pick := range p.choices() {
		if p.axes[0].key != "train.seed" || pick[0] > 0 || pick[2] > 0 {
			continue
		}
		r, err := p.resolve("", pick, configs.Sources{})
		if err != nil {
			t.Fatal(err)
		}
		runs++
		c := r.Config
		name, paper := strings.CutSuffix(c.Train.Task, "+paper")
		k, err := task.Lookup(name)
		if err != nil || !paper {
			t.Fatalf("task %s: %v", c.Train.Task, err)
		}
		want := []int{100_000, 40_000, 2400}
		switch name {
		case "scan":
			want[0] = 15_997
		case "pcfg":
			want = []int{72_909, 100_000, 6000}
		}
		if got := []int{c.Train.Examples, c.Train.Steps, c.Train.Warmup}; !slices.Equal(got, want) {
			t.Errorf("%s: examples, steps and warmup are %v, want %v", name, got, want)
		}
		if c.Train.Lengths != k.Train.String() || c.Train.Batch != 64 || c.Train.PoolSteps != 0 ||
			c.Train.WarmupFrom != "zero" || c.Model.Settings != "faithful" {
			t.Errorf("%s: %+v", name, c)
		}
		preset, err := configs.Load(configs.Sources{Preset: "paper",
			Overrides: []configs.Value{{Key: "train.task", Value: c.Train.Task},
				{Key: "train.seed", Value: c.Train.Seed}}})
		if err != nil {
			t.Fatal(err)
		}
		alone, err := preset.Config("")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(alone, c); diff != "" {
			t.Errorf("%s: the preset alone differs (-preset +sweep):\n%s", name, diff)
		}
	}
	if runs != 17 {
		t.Errorf("%d tasks, want 17", runs)
	}
}
