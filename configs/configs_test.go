package configs_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/train/runfile"
)

func TestNames(t *testing.T) {
	for kind, want := range map[string]string{configs.Presets: "tiny", configs.Sweeps: "paper"} {
		names := configs.Names(kind)
		if !slices.Contains(names, want) {
			t.Errorf("%v lacks %s", names, want)
		}
		for _, name := range names {
			if about, err := configs.Describe(kind, name); err != nil || about.Text == "" {
				t.Errorf("%s: %d bytes, %v", name, len(about.Text), err)
			}
		}
		for _, name := range []string{"nothing", "", "../configs/tiny", "sweeps/paper"} {
			if _, err := configs.Describe(kind, name); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: error %v, want one that lists the known names", name, err)
			}
		}
	}
}

// A preset that starts from another has what that has, except what it gives itself.
func TestPresetOverPreset(t *testing.T) {
	tiny, err := configs.Preset("tiny")
	if err != nil {
		t.Fatal(err)
	}
	for name, window := range map[string]models.Windows{"smollm3": "", "llama4": "16*3/0", "rnope-swa": "8*3/0"} {
		want := tiny
		want.Model.Encoding, want.Model.NLayers, want.Model.Window = "rope*3/nope", 4, window
		got, err := configs.Preset(name)
		if err != nil {
			t.Fatal(err)
		}
		if got.Hash() != want.Hash() {
			t.Errorf("%s: %s", name, configs.Difference(want, got))
		}
		l, err := configs.Load(configs.Sources{Preset: name, Encodings: []string{"alibi"},
			Overrides: []configs.Value{{Key: "train.task", Value: "parity", From: "--task"}}})
		if err != nil {
			t.Fatal(err)
		}
		other, err := l.Config("alibi")
		if err != nil || other.Train.Lengths != "4..8" || other.Model.NLayers != 4 || other.Train.Steps != tiny.Train.Steps {
			t.Errorf("%s with another task and encoding: %+v, %v", name, other, err)
		}
		if from := l.Origin("train.steps"); from != "preset tiny" {
			t.Errorf("%s: train.steps is from %s", name, from)
		}
	}
}

// Two starts differ by what they say, not by where they lie.
func TestDifferenceOfStarts(t *testing.T) {
	base, err := configs.Preset("tiny")
	if err != nil {
		t.Fatal(err)
	}
	from := func(s *runfile.Start) runfile.Config {
		c := base
		c.From = s
		return c
	}
	first, same, other := &runfile.Start{Run: "a", Step: 1}, &runfile.Start{Run: "a", Step: 1}, &runfile.Start{Run: "a", Step: 2}
	for _, tc := range []struct {
		was, now *runfile.Start
		want     string
	}{
		{nil, nil, ""}, {first, first, ""}, {first, same, ""},
		{nil, first, "it began with random weights, now with a, step 1"},
		{first, nil, "it began with a, step 1, now with random weights"},
		{first, other, "it began with a, step 1, now with a, step 2"},
	} {
		if got := configs.Difference(from(tc.was), from(tc.now)); got != tc.want {
			t.Errorf("%v and %v: %q, want %q", tc.was, tc.now, got, tc.want)
		}
	}
}
