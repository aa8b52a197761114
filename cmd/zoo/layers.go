package main

import (
	"bytes"
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
// the environment, that over the config file, that over the preset.
type layers struct {
	preset string
	file   string            // "" for none
	flags  map[string]string // flag name by key
	set    []string          // key=value
}

// config holds the layers, merged.
type config struct {
	v      *viper.Viper
	origin map[string]origin // of each key's value
	task   string            // the preset's
}

// origin is where a value came from: for error messages, and because a value of
// a YAML file has a type and any other is text.
type origin struct {
	name string
	yaml bool
	all  bool // no run may pass the value over; see checkUsed
}

func (o origin) isPreset() bool { return strings.HasPrefix(o.name, "preset ") }

func (l layers) load(flags *pflag.FlagSet, environ []string) (*config, error) {
	c := &config{v: viper.New(), origin: map[string]origin{}}
	if err := c.readPreset(l.preset); err != nil {
		return nil, err
	}
	if err := c.readFile(l.file); err != nil {
		return nil, err
	}
	if err := c.readEnv(environ); err != nil {
		return nil, err
	}
	if err := c.readFlags(flags, l.flags); err != nil {
		return nil, err
	}
	return c, c.readSet(l.set, l.flags)
}

func (c *config) readPreset(name string) error {
	if err := oneOf("preset", name, configs.Names()...); err != nil {
		return err
	}
	data, err := configs.Read(name)
	if err != nil {
		return err
	}
	v, err := c.readYAML(data, "preset "+name)
	if err != nil {
		return err
	}
	for _, key := range v.AllKeys() {
		c.v.SetDefault(key, v.Get(key))
	}
	c.task = v.GetString("train.task")
	return nil
}

// maxConfig is the largest configuration or sweep file that is read, in bytes.
const maxConfig = 1 << 20

func (c *config) readFile(path string) error {
	if path == "" {
		return nil
	}
	data, err := tensor.ReadRegular(path, maxConfig)
	if err != nil {
		return fmt.Errorf("config file: %w", err)
	}
	v, err := c.readYAML(data, "config file "+path)
	if err != nil {
		return err
	}
	return c.v.MergeConfigMap(v.AllSettings())
}

// readYAML reads one YAML text and checks its keys.
func (c *config) readYAML(data []byte, source string) (*viper.Viper, error) {
	v := viper.New()
	v.SetConfigType("yaml")
	if err := v.ReadConfig(bytes.NewReader(data)); err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	keys := v.AllKeys()
	slices.Sort(keys)
	for _, key := range keys {
		if _, err := findSetting(key); err != nil {
			return nil, fmt.Errorf("%s: %w", source, err)
		}
		if v.Get(key) == nil {
			return nil, fmt.Errorf("%s: %s has no value", source, key)
		}
		c.origin[key] = origin{name: source, yaml: true}
	}
	return v, nil
}

// readEnv binds a variable to every key. An empty variable counts as unset.
func (c *config) readEnv(environ []string) error {
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		ours := strings.HasPrefix(name, envPrefix+"TRAIN_") || strings.HasPrefix(name, envPrefix+"MODEL_")
		if !ours || value == "" {
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
