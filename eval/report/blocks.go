package report

import (
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"

	"github.com/nopezoo/zoo/eval/summary"
)

// block is the series of a task that are of one part of a sweep. A part whose name goes on where another's ends belongs to that one's
// block, as modern-ssmax to modern's.
type block struct {
	name string
	task *summary.Task // with the block's series alone, which are named without the part
}

// Panels of more blocks would be too small; a block of one encoding compares none.
const (
	mostBlocks     = 4
	leastEncodings = 2
)

// blocks lists a task's blocks; none unless each series is of one, and there are several, of several encodings each.
func (s *Report) blocks(t *summary.Task) []block {
	parts := make([]string, len(t.Series))
	for i, series := range t.Series {
		parts[i] = series.Setting
	}
	slices.Sort(parts) // what other names begin with comes before them
	var out []block
	for _, part := range slices.Compact(parts) {
		if n := len(out); part != "" && (n == 0 || !strings.HasPrefix(part, out[n-1].name+"-")) {
			out = append(out, s.block(t, part))
		}
	}
	if parts[0] == "" || len(out) < 2 || len(out) > mostBlocks || slices.ContainsFunc(out, func(b block) bool { return b.encodings() < leastEncodings }) {
		return nil
	}
	return out
}

func (s *Report) block(t *summary.Task, name string) block {
	task := *t
	task.Series = nil
	for _, series := range t.Series {
		rest, ok := strings.CutPrefix(series.Setting+"-", name+"-")
		if !ok {
			continue
		}
		own := s.Study.Encodings[series.Encoding]
		if rest = strings.TrimSuffix(rest, "-"); rest != "" {
			own += " (" + rest + ")"
		}
		series.Variant = 0
		for _, other := range task.Series {
			if other.Encoding == series.Encoding {
				series.Variant++
			}
			if other.Name == own {
				own = series.Name // which tells more
			}
		}
		series.Name = own
		task.Series = append(task.Series, series)
	}
	return block{name, &task}
}

// encodings counts the encodings of a block.
func (b block) encodings() int {
	seen := map[int]bool{}
	for _, s := range b.task.Series {
		seen[s.Encoding] = true
	}
	return len(seen)
}

// accuracyFigure draws a task's exact match over the length, with a panel for each block.
func (s *Report) accuracyFigure(t *summary.Task) figure {
	const y = "exact match, %"
	name, blocks := "accuracy-"+fileName(t.Name), s.blocks(t)
	if len(blocks) == 0 {
		return s.lineFigure(name, y, t, accuracyChart(t, summary.Exact))
	}
	f := figure{Name: name, width: 4.2 * vg.Inch, height: 3.2 * vg.Inch, across: 2}
	for _, b := range blocks {
		p := curves{accuracyChart(b.task, summary.Exact), b.task, s}.panel(y)
		p.title = b.name
		f.panels = append(f.panels, p)
	}
	return f
}
