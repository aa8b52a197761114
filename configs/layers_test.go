package configs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/viper"

	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/train/runfile"
)

// loadLayers resolves the layers of a command line such as "--lr 0.5"; file is
// the text of the config file.
func loadLayers(t *testing.T, file string, env map[string]string, args ...string) (runfile.Config, error) {
	t.Helper()
	var s configs.Sources
	if file != "" {
		s.File = filepath.Join(t.TempDir(), "config.yaml")
		if err := os.WriteFile(s.File, []byte(file), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, value := range env {
		s.Environ = append(s.Environ, name+"="+value)
	}
	for i := 0; i < len(args); i += 2 {
		flag, value := args[i], args[i+1]
		key := "train." + strings.TrimPrefix(flag, "--")
		if flag == "--set" {
			key, value, _ = strings.Cut(value, "=")
		}
		if flag == "--preset" {
			s.Preset = value
			continue
		}
		s.Overrides = append(s.Overrides, configs.Value{Key: key, Value: value, From: flag})
	}
	l, err := configs.Load(s)
	if err != nil {
		return runfile.Config{}, err
	}
	return l.Config("")
}

// value is the text of a setting in a configuration.
func value(t *testing.T, c runfile.Config, key string) string {
	t.Helper()
	for _, s := range configs.Settings(c) {
		if s.Key == key {
			return s.Text
		}
	}
	t.Fatalf("no setting %s", key)
	return ""
}

func TestLayers(t *testing.T) {
	type env = map[string]string
	for _, test := range []struct {
		name string
		file string
		env  env
		args []string
		key  string
		want string
	}{
		{name: "preset", key: "train.steps", want: "2600"},
		{name: "another preset", args: []string{"--preset", "small"}, key: "train.steps", want: "10000"},
		{name: "file over preset", file: "train: {steps: 11}", key: "train.steps", want: "11"},
		{name: "file names the preset", file: "preset: small", key: "train.steps", want: "10000"},
		{name: "flag names the preset", file: "preset: small", args: []string{"--preset", "tiny"}, key: "train.steps",
			want: "2600"},
		{name: "environment names the preset", file: "preset: small", env: env{"ZOO_PRESET": "tiny"},
			key: "train.steps", want: "2600"},
		{name: "flag over environment for the preset", env: env{"ZOO_PRESET": "tiny"},
			args: []string{"--preset", "small"}, key: "train.steps", want: "10000"},
		{name: "file over the preset that it names", file: "{preset: small, train: {steps: 11}}", key: "train.steps",
			want: "11"},
		{name: "environment over file", file: "train: {steps: 11}", env: env{"ZOO_TRAIN_STEPS": "22"},
			key: "train.steps", want: "22"},
		{name: "flag over environment", file: "train: {steps: 11}", env: env{"ZOO_TRAIN_STEPS": "22"},
			args: []string{"--steps", "33"}, key: "train.steps", want: "33"},
		{name: "set over environment", env: env{"ZOO_TRAIN_STEPS": "22"}, args: []string{"--set", "train.steps=44"},
			key: "train.steps", want: "44"},
		{name: "zero wins too", file: "train: {warmup: 7}", env: env{"ZOO_TRAIN_WARMUP": "0"}, key: "train.warmup",
			want: "0"},
		{name: "an empty variable is none", env: env{"ZOO_TRAIN_STEPS": ""}, key: "train.steps", want: "2600"},
		{name: "a file leaves the rest", file: "train: {steps: 11}", key: "train.batch", want: "64"},
		{name: "number as 1e3", file: "train: {steps: 1e3}", key: "train.steps", want: "1000"},
		{name: "large seed", env: env{"ZOO_TRAIN_SEED": "18446744073709551615"}, key: "train.seed",
			want: "18446744073709551615"},
		{name: "text", env: env{"ZOO_TRAIN_LENGTHS": "3..4"}, key: "train.lengths", want: "3..4"},
		{name: "a key without a flag", env: env{"ZOO_MODEL_N_LAYERS": "5"}, key: "model.n_layers", want: "5"},
		{name: "architecture", args: []string{"--set", "model.architecture=cwrnn"}, key: "model.architecture",
			want: "cwrnn"},
		{name: "the preset's encoding is for others", args: []string{"--set", "model.architecture=cwrnn"},
			key: "model.encoding", want: ""},
		{name: "in the encoding's place", args: []string{"--set", "model.encoding=cwrnn"}, key: "model.architecture",
			want: "cwrnn"},
		{name: "encoding over architecture", file: "model: {encoding: cwrnn}",
			args: []string{"--set", "model.encoding=rope"},
			key:  "model.architecture", want: "decoder"},
		{name: "a list in a file", file: "model: {encoding: cwrnn, n_modules: 4, periods: [1, 2, 3, 5]}",
			key: "model.periods", want: "[1 2 3 5]"},
		{name: "a list by --set", args: []string{"--set", "model.encoding=cwrnn", "--set", "model.n_modules=4", "--set",
			"model.periods=1,2,3,5"},
			key: "model.periods", want: "[1 2 3 5]"},
		{name: "encoding's settings merge",
			file: "model: {encoding: rope, encoding_params: {theta: 500, layout: half}}",
			env:  env{"ZOO_MODEL_ENCODING_PARAMS_LAYOUT": "interleaved"},
			args: []string{"--set", "model.encoding_params.fraction=0.5"},
			key:  "model.encoding_params", want: `{"fraction":0.5,"layout":"interleaved","theta":500}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			cfg, err := loadLayers(t, test.file, test.env, test.args...)
			if err != nil {
				t.Fatal(err)
			}
			if got := value(t, cfg, test.key); got != test.want {
				t.Errorf("%s is %s, want %s", test.key, got, test.want)
			}
		})
	}
}

func TestLayersRefuse(t *testing.T) {
	type env = map[string]string
	for _, test := range []struct {
		name string
		file string
		env  env
		args []string
		want []string // parts of the error
	}{
		{name: "preset", args: []string{"--preset", "tinny"},
			want: []string{`unknown preset "tinny"`, `"tiny"`, "base, formal, llama4, paper, rnope-swa, small, smollm3, tiny"}},
		{name: "preset in file", file: "preset: tinny", want: []string{`unknown preset "tinny"`, `"tiny"`}},
		{name: "preset without a name", file: "preset: 5", want: []string{"config.yaml", "preset is 5"}},
		{name: "key elsewhere in the environment", env: env{"ZOO_TRIAN_STEPS": "1"},
			want: []string{`"ZOO_TRIAN_STEPS"`, `"ZOO_TRAIN_STEPS"`}},
		{name: "key in file", file: "train: {stepz: 1}", want: []string{"config.yaml", `"train.stepz"`,
			`did you mean "train.steps"`}},
		{name: "section in file", file: "trian: {steps: 1}", want: []string{"config.yaml", `"trian.steps"`,
			`"train.steps"`}},
		{name: "key in environment", env: env{"ZOO_TRAIN_STEP": "1"},
			want: []string{`"ZOO_TRAIN_STEP"`, `"ZOO_TRAIN_STEPS"`}},
		{name: "key in --set", args: []string{"--set", "model.layers=1"},
			want: []string{"--set model.layers=1", `"model.n_layers"`}},
		{name: "far from every key", args: []string{"--set", "x=1"}, want: []string{`"x"`, "known: model.settings"}},
		{name: "type in file", file: `train: {steps: many}`, want: []string{`train.steps is "many"`, "config.yaml",
			"whole number"}},
		{name: "number as text", file: `train: {steps: "5"}`, want: []string{`train.steps is "5"`, "whole number"}},
		{name: "text as number", file: `train: {task: 5}`, want: []string{"train.task is 5", "want text"}},
		{name: "list with text", file: "model: {encoding: cwrnn, periods: [1, two]}",
			want: []string{"model.periods is [1 two]", "a list of whole numbers"}},
		{name: "number as list", file: "model: {encoding: cwrnn, periods: 4}",
			want: []string{"model.periods is 4", "a list of whole numbers"}},
		{name: "list in environment", file: "model: {encoding: cwrnn}", env: env{"ZOO_MODEL_PERIODS": "1,b"},
			want: []string{`model.periods is "1,b"`, "a list of whole numbers"}},
		{name: "fraction", file: `train: {steps: 1.5}`, want: []string{"train.steps is 1.5", "whole number"}},
		{name: "negative seed", file: `train: {seed: -1}`, want: []string{"train.seed is -1", "0 or more"}},
		{name: "type in environment", env: env{"ZOO_TRAIN_LR": "fast"},
			want: []string{`train.lr is "fast"`, "ZOO_TRAIN_LR", "a number"}},
		{name: "not finite", env: env{"ZOO_TRAIN_LR": "nan"}, want: []string{`train.lr is "nan"`, "a number"}},
		{name: "type in --set", args: []string{"--set", "train.batch=x"},
			want: []string{`train.batch is "x"`, "--set", "whole number"}},
		{name: "not finite in file", file: "train: {lr: .nan}",
			want: []string{"train.lr is NaN", "config.yaml", "a number"}},
		{name: "nothing in --set", args: []string{"--set", "train.clip="},
			want: []string{`train.clip is ""`, "--set", "a number"}},
		{name: "list for a number of the encoding", file: "model: {encoding: rope, encoding_params: {theta: [1, 2]}}",
			want: []string{"theta is [1 2]", "a number, text"}},
		{name: "no value", file: "train:\n  steps:\n", want: []string{"config.yaml", "train.steps has no value"}},
		{name: "section as value", file: "train: 5", want: []string{"train is a section"}},
		{name: "section by --set", args: []string{"--set", "model.encoding_params=5"},
			want: []string{"model.encoding_params is a section"}},
		{name: "twice", args: []string{"--steps", "1", "--set", "train.steps=2"},
			want: []string{"--steps", "--set train.steps=2", "once"}},
		{name: "not YAML", file: "train: [", want: []string{"config.yaml"}},
		{name: "out of range", args: []string{"--steps", "0"}, want: []string{"train.steps 0", "at least 1"}},
		{name: "unknown architecture", args: []string{"--set", "model.architecture=decodr"},
			want: []string{`unknown architecture "decodr"`, "decoder, cwrnn, deltanet, lstm"}},
		{name: "encoding of none", file: "model: {encoding: rope}", args: []string{"--set", "model.architecture=cwrnn"},
			want: []string{"model.encoding=rope (config file ", "config.yaml): no setting of cwrnn, whose " +
				"settings are architecture, d_model, "}},
		{name: "two architectures", file: "model: {architecture: decoder, encoding: cwrnn}",
			want: []string{"encoding cwrnn is an architecture", "decoder"}},
		{name: "encoding's settings", args: []string{"--set", "model.encoding_params.theta=1"},
			want: []string{"nope", "theta"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := loadLayers(t, test.file, test.env, test.args...)
			if err == nil {
				t.Fatal("no error")
			}
			for _, part := range test.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("error %q lacks %q", err, part)
				}
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("error of several lines: %q", err)
			}
		})
	}
}

// TestOnTask: what a preset has differently on a task gives way to every other layer.
func TestOnTask(t *testing.T) {
	for _, test := range []struct {
		args []string
		key  string
		want string
	}{
		{[]string{"--preset", "paper", "--task", "pcfg+noprefix"}, "train.steps", "100000"},
		{[]string{"--preset", "paper", "--task", "pcfg", "--steps", "7"}, "train.steps", "7"},
		{[]string{"--preset", "paper", "--task", "pcfg", "--steps", "7"}, "train.warmup", "6000"},
		{[]string{"--preset", "paper", "--task", "pcfg", "--set", "train.examples=5"}, "train.examples", "5"},
		{[]string{"--preset", "paper", "--task", "lego"}, "train.examples", "100000"},
		{[]string{"--task", "pcfg"}, "train.examples", "0"},
	} {
		cfg, err := loadLayers(t, "", nil, test.args...)
		if err != nil {
			t.Fatal(err)
		}
		if got := value(t, cfg, test.key); got != test.want {
			t.Errorf("%v: %s is %s, want %s", test.args, test.key, got, test.want)
		}
	}
	if _, err := loadLayers(t, "on_task: {scan: {train: {steps: 5}}}", nil); err == nil ||
		!strings.Contains(err.Error(), "on_task.scan.train.steps") {
		t.Errorf("in a config file: error %v", err)
	}
}

// TestOnTaskKeys: every preset names tasks and settings that there are, and settings
// that it has.
func TestOnTaskKeys(t *testing.T) {
	for _, name := range configs.Names(configs.Presets) {
		about, err := configs.Describe(configs.Presets, name)
		if err != nil {
			t.Fatal(err)
		}
		v := viper.New()
		v.SetConfigType("yaml")
		if err := v.ReadConfig(strings.NewReader(about.Text)); err != nil {
			t.Fatal(err)
		}
		for _, key := range v.AllKeys() {
			key, ok := strings.CutPrefix(key, "on_task.")
			if !ok {
				continue
			}
			of, setting, _ := strings.Cut(key, ".")
			k, err := task.Lookup(of)
			if err != nil || k.Name != of {
				t.Errorf("preset %s: %s: task %q, %v", name, key, k.Name, err)
			}
			if !v.IsSet(setting) {
				t.Errorf("preset %s: %s: the preset has no %s to replace", name, key, setting)
			}
		}
	}
}

// TestOrigins: every value has the layer that won, and what a sweep lists may not be
// given above it.
func TestOrigins(t *testing.T) {
	file := filepath.Join(t.TempDir(), "user.yaml")
	if err := os.WriteFile(file, []byte("{preset: small, train: {clip: 2, warmup: 3, lr: 0.1}}"), 0o644); err != nil {
		t.Fatal(err)
	}
	s := configs.Sources{
		User: file, Sweep: []byte("{preset: paper, train: {warmup: 4, lr: 0.2, threads: 1}}"),
		Environ:   []string{"ZOO_TRAIN_LR=0.3", "ZOO_ORT_LIB=x"},
		Overrides: []configs.Value{{Key: "train.eps", Value: 1e-7}},
		Lists:     []configs.Value{{Key: "train.task", Value: "pcfg", From: "tasks of the sweep file"}},
	}
	l, err := configs.Load(s)
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{
		"train.clip": "config file " + file, "train.warmup": "sweep file",
		"train.lr": "environment variable ZOO_TRAIN_LR", "train.eps": "override",
		"train.task": "tasks of the sweep file", "train.steps": "preset paper on task pcfg",
		"train.batch":   "preset paper",
		"train.lengths": "default", // of the task: the preset's are for its own
	} {
		if got := l.Origin(key); got != want {
			t.Errorf("%s is from %q, want %q", key, got, want)
		}
	}
	for _, test := range []struct {
		override configs.Value
		want     string
	}{
		{configs.Value{Key: "train.task", Value: "copy", From: "--task"}, "--task gives train.task, and tasks of the " +
			"sweep file does too; give it once"},
		{configs.Value{Key: "train.clip"}, "train.clip is <nil> (override): want a number"},
		{configs.Value{Key: "model.n_units", Value: 4}, "model.n_units=4 (override): no setting of decoder"},
	} {
		s.Overrides = []configs.Value{test.override}
		if _, err := configs.Load(s); err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%v: error %v, want %q", test.override, err, test.want)
		}
	}
}
