package sweep

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/train"
)

// mostRuns is the most runs of a sweep: all of them are checked, and held in memory,
// before the first begins, some hundred in a second.
const mostRuns = 10_000

// checkSize refuses lists that make too many runs, before any is made.
func (f *File) checkSize() error {
	n := 1
	for _, x := range f.axes {
		n *= len(x.values)
		if n > mostRuns { // before the product can overflow
			var sizes []string
			for _, x := range f.axes {
				sizes = append(sizes, fmt.Sprintf("%d %s", len(x.values), x.from))
			}
			return fmt.Errorf("sweep %s: %s are more than %d runs, which is the most that one sweep holds, "+
				"since all are checked before the first begins; divide the file",
				f.Name, strings.Join(sizes, " × "), mostRuns)
		}
	}
	return nil
}

// choice is a combination: an index into each axis.
type choice []int

// choices lists every combination; the last axis varies fastest.
func (f *File) choices() []choice {
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
func (f *File) describe(c choice) string {
	var out []string
	for i, x := range f.axes {
		out = append(out, fmt.Sprintf("%s=%v", x.key, x.values[c[i]]))
	}
	return strings.Join(out, " ")
}

// Runs lists the run of every combination, each with its directory below folder and with
// what it takes. All are checked, and nothing is written. The sources are what the sweep
// file wins over or gives way to, as configs.Sources says; its Sweep, Lists and Encodings
// are the sweep's own.
func (f *File) Runs(folder string, s configs.Sources) ([]Run, error) {
	if err := f.checkSize(); err != nil {
		return nil, err
	}
	var out []Run
	seen := map[string]choice{}
	for _, combination := range f.choices() {
		r, err := f.resolve(combination, s)
		if err != nil {
			return nil, fmt.Errorf("sweep %s: run %s: %w", f.Name, f.describe(combination), err)
		}
		if other, ok := seen[r.Name]; ok {
			return nil, fmt.Errorf("sweep %s: %s and %s are the same run %s",
				f.Name, f.describe(other), f.describe(combination), r.Name)
		}
		seen[r.Name] = combination
		r.Dir = filepath.ToSlash(filepath.Join(folder, r.Name))
		out = append(out, r)
	}
	return out, nil
}

// resolve merges the layers of one combination: the lists win over --set and the
// environment, which may not give the same keys.
func (f *File) resolve(pick choice, s configs.Sources) (Run, error) {
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
		return Run{}, err
	}
	r := Run{}
	if r.Config, err = cfg.Config(""); err != nil {
		return r, err
	}
	r.Name = r.Config.Name(cfg.Preset + name)
	r.Cost, err = train.EstimateCost(r.Config)
	return r, err
}

// encodings lists those of all runs, none where all have the configured one.
func (f *File) encodings() (out []string) {
	for _, x := range f.axes {
		if x.key == "model.encoding" {
			for _, v := range x.values {
				out = append(out, fmt.Sprint(v))
			}
		}
	}
	return out
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
