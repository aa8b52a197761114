package sweep

import (
	"bytes"
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
)

// File is a sweep as its file gives it.
type File struct {
	Name  string // of the sweep, such as that of its file without the ending
	parts []part // in the order in which they are trained
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
		{key: "train.seed", from: "seeds"},
		{key: "train.task", from: "tasks"},
		{key: "model.encoding", from: "encodings"},
	}
}

// StudyFile is what the sweep file of a study is called; its folder has the sweep's name.
const StudyFile = "sweep.yaml"

// Read reads a sweep file; one that is not on disk may be an embedded one, by its name
// (configs.Sweeps).
func Read(path string) (*File, error) {
	data, err := tensor.ReadRegular(path, configs.MaxBytes)
	if errors.Is(err, fs.ErrNotExist) && slices.Contains(configs.Sweeps(), path) {
		data, err = configs.ReadSweep(path)
	}
	if err != nil {
		return nil, fmt.Errorf("sweep file: %w; or name one of %s", err, strings.Join(configs.Sweeps(), ", "))
	}
	name, err := nameOf(path)
	if err != nil {
		return nil, fmt.Errorf("sweep file %s: %w", path, err)
	}
	f, err := Parse(name, data)
	if err != nil {
		return nil, fmt.Errorf("sweep file %s: %w", path, err)
	}
	return f, nil
}

// nameOf names a sweep by its file, and that of a study by its folder.
func nameOf(path string) (string, error) {
	base := filepath.Base(path)
	if base == StudyFile {
		whole, err := filepath.Abs(path)
		return filepath.Base(filepath.Dir(whole)), err
	}
	return strings.TrimSuffix(base, filepath.Ext(base)), nil
}

// Parse reads the YAML text of a sweep. It may hold a preset to start from; settings of all
// runs in the sections model and train; lists of tasks, encodings and seeds; in the
// section grid a list for any other key, as in train.lr: [1e-3, 2e-3]; in the section bench how
// the models are measured; and parts, which have all of these again (see part). Whether the
// values can be is checked by Runs.
func Parse(name string, data []byte) (*File, error) {
	v := viper.NewWithOptions(viper.KeyDelimiter("\x00")) // the grid's keys hold dots
	v.SetConfigType("yaml")
	if err := v.ReadConfig(bytes.NewReader(data)); err != nil {
		return nil, err
	}
	all := v.AllSettings()
	if err := checkKeys(all, partsKey); err != nil {
		return nil, err
	}
	f := &File{Name: name}
	var err error
	f.parts, err = readParts(all)
	return f, err
}

// readAxes reads the named lists and the grid.
func (p *part) readAxes(all map[string]any) error {
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
		if slices.ContainsFunc(p.axes, func(o axis) bool { return o.key == x.key }) {
			return fmt.Errorf("%s: another list gives %s too; give it once", x.from, x.key)
		}
		if slices.ContainsFunc(p.axes, func(o axis) bool { return o.short == x.short && x.short != "" }) {
			x.short = x.key
		}
		p.axes = append(p.axes, x)
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
