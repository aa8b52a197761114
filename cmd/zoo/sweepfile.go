package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/viper"

	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/sweep"
	"github.com/nopezoo/zoo/train"
)

// sweepFile is a sweep as its file gives it: settings that all runs share, and
// lists of values of which every combination is a run.
type sweepFile struct {
	name   string // of the file, without its ending
	shared []byte // the preset and the sections model and train, as JSON
	axes   []axis // the first varies slowest
}

// axis is one list of values.
type axis struct {
	key    string // "train.seed"
	from   string // what the file calls it: "seeds", "grid.train.lr"
	short  string // in a run's name, "" where the value alone will do
	values []any
}

// lists are the axes that have a name of their own. Seeds come first, so that a
// sweep that is cut short has few seeds of everything.
func lists() []axis {
	return []axis{
		{key: "train.seed", from: "seeds"}, {key: "train.task", from: "tasks"}, {key: "model.encoding", from: "encodings"},
	}
}

// readSweep reads a sweep file; one that is not on disk may be an embedded one,
// by its name.
func readSweep(path string) (*sweepFile, error) {
	if path == "" {
		return nil, fmt.Errorf("--config is missing: a sweep file, or one of %s", strings.Join(configs.Sweeps(), ", "))
	}
	data, err := tensor.ReadRegular(path, configs.MaxBytes)
	if errors.Is(err, fs.ErrNotExist) && slices.Contains(configs.Sweeps(), path) {
		data, err = configs.ReadSweep(path)
	}
	if err != nil {
		return nil, fmt.Errorf("sweep file: %w; or name one of %s", err, strings.Join(configs.Sweeps(), ", "))
	}
	f, err := parseSweep(data)
	if err != nil {
		return nil, fmt.Errorf("sweep file %s: %w", path, err)
	}
	base := filepath.Base(path)
	f.name = strings.TrimSuffix(base, filepath.Ext(base))
	return f, nil
}

func parseSweep(data []byte) (*sweepFile, error) {
	v := viper.NewWithOptions(viper.KeyDelimiter("\x00")) // the grid's keys hold dots
	v.SetConfigType("yaml")
	if err := v.ReadConfig(bytes.NewReader(data)); err != nil {
		return nil, err
	}
	f := &sweepFile{}
	shared := map[string]any{}
	known := []string{"preset", "model", "train", "grid"}
	for _, l := range lists() {
		known = append(known, l.from)
	}
	all := v.AllSettings()
	for _, key := range slices.Sorted(maps.Keys(all)) {
		value := all[key]
		switch {
		case !slices.Contains(known, key):
			return nil, unknown("key", key, known)
		case key == "preset" || key == "model" || key == "train":
			shared[key] = value
		}
	}
	if err := f.readAxes(all); err != nil {
		return nil, err
	}
	var err error
	f.shared, err = json.Marshal(shared) // YAML as well
	return f, err
}

// readAxes reads the named lists and the grid.
func (f *sweepFile) readAxes(all map[string]any) error {
	candidates := lists()
	grid, ok := all["grid"].(map[string]any)
	if !ok && all["grid"] != nil {
		return errors.New("grid: want a list of values for each key, such as train.lr: [1e-3, 2e-3]")
	}
	for _, key := range slices.Sorted(maps.Keys(grid)) {
		candidates = append(candidates, axis{key: key, from: "grid." + key, short: key[strings.LastIndex(key, ".")+1:]})
	}
	for _, x := range candidates {
		value, given := all[x.from]
		if x.short != "" {
			value, given = grid[x.key], true
		}
		if !given {
			continue
		}
		if err := x.fill(value); err != nil {
			return err
		}
		if slices.ContainsFunc(f.axes, func(o axis) bool { return o.key == x.key }) {
			return fmt.Errorf("%s: another list gives %s too; give it once", x.from, x.key)
		}
		if slices.ContainsFunc(f.axes, func(o axis) bool { return o.short == x.short && x.short != "" }) {
			x.short = x.key
		}
		f.axes = append(f.axes, x)
	}
	return nil
}

// fill takes the values of a list and checks that each is given once.
func (x *axis) fill(value any) error {
	if _, err := configs.Find(x.key); err != nil {
		return fmt.Errorf("%s: %w", x.from, err)
	}
	values, ok := value.([]any)
	if !ok || len(values) == 0 {
		return fmt.Errorf("%s is %v: want a list of values", x.from, value)
	}
	seen := map[string]bool{}
	for _, v := range values {
		if seen[fmt.Sprint(v)] {
			return fmt.Errorf("%s: %v is there twice", x.from, v)
		}
		seen[fmt.Sprint(v)] = true
	}
	x.values = values
	return nil
}

// mostRuns is the most runs of a sweep: all of them are checked, and held in memory,
// before the first begins, some hundred in a second.
const mostRuns = 10_000

// checkSize refuses lists that make too many runs, before any is made.
func (f *sweepFile) checkSize() error {
	n := 1
	for _, x := range f.axes {
		n *= len(x.values)
		if n > mostRuns { // before the product can overflow
			sizes := each(f.axes, func(x axis) string { return fmt.Sprintf("%d %s", len(x.values), x.from) })
			return fmt.Errorf("sweep %s: %s are more than %d runs, which is the most that one sweep holds, since all are checked before the first begins; divide the file", f.name, strings.Join(sizes, " × "), mostRuns)
		}
	}
	return nil
}

// choice is a combination: an index into each axis.
type choice []int

// choices lists every combination; the last axis varies fastest.
func (f *sweepFile) choices() []choice {
	all := []choice{{}}
	for _, x := range f.axes {
		var next []choice
		for _, c := range all {
			for i := range x.values {
				next = append(next, append(slices.Clone(c), i))
			}
		}
		all = next
	}
	return all
}

// describe names the combination for messages: "train.seed=1 model.encoding=rope".
func (f *sweepFile) describe(c choice) string {
	var out []string
	for i, x := range f.axes {
		out = append(out, fmt.Sprintf("%s=%v", x.key, x.values[c[i]]))
	}
	return strings.Join(out, " ")
}

// runs resolves every combination under root. Nothing is written.
func (f *sweepFile) runs(root string, s configs.Sources) ([]sweep.Run, error) {
	if err := f.checkSize(); err != nil {
		return nil, err
	}
	var out []sweep.Run
	seen := map[string]choice{}
	for _, combination := range f.choices() {
		r, err := f.resolve(combination, s)
		if err != nil {
			return nil, fmt.Errorf("sweep %s: run %s: %w", f.name, f.describe(combination), err)
		}
		if other, ok := seen[r.Name]; ok {
			return nil, fmt.Errorf("sweep %s: %s and %s are the same run %s", f.name, f.describe(other), f.describe(combination), r.Name)
		}
		seen[r.Name] = combination
		r.Dir = filepath.Join(root, r.Name)
		out = append(out, r)
	}
	return out, nil
}

// resolve merges the layers of one combination: the lists win over --set and the
// environment, which may not give the same keys.
func (f *sweepFile) resolve(pick choice, s configs.Sources) (sweep.Run, error) {
	s.Sweep, s.Encodings, s.Lists = f.shared, f.encodings(), nil
	name := ""
	for i, x := range f.axes {
		value := x.values[pick[i]]
		s.Lists = append(s.Lists, configs.Value{Key: x.key, Value: value, From: x.from + " of the sweep file"})
		if x.short != "" {
			name += fmt.Sprintf("-%s=%s", x.short, fileWord(value))
		}
	}
	cfg, err := configs.Load(s)
	if err != nil {
		return sweep.Run{}, err
	}
	r := sweep.Run{}
	if r.Config, err = cfg.Config(""); err != nil {
		return r, err
	}
	r.Name = filepath.Base(runDir("", cfg.Preset+name, r.Config))
	r.Cost, err = train.EstimateCost(r.Config)
	return r, err
}

// encodings lists those of all runs, none where all have the configured one.
func (f *sweepFile) encodings() []string {
	for _, x := range f.axes {
		if x.key == "model.encoding" {
			return each(x.values, func(v any) string { return fmt.Sprint(v) })
		}
	}
	return nil
}

// fileWord writes a value so that it can be part of a file's name.
func fileWord(v any) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-", r) {
			return r
		}
		return '_'
	}, fmt.Sprint(v))
}
