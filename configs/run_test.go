package configs_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/train/runfile"
)

// trained makes a run directory with the configuration of a preset, changed.
func trained(t *testing.T, change func(c *runfile.Config)) string {
	t.Helper()
	c, err := configs.Preset("small")
	if err != nil {
		t.Fatal(err)
	}
	change(&c)
	data, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, runfile.ConfigFile), data, 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// New configurations say what older ones leave out in another sense; a second phase leaves out what its run
// does.
func TestRenewed(t *testing.T) {
	settings := func(s configs.Sources) string {
		t.Helper()
		l, err := configs.Load(s)
		if err != nil {
			t.Fatal(err)
		}
		c, err := l.Config("")
		if err != nil {
			t.Fatal(err)
		}
		return string(c.Model.EncodingParams)
	}
	sinusoidal := configs.Value{Key: "model.encoding", Value: "sinusoidal"}
	if got := settings(configs.Sources{Overrides: []configs.Value{sinusoidal}}); got != `{"learned":true}` {
		t.Errorf("new: %s", got)
	}
	fixed := configs.Value{Key: "model.encoding_params.amplitude", Value: "0.02"}
	if got := settings(configs.Sources{Overrides: []configs.Value{sinusoidal, fixed}}); got != "" {
		t.Errorf("of the older amplitude: %s", got)
	}
	old := trained(t, func(c *runfile.Config) { c.Model.Encoding = "sinusoidal" })
	if c, err := runfile.ReadConfig(old); err != nil || c.Model.EncodingParams != nil {
		t.Errorf("an old run: %s, %v", c.Model.EncodingParams, err)
	}
	if got := settings(configs.Sources{From: &runfile.Start{Run: old, Step: 1, Updates: 1, Weights: strings.Repeat("0", 64)}}); got != "" {
		t.Errorf("the second phase of an old run: %s", got)
	}
	rope := trained(t, func(c *runfile.Config) { c.Model.Encoding = "rope" })
	if got := settings(configs.Sources{From: &runfile.Start{Run: rope, Step: 1, Updates: 1, Weights: strings.Repeat("0", 64)}, Overrides: []configs.Value{sinusoidal}}); got != `{"learned":true}` {
		t.Errorf("a second phase with another encoding: %s", got)
	}
}

// The settings of a run stand in the preset's place; settings of its encoding alone are for
// the same encoding, and lengths for the same task.
func TestRunInThePresetsPlace(t *testing.T) {
	dir := trained(t, func(c *runfile.Config) {
		c.Model.Encoding, c.Model.EncodingParams = "rope", json.RawMessage(`{"theta":500,"fraction":0.5}`)
		c.Train.Lengths, c.Train.Threads, c.Train.Lanes, c.Train.Seed = "3..4", 7, 1, 1<<64-1
	})
	l, err := configs.Load(configs.Sources{From: &runfile.Start{Run: dir, Step: 1, Updates: 1, Weights: strings.Repeat("0", 64)}, Environ: []string{"ZOO_PRESET=tiny"}, Overrides: []configs.Value{
		{Key: "train.steps", Value: "5"}, {Key: "model.encoding_params.theta", Value: "70"}}})
	if err != nil {
		t.Fatal(err)
	}
	if from := l.Origin("model.d_model"); from != "run "+dir {
		t.Errorf("model.d_model comes from %s", from)
	}
	c, err := l.Config("")
	if err != nil {
		t.Fatal(err)
	}
	if string(c.Model.EncodingParams) != `{"fraction":0.5,"theta":70}` || c.Model.DModel != 256 || c.Train.Steps != 5 ||
		c.Train.Lengths != "3..4" || c.Train.Threads != 0 || c.Train.Lanes != 0 || c.Train.Seed != 1<<64-1 {
		t.Errorf("%s, %+v, %+v", c.Model.EncodingParams, c.Model, c.Train)
	}

	l, err = configs.Load(configs.Sources{From: &runfile.Start{Run: dir, Step: 1, Updates: 1, Weights: strings.Repeat("0", 64)}, Encodings: []string{"nope"}, Overrides: []configs.Value{
		{Key: "train.task", Value: "reverse"}}})
	if err != nil {
		t.Fatal(err)
	}
	if c, err = l.Config("nope"); err != nil || c.Model.EncodingParams != nil || c.Train.Lengths != "2..20" {
		t.Errorf("%s, lengths %s, %v", c.Model.EncodingParams, c.Train.Lengths, err)
	}
	if _, err := configs.Load(configs.Sources{From: &runfile.Start{Run: dir, Step: 1, Updates: 1, Weights: strings.Repeat("0", 64)}, Preset: "tiny"}); err == nil ||
		!strings.Contains(err.Error(), "preset tiny: the settings of the run") {
		t.Errorf("beside a preset: %v", err)
	}
}
