package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/train/runfile"
)

// trainConfig resolves the configuration of a command line of zoo train, without the
// environment.
func trainConfig(t *testing.T, args ...string) (runfile.Config, error) {
	t.Helper()
	c := trainVerb(&app{})
	if err := c.ParseFlags(args); err != nil {
		t.Fatal(err)
	}
	var o trainOptions
	o.set, _ = c.Flags().GetStringArray("set")
	s, err := o.sources(c)
	if err != nil {
		return runfile.Config{}, err
	}
	s.User, s.Environ = "", nil
	l, err := configs.Load(s)
	if err != nil {
		return runfile.Config{}, err
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
	kinds := map[string]string{
		"int": "a whole number", "uint64": "a whole number of 0 or more", "float64": "a number", "string": "text",
	}
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
