package main

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/train"
)

// trainConfig resolves the configuration of a command line of zoo train, without the
// environment.
func trainConfig(t *testing.T, args ...string) (train.Config, error) {
	t.Helper()
	c := trainVerb(&app{})
	if err := c.ParseFlags(args); err != nil {
		t.Fatal(err)
	}
	var o trainOptions
	o.set, _ = c.Flags().GetStringArray("set")
	s, err := o.sources(c)
	if err != nil {
		return train.Config{}, err
	}
	s.User, s.Environ = "", nil
	l, err := configs.Load(s)
	if err != nil {
		return train.Config{}, err
	}
	return l.Config("")
}

// TestFlagsAndSet: a flag and --set reach the configuration, and may not give the same key.
func TestFlagsAndSet(t *testing.T) {
	c, err := trainConfig(t, "--preset", "small", "--lr", "0.5", "--set", "train.batch=7")
	if err != nil || c.Train.LR != 0.5 || c.Train.Batch != 7 || c.Train.Steps != 10000 {
		t.Errorf("%+v, %v", c.Train, err)
	}
	for want, args := range map[string][]string{
		"--set train.steps=2: --steps gives train.steps too; give it once": {"--steps", "1", "--set", "train.steps=2"},
		"--set train.steps: want key=value, such as train.steps=100":       {"--set", "train.steps"},
	} {
		if _, err := trainConfig(t, args...); err == nil || err.Error() != want {
			t.Errorf("%v: error %v, want %q", args, err, want)
		}
	}
}

// TestFlagsStandForKeys holds the flags against the keys that they stand for.
func TestFlagsStandForKeys(t *testing.T) {
	c := trainVerb(&app{})
	kinds := map[string]string{"int": "a whole number", "uint64": "a whole number of 0 or more", "float64": "a number", "string": "text"}
	for key, name := range trainFlags {
		s, err := configs.Find(key)
		if err != nil {
			t.Error(err)
			continue
		}
		f := c.Flags().Lookup(name)
		if f == nil {
			t.Errorf("%s: there is no flag --%s", key, name)
			continue
		}
		if diff := cmp.Diff(s.Kind, kinds[f.Value.Type()]); diff != "" {
			t.Errorf("--%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestPaperOnEachTask holds the sweep paper against the sizes of the paper's data and
// the lengths of its tasks, and its preset alone against the sweep.
func TestPaperOnEachTask(t *testing.T) {
	data, err := configs.ReadSweep("paper")
	if err != nil {
		t.Fatal(err)
	}
	f, err := parseSweep(data)
	if err != nil {
		t.Fatal(err)
	}
	runs := 0
	for _, pick := range f.choices() {
		if f.axes[0].key != "train.seed" || pick[0] > 0 || pick[2] > 0 {
			continue
		}
		r, err := f.resolve(pick, configs.Sources{})
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
		if c.Train.Lengths != k.Train.String() || c.Train.Batch != 64 || c.Train.PoolSteps != 0 || c.Train.WarmupFrom != "zero" || c.Model.Settings != "faithful" {
			t.Errorf("%s: %+v", name, c)
		}
		alone, err := trainConfig(t, "--preset", "paper", "--task", c.Train.Task, "--seed", strconv.FormatUint(c.Train.Seed, 10))
		if err != nil {
			t.Fatal(err)
		}
		if alone.Hash() != c.Hash() {
			t.Errorf("%s: the preset alone differs: %s", name, difference(alone, c))
		}
	}
	if runs != 17 {
		t.Errorf("%d tasks, want 17", runs)
	}
}
