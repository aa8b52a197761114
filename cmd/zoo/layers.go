package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/train"
)

// layers says where a run's configuration comes from. What a flag says wins over
// the environment, that over the config file, that over the user's own file, that
// over the preset. The preset itself is named by --preset, else by the environment,
// else by the config file, else by the user's.
type layers struct {
	preset string            // where no flag can name it; "" for none
	user   string            // "" for none
	file   string            // "" for none
	flags  map[string]string // flag name by key
	set    []string          // key=value
}

// config holds the layers, merged.
type config struct {
	v      *viper.Viper
	origin map[string]origin // of each key's value
	preset string
	task   string       // the preset's
	onTask *viper.Viper // what the preset has differently on a task, by its name; nil for nothing
}

// onTask is the section of a preset for that: on_task.scan.train.examples.
const onTask = "on_task"

// origin is where a value came from: for error messages, and because a value of
// a YAML file has a type and any other is text.
type origin struct {
	name string
	yaml bool
	all  bool // no run may pass the value over; see checkUsed
	any  bool // every run may: a preset and the user's file are for all models
}

func (o origin) isPreset() bool { return strings.HasPrefix(o.name, "preset ") }

func newConfig() *config {
	return &config{v: viper.New(), origin: map[string]origin{}, preset: defaultPreset}
}

func (l layers) load(flags *pflag.FlagSet, environ []string) (*config, error) {
	c := newConfig()
	if err := c.readFile(l.user, true); err != nil {
		return nil, err
	}
	if err := c.readFile(l.file, false); err != nil {
		return nil, err
	}
	c.preset = cmp.Or(l.preset, c.preset)
	if err := c.readEnv(environ); err != nil {
		return nil, err
	}
	if f := flags.Lookup("preset"); f != nil && f.Changed {
		c.preset = f.Value.String()
	}
	if err := c.readPreset(c.preset); err != nil {
		return nil, err
	}
	if err := c.readFlags(flags, l.flags); err != nil {
		return nil, err
	}
	return c, c.readSet(l.set, l.flags)
}

// readPreset reads the preset, below what was read before.
func (c *config) readPreset(name string) error {
	if err := oneOf("preset", name, configs.Names()...); err != nil {
		return err
	}
	data, err := configs.Read(name)
	if err != nil {
		return err
	}
	above := maps.Clone(c.origin)
	v, err := c.readYAML(data, origin{name: "preset " + name, yaml: true, any: true})
	if err != nil {
		return err
	}
	for key, from := range c.origin {
		if from.isPreset() {
			c.v.SetDefault(key, v.Get(key))
		}
	}
	maps.Copy(c.origin, above)
	c.task, c.onTask = v.GetString("train.task"), v.Sub(onTask)
	return nil
}

// maxConfig is the largest configuration or sweep file that is read, in bytes.
const maxConfig = 1 << 20

// readFile reads a file of settings in the form of the presets, which may name the
// preset that it is about. The user's own is for any model.
func (c *config) readFile(path string, user bool) error {
	if path == "" {
		return nil
	}
	data, err := tensor.ReadRegular(path, maxConfig)
	if err != nil {
		return fmt.Errorf("config file: %w", err)
	}
	v, err := c.readYAML(data, origin{name: "config file " + path, yaml: true, any: user})
	if err != nil {
		return err
	}
	return c.v.MergeConfigMap(v.AllSettings())
}

// readYAML reads one YAML text and checks its keys.
func (c *config) readYAML(data []byte, from origin) (*viper.Viper, error) {
	v := viper.New()
	v.SetConfigType("yaml")
	if err := v.ReadConfig(bytes.NewReader(data)); err != nil {
		return nil, fmt.Errorf("%s: %w", from.name, err)
	}
	keys := slices.DeleteFunc(v.AllKeys(), func(key string) bool { return from.isPreset() && strings.HasPrefix(key, onTask+".") })
	slices.Sort(keys)
	for _, key := range keys {
		if key == "preset" {
			if c.preset, _ = v.Get(key).(string); c.preset == "" {
				return nil, fmt.Errorf("%s: preset is %s: want one of %s", from.name, quoted(v.Get(key)), strings.Join(configs.Names(), ", "))
			}
			continue
		}
		if _, err := findSetting(key); err != nil {
			return nil, fmt.Errorf("%s: %w", from.name, err)
		}
		if v.Get(key) == nil {
			return nil, fmt.Errorf("%s: %s has no value", from.name, key)
		}
		c.origin[key] = from
	}
	return v, nil
}

// readEnv binds a variable to every key. An empty variable counts as unset.
func (c *config) readEnv(environ []string) error {
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if name == presetVariable && value != "" {
			c.preset = value
		}
		if !isSettingVariable(name, value) {
			continue
		}
		s, err := findEnv(name)
		if err != nil {
			return err
		}
		if err := c.v.BindEnv(s.key, name); err != nil {
			return err
		}
		c.origin[s.key] = origin{name: "environment variable " + name}
	}
	return nil
}

func (c *config) readFlags(flags *pflag.FlagSet, byKey map[string]string) error {
	for key, name := range byKey {
		f := flags.Lookup(name)
		if err := c.v.BindPFlag(key, f); err != nil {
			return err
		}
		if f.Changed {
			c.origin[key] = origin{name: "--" + name}
		}
	}
	return nil
}

// readSet takes key=value pairs, which are flags for keys without one.
func (c *config) readSet(pairs []string, flags map[string]string) error {
	for _, pair := range pairs {
		key, value, ok := strings.Cut(pair, "=")
		if !ok {
			return fmt.Errorf("--set %s: want key=value, such as train.steps=100", pair)
		}
		if _, err := findSetting(key); err != nil {
			return fmt.Errorf("--set %s: %w", pair, err)
		}
		if name := flags[key]; name != "" && c.origin[key].name == "--"+name {
			return fmt.Errorf("--set %s: --%s gives %s too; give it once", pair, name, key)
		}
		c.v.Set(key, value)
		c.origin[key] = origin{name: "--set"}
	}
	return nil
}

// run returns the configuration of a run; encoding, if not "", replaces the
// configured one.
func (c *config) run(encoding string) (train.Config, error) {
	tree := map[string]any{}
	for _, key := range slices.Sorted(maps.Keys(c.origin)) {
		s, err := findSetting(key)
		if err != nil {
			return train.Config{}, err
		}
		v, err := c.value(s)
		if err != nil {
			return train.Config{}, err
		}
		plant(tree, strings.Split(key, "."), v)
	}
	if encoding != "" {
		plant(tree, []string{"model", "encoding"}, encoding)
	}
	for _, key := range []string{"lengths", "eval_lengths"} {
		if c.foreign("train." + key) {
			plant(tree, []string{"train", key}, "")
		}
	}
	c.plantOnTask(tree)
	data, err := json.Marshal(tree)
	if err != nil {
		return train.Config{}, err
	}
	var cfg train.Config
	if err := json.Unmarshal(data, &cfg); err != nil {
		return cfg, err
	}
	if cfg, err = cfg.Resolve(); err != nil {
		return cfg, err
	}
	_, err = models.New(cfg.Model) // checks the encoding's own settings
	return cfg, err
}

// foreign reports whether lengths are the preset's but the task is not: another
// task has its own.
func (c *config) foreign(key string) bool {
	return c.origin[key].isPreset() && c.v.GetString("train.task") != c.task
}

// plantOnTask sets what the preset has differently on the task, whatever its options,
// unless another layer gives the key.
func (c *config) plantOnTask(tree map[string]any) {
	name, _, _ := strings.Cut(c.v.GetString("train.task"), "+")
	if c.onTask == nil {
		return
	}
	if v := c.onTask.Sub(name); v != nil {
		for _, key := range v.AllKeys() {
			if c.origin[key].isPreset() {
				plant(tree, strings.Split(key, "."), v.Get(key))
			}
		}
	}
}

// value returns the value of a setting in its type.
func (c *config) value(s setting) (any, error) {
	raw, from := c.v.Get(s.key), c.origin[s.key]
	v, err := s.kind.convert(raw)
	if str, ok := raw.(string); ok && !from.yaml {
		v, err = s.kind.parse(str)
	}
	if err != nil {
		return nil, fmt.Errorf("%s is %s (%s): %w", s.key, quoted(raw), from.name, err)
	}
	return v, nil
}

// plant sets a value in a tree of maps.
func plant(tree map[string]any, path []string, v any) {
	for _, name := range path[:len(path)-1] {
		next, ok := tree[name].(map[string]any)
		if !ok {
			next = map[string]any{}
			tree[name] = next
		}
		tree = next
	}
	tree[path[len(path)-1]] = v
}

func quoted(v any) string {
	if s, ok := v.(string); ok {
		return fmt.Sprintf("%q", s)
	}
	return fmt.Sprint(v)
}
