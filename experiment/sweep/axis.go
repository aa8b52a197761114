package sweep

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/configs"
)

// axis is one list of values.
type axis struct {
	key    string // "train.seed"
	from   string // what the file calls it: "seeds", "grid.train.lr"
	short  string // in a run's name, "" where the value alone will do
	values []any
}

// namedLists are the axes that have a name of their own. Seeds come first, so that a
// sweep that is cut short has few seeds of everything.
func namedLists() []axis {
	return []axis{
		{key: "train.seed", from: "seeds"},
		{key: "train.data_seed", from: "data_seeds"},
		{key: "train.task", from: "tasks"},
		{key: "model.encoding", from: "encodings"},
	}
}

// readAxes reads the named lists and the grid.
func (p *part) readAxes(all map[string]any) error {
	candidates := namedLists()
	grid, ok := all[gridKey].(map[string]any)
	if !ok && all[gridKey] != nil {
		return errors.New("grid: want a list of values for each key, such as train.lr: [1e-3, 2e-3]")
	}
	for _, key := range slices.Sorted(maps.Keys(grid)) {
		candidates = append(candidates, axis{key: key, from: gridKey + "." + key, short: key[strings.LastIndex(key, ".")+1:]})
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
