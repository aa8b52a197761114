package configs

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/internal/files"
	"github.com/spf13/viper"
)

// layer is the values of one origin, by key.
type layer struct {
	name   string // of the origin, for messages
	values map[string]any
	text   bool // from a variable or an override: text is read as the setting's type
	any    bool // for any model: a run without such a setting passes it over
	list   bool // of a sweep: no run may pass it over, see checkUsed
}

// presetKey is the key by which a file names its preset, and onTask the section of
// what a preset has differently on a task: on_task.scan.train.examples.
const (
	presetKey = "preset"
	onTask    = "on_task."
)

// read returns all layers but the preset, the lowest first.
func (s Sources) read() ([]*layer, error) {
	var out []*layer
	for i, path := range []string{s.User, s.File} {
		if path == "" {
			continue
		}
		data, err := files.ReadRegular(path, MaxBytes)
		if err != nil {
			switch {
			case i == 0 && errors.Is(err, fs.ErrNotExist): // a default that is not there is not named
				err = fmt.Errorf("%w; %s names it", err, FileVariable)
			case slices.Contains(Names(Presets), path):
				err = fmt.Errorf("%w; the preset of this name is chosen with --preset", err)
			}
			return nil, fmt.Errorf("config file: %w", err)
		}
		x, err := readYAML("config file "+path, data, false)
		if err == nil && i == 1 && len(bytes.TrimSpace(data)) == 0 {
			err = fmt.Errorf("config file %s is empty; leave it out for the preset's settings", path)
		}
		if err != nil {
			return nil, err
		}
		x.any = i == 0
		out = append(out, x)
	}
	sweep, err := readYAML("sweep file", s.Sweep, false)
	if err != nil {
		return nil, err
	}
	variables, err := readEnviron(s.Environ)
	if err != nil {
		return nil, err
	}
	overrides, err := s.overrides()
	if err != nil {
		return nil, err
	}
	out = slices.Concat(out, []*layer{sweep}, variables, overrides)
	for _, v := range s.Lists {
		out = append(out, &layer{name: v.From, values: map[string]any{v.Key: v.Value}, list: true})
	}
	return out, nil
}

func (s Sources) overrides() ([]*layer, error) {
	var out []*layer
	for _, v := range s.Overrides {
		x := &layer{name: cmp.Or(v.From, "override"), values: map[string]any{v.Key: v.Value}, text: true}
		if _, err := Find(v.Key); err != nil {
			return nil, fmt.Errorf("%s %s=%v: %w", x.name, v.Key, v.Value, err)
		}
		for _, o := range out {
			if _, twice := o.values[v.Key]; twice && o.name != x.name {
				return nil, fmt.Errorf("%s %s=%v: %s gives %s too; give it once", x.name, v.Key, v.Value, o.name, v.Key)
			}
		}
		out = append(out, x)
	}
	return out, nil
}

// readYAML reads a text in the form of the presets and checks its keys. Only a preset
// may have other settings on a task.
func readYAML(name string, data []byte, preset bool) (*layer, error) {
	v := viper.New()
	v.SetConfigType("yaml")
	if err := v.ReadConfig(bytes.NewReader(data)); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	x := &layer{name: name, values: map[string]any{}}
	keys := v.AllKeys()
	slices.Sort(keys)
	for _, key := range keys {
		value := v.Get(key)
		x.values[key] = value
		if key == presetKey {
			if other, _ := value.(string); other == "" {
				return nil, fmt.Errorf("%s: preset is %s: want one of %s",
					name, quoted(value), strings.Join(Names(Presets), ", "))
			}
			continue
		}
		if preset && strings.HasPrefix(key, onTask) {
			continue
		}
		if _, err := Find(key); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if value == nil {
			return nil, fmt.Errorf("%s: %s has no value", name, key)
		}
	}
	return x, nil
}

// readPreset returns the layers of the preset that a preset starts from, the preset's own, and
// what it has differently on the task. Options of the task do not count. A nil task is the
// preset's; another has its own lengths.
func readPreset(preset string, task any) ([]*layer, error) {
	about, err := Describe(Presets, preset)
	if err != nil {
		return nil, err
	}
	name := "preset " + preset
	base, err := readYAML(name, []byte(about.Text), true)
	if err != nil {
		return nil, err
	}
	base.any = true
	var below []*layer
	if other, ok := base.values[presetKey]; ok {
		if below, err = readPreset(fmt.Sprint(other), task); err != nil {
			return nil, err
		}
	}
	own := base.values["train.task"]
	used, _, _ := strings.Cut(fmt.Sprint(cmp.Or(task, own)), "+")
	special := &layer{name: name + " on task " + used, values: map[string]any{}, any: true}
	for key, value := range base.values {
		rest, ok := strings.CutPrefix(key, onTask)
		if !ok {
			continue
		}
		delete(base.values, key)
		if rest, ok := strings.CutPrefix(rest, used+"."); ok {
			special.values[rest] = value
		}
	}
	base.leaveLengths(task)
	return append(below, base, special), nil
}

// leaveLengths removes the lengths from a layer whose task is another; nil is the same.
func (x *layer) leaveLengths(task any) {
	if task != nil && fmt.Sprint(task) != fmt.Sprint(x.values["train.task"]) {
		delete(x.values, "train.lengths")
		delete(x.values, "train.eval_lengths")
	}
}

// last returns the value of a key in the highest layer that has it, nil for none.
func last(layers []*layer, key string) any {
	for _, x := range slices.Backward(layers) {
		if value, ok := x.values[key]; ok {
			return value
		}
	}
	return nil
}
