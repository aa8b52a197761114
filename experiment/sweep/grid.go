package sweep

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/train"
)

// mostRuns is the most runs of a sweep: all of them are checked, and held in memory,
// before the first begins, some hundred in a second.
const mostRuns = 10_000

// checkSize refuses lists that make too many runs, before any is made.
func (f *file) checkSize() error {
	var sizes []string
	all := 0
	for _, p := range f.parts {
		factors := lists.Map(p.axes, func(x axis) string { return fmt.Sprintf("%d %s", len(x.values), x.from) })
		sizes = append(sizes, strings.Join(factors, " × "))
		n := 1
		for _, x := range p.axes {
			n = min(n*len(x.values), mostRuns+1) // before the product can overflow
		}
		if all += n; all > mostRuns {
			return fmt.Errorf("sweep %s: %s are more than %d runs, which is the most that one sweep holds, "+
				"since all are checked before the first begins; divide the file",
				f.name, strings.Join(sizes, " + "), mostRuns)
		}
	}
	return nil
}

// choice is a combination: an index into each axis.
type choice []int

// choices lists every combination; the last axis varies fastest.
func (p *part) choices() []choice {
	all := []choice{{}}
	for _, x := range p.axes {
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
func (p *part) describe(c choice) string {
	var out []string
	if p.name != "" {
		out = append(out, "part="+p.name)
	}
	for i, x := range p.axes {
		out = append(out, fmt.Sprintf("%s=%v", x.key, x.values[c[i]]))
	}
	return strings.Join(out, " ")
}

// runs lists the run of every combination, each with its directory below folder.
func (f *file) runs(folder string, s configs.Sources) ([]Run, error) {
	if err := f.checkSize(); err != nil {
		return nil, err
	}
	var out []Run
	seen := map[string]string{}
	for i := range f.parts {
		p := &f.parts[i]
		for _, combination := range p.choices() {
			what := p.describe(combination)
			r, err := p.resolve(folder, combination, s)
			if err != nil {
				if what != "" { // of several
					err = fmt.Errorf("run %s: %w", what, err)
				}
				return nil, fmt.Errorf("sweep %s: %w", f.name, err)
			}
			if other, ok := seen[r.Name]; ok {
				return nil, fmt.Errorf("sweep %s: %s and %s are the same run %s%s",
					f.name, other, what, r.Name, f.nameHint())
			}
			seen[r.Name] = what
			out = append(out, r)
		}
	}
	return out, nil
}

// nameHint says how runs of several parts get names of their own.
func (f *file) nameHint() string {
	if len(f.parts) == 1 {
		return ""
	}
	return "; give parts with the same runs different names"
}

// resolve merges the layers of one combination, whose directory is below folder: the lists win over --set and the
// environment, which may not give the same keys.
func (p *part) resolve(folder string, pick choice, s configs.Sources) (Run, error) {
	s.Sweep, s.Encodings, s.Lists = p.shared, p.encodings(), nil
	name, named := "", false // the tokenizer in it
	if p.name != "" {
		name = "-" + p.name
	}
	for i, x := range p.axes {
		value := x.values[pick[i]]
		s.Lists = append(s.Lists, configs.Value{Key: x.key, Value: value, From: x.from + " of the sweep file"})
		if x.short != "" {
			name += fmt.Sprintf("-%s=%s", x.short, fileWord(value))
			named = named || x.key == "train.tokenizer"
		}
	}
	cfg, err := configs.Load(s)
	if err != nil {
		return Run{}, err
	}
	r := Run{Part: p.name, Bench: p.bench}
	if r.Config, err = cfg.Config(""); err != nil {
		return r, err
	}
	r.Dir = filepath.ToSlash(r.Config.Dir(folder, cfg.Preset+name, named))
	r.Name = filepath.Base(r.Dir)
	r.Cost, err = train.EstimateCost(r.Config)
	return r, err
}

// encodings lists the encodings of all runs, none where all have the configured one.
func (p *part) encodings() (out []string) {
	for _, x := range p.axes {
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
