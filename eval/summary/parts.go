package summary

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/internal/lists"
)

// part is the series of a task that are of one part of a sweep, or of one whose name goes on where that one's ends: modern-ssmax
// is among modern's.
type part struct {
	Name string
	Task *Task // with the part's series alone, which are named without the part
}

// mostParts is how many there are at most: more are steps of a scale, of which figures would be too small.
const mostParts = 4

// partsOf lists the parts of a sweep that a task's series are of; none unless each is of one, and there are several, of several
// encodings each.
func (s *Study) partsOf(t *Task) []part {
	settings := lists.Map(t.Series, func(series Series) string { return series.Setting })
	slices.Sort(settings) // what other names begin with comes before them
	var out []part
	for _, name := range slices.Compact(settings) {
		if n := len(out); name != "" && (n == 0 || !strings.HasPrefix(name, out[n-1].Name+"-")) {
			out = append(out, s.partOf(t, name))
		}
	}
	narrow := func(p part) bool {
		return !slices.ContainsFunc(p.Task.Series, func(o Series) bool { return o.Encoding != p.Task.Series[0].Encoding })
	}
	if len(out) < 2 || len(out) > mostParts || settings[0] == "" || slices.ContainsFunc(out, narrow) {
		return nil
	}
	return out
}

func (s *Study) partOf(t *Task, name string) part {
	own := *t
	own.Series = nil
	for _, series := range t.Series {
		rest, ok := strings.CutPrefix(series.Setting+"-", name+"-")
		if !ok {
			continue
		}
		short := withTrait(s.Encodings[series.Encoding], strings.TrimSuffix(rest, "-"))
		series.Variant = 0
		for _, other := range own.Series {
			if other.Encoding == series.Encoding {
				series.Variant++
			}
			if other.Name == short {
				short = series.Name // which tells more
			}
		}
		series.Name = short
		own.Series = append(own.Series, series)
	}
	return part{name, &own}
}

// partTable has a line for each series and a column for each part, and says where every run of one part is above every run of
// another.
func (t *Task) partTable(measure string) Table {
	var all []Series
	in := lists.Map(t.Parts, func(p part) map[string]Series {
		own := map[string]Series{}
		for _, s := range p.Task.Series {
			own[s.Name], all = s, append(all, s)
		}
		return own
	})
	slices.SortFunc(all, func(a, b Series) int { return cmp.Or(cmp.Compare(a.Encoding, b.Encoding), cmp.Compare(a.Name, b.Name)) })
	names := slices.Compact(namesOf(all))
	out := grid(fmt.Sprintf("%s by part: %s beyond the trained lengths in %%, median of the runs (quartiles)", t.Name, label(measure)),
		"encoding", names, lists.Map(t.Parts, func(p part) string { return p.Name }), func(line, column int) Cell {
			s, ok := in[column][names[line]]
			if !ok {
				return Cell{Text: "–", Value: &unknownSpread}
			}
			return percentCell(s.Beyond)
		})
	for i, above := range t.Parts {
		for k, below := range t.Parts {
			apart := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
				a, b := in[i][name].Beyond, in[k][name].Beyond
				return a.Over != OverRuns || b.Over != OverRuns || !a.apart(b) || a.Median < b.Median
			})
			if len(apart) > 0 {
				out.Notes = append(out.Notes, fmt.Sprintf("Every run of %s is above every run of %s: %s.", above.Name, below.Name, strings.Join(apart, ", ")))
			}
		}
	}
	return out
}
