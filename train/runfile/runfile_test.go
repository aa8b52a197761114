package runfile_test

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/train/runfile"
)

// config is a small run, resolved.
func config(t *testing.T) runfile.Config {
	t.Helper()
	c, err := (runfile.Config{
		Model: models.Config{Encoding: "nope", DModel: 8, NLayers: 1, NHeads: 2, DFF: 8},
		Train: runfile.Recipe{Task: "copy", Lengths: "1..4", Seed: 1, Steps: 10, Batch: 4, LR: 1e-3, Beta1: 0.9, Beta2: 0.98,
			Eps: 1e-8, CheckpointEvery: 5, KeepCheckpoints: 2},
	}).Resolve()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// checkpoint is one of a run, whose moments differ from its weights.
func checkpoint(t *testing.T, c runfile.Config, step int) *runfile.Checkpoint {
	t.Helper()
	m, err := models.New(c.Model)
	if err != nil {
		t.Fatal(err)
	}
	return &runfile.Checkpoint{Config: c, Step: step, Loss: 0.5, Weights: models.InitWeights(m.Params(), 1),
		M: models.InitWeights(m.Params(), 2), V: models.InitWeights(m.Params(), 3)}
}

func store(t *testing.T, dir string, c *runfile.Checkpoint) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := c.Write(&b); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(runfile.Path(dir, c.Step), b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A checkpoint comes back bit for bit, and none of its bytes can be changed unseen.
func TestCheckpoint(t *testing.T) {
	dir, want := t.TempDir(), checkpoint(t, config(t), 7)
	data := store(t, dir, want)
	got, err := runfile.ReadCheckpoint(runfile.Path(dir, 7))
	if err != nil {
		t.Fatal(err)
	}
	if got.Step != 7 || got.Loss != 0.5 || got.Config.Hash() != want.Config.Hash() {
		t.Errorf("step %d, loss %v, %+v", got.Step, got.Loss, got.Config)
	}
	read := got.Tensors()
	for name, w := range want.Tensors() {
		if !tensor.Equal(read[name], w) {
			t.Errorf("%s differs", name)
		}
	}
	for at := 0; at < len(data); at += 1 + len(data)/97 {
		damaged := bytes.Clone(data)
		damaged[at] ^= 1
		if err := os.WriteFile(runfile.Path(dir, 8), damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := runfile.ReadCheckpoint(runfile.Path(dir, 8)); err == nil {
			t.Errorf("byte %d is flipped, and it reads", at)
		}
	}
}

// A checkpoint holds the tensors of its configuration, no others and in their shapes.
func TestCheckpointTensors(t *testing.T) {
	for want, change := range map[string]func(w map[string]*tensor.Tensor, name string){
		"lacks the tensor": func(w map[string]*tensor.Tensor, name string) { delete(w, name) },
		"holds the tensor": func(w map[string]*tensor.Tensor, name string) { w["zz"] = w[name] },
		"the model wants":  func(w map[string]*tensor.Tensor, name string) { w[name] = tensor.New(tensor.Float32, 3) },
		"wants float32[":   func(w map[string]*tensor.Tensor, name string) { w[name] = w[name].As(tensor.Float16) },
	} {
		dir, c := t.TempDir(), checkpoint(t, config(t), 1)
		for name := range c.Weights {
			change(c.Weights, name)
			if extra := c.Weights["zz"]; extra != nil {
				c.M["zz"], c.V["zz"] = extra, extra
			}
			break
		}
		store(t, dir, c)
		if _, err := runfile.ReadCheckpoint(runfile.Path(dir, 1)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// The newest usable checkpoint counts; copies under other names are nobody's.
func TestLatest(t *testing.T) {
	dir, c := t.TempDir(), config(t)
	if _, _, err := runfile.Latest(dir); !errors.Is(err, runfile.ErrNoCheckpoint) {
		t.Errorf("none: %v", err)
	}
	store(t, dir, checkpoint(t, c, 5))
	store(t, dir, checkpoint(t, c, 10))
	for _, name := range []string{"checkpoint-9.safetensors", "checkpoint-00000099.safetensors.old"} {
		if err := os.WriteFile(dir+"/"+name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if steps, err := runfile.Steps(dir); err != nil || !slices.Equal(steps, []int{10, 5}) {
		t.Errorf("steps %v, %v", steps, err)
	}
	if err := os.Truncate(runfile.Path(dir, 10), 100); err != nil {
		t.Fatal(err)
	}
	if got, skipped, err := runfile.Latest(dir); err != nil || got.Step != 5 || len(skipped) != 1 {
		t.Errorf("%+v, %v, %v; want step 5 and one passed over", got, skipped, err)
	}
}

func TestFinished(t *testing.T) {
	for _, tc := range []struct {
		step, every, evaluated, stop, perfect int
		finished, due                         bool
	}{
		{9, 0, 0, 0, 0, false, false},
		{10, 0, 0, 0, 0, true, false},
		{10, 4, 8, 0, 0, false, true}, // the last step is evaluated, too
		{10, 4, 10, 0, 0, true, false},
		{0, 4, 0, 0, 0, false, false},
		{4, 4, 0, 0, 0, false, true},
		{4, 4, 4, 0, 0, false, false},
		{5, 4, 0, 0, 0, false, false},
		{4, 4, 4, 2, 1, false, false},
		{4, 4, 4, 2, 2, true, false},
	} {
		c := runfile.Checkpoint{Step: tc.step, Config: config(t)}
		c.Config.Train.EvalEvery, c.Config.Train.StopAfterPerfect = tc.every, tc.stop
		c.Progress.Evaluated, c.Progress.Perfect = tc.evaluated, tc.perfect
		if c.Finished() != tc.finished || c.EvaluationDue() != tc.due {
			t.Errorf("%+v: finished %v, due %v", tc, c.Finished(), c.EvaluationDue())
		}
	}
}

// A stored configuration is read as it was; bounds are refused with key and value.
func TestConfig(t *testing.T) {
	dir, c := t.TempDir(), config(t)
	if err := c.Write(dir); err != nil {
		t.Fatal(err)
	}
	if back, err := runfile.ReadConfig(dir); err != nil || back.Hash() != c.Hash() {
		t.Errorf("%+v, %v", back, err)
	}
	for want, change := range map[string]func(c *runfile.Config){
		"train.steps 0: want at least 1":       func(c *runfile.Config) { c.Train.Steps = 0 },
		"train.beta1 1: out of range":          func(c *runfile.Config) { c.Train.Beta1 = 1 },
		"train.lr 0: out of range":             func(c *runfile.Config) { c.Train.LR = 0 },
		"train.dropout 5e-05: want 0":          func(c *runfile.Config) { c.Train.Dropout = 5e-5 },
		"train.pool_steps 2: needs":            func(c *runfile.Config) { c.Train.PoolSteps = 2 },
		"train.batch 2147483648: want at most": func(c *runfile.Config) { c.Train.Batch = 1 << 31 },
		`train.warmup_from "one"`:              func(c *runfile.Config) { c.Train.WarmupFrom = "one" },
		"nothing is evaluated":                 func(c *runfile.Config) { c.Train.StopAfterPerfect = 1 },
		"2 ranges for 1 tasks":                 func(c *runfile.Config) { c.Train.Lengths = "1..2,3..4" },
		"want run, step, updates":              func(c *runfile.Config) { c.From = &runfile.Start{Run: "a", Step: 0} },
		"max_position 9: has no use":           func(c *runfile.Config) { c.Train.MaxPosition = 9 },
	} {
		changed := c
		change(&changed)
		if _, err := changed.Resolve(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
