package summary

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/lists"
)

// depthTables are exact match by depth and length, one for each series with depths.
func (t *Task) depthTables(series []Series) []Table {
	var out []Table
	for _, s := range series {
		at := map[[2]int][]eval.Row{} // by depth and length
		for _, r := range s.Rows {
			if r.Depth != nil {
				k := [2]int{*r.Depth, r.Length}
				at[k] = append(at[k], r)
			}
		}
		var depths, lengths []int
		for k := range at {
			depths, lengths = append(depths, k[0]), append(lengths, k[1])
		}
		slices.Sort(depths)
		slices.Sort(lengths)
		depths, lengths = slices.Compact(depths), slices.Compact(lengths)
		if len(depths) == 0 {
			continue
		}
		table := grid(fmt.Sprintf("%s, %s: exact match in %% by depth (in %% of the text) and length", t.Name, s.Name), "depth",
			lists.Map(depths, strconv.Itoa), lists.Map(lengths, func(n int) string { return task.At(n).Label() }), func(i, k int) Cell {
				return s.depthCell(at[[2]int{depths[i], lengths[k]}])
			})
		out = append(out, table)
	}
	return out
}

// depthCell is exact match over the runs that count.
func (s Series) depthCell(rows []eval.Row) Cell {
	c := Cell{Text: "–", Value: &unknownSpread}
	var runs []float64
	for _, run := range groupBy(rows, trainSeedsOf) {
		switch p := pool(run.rows); {
		case !slices.ContainsFunc(s.runs, func(r trainingRun) bool { return r.seeds == run.key }):
		case p.n == 0:
			c.Text = "n/a"
		default:
			runs, c.N = append(runs, p.accuracy), p.n
		}
	}
	if len(runs) > 0 {
		c.Value = new(overRuns(runs))
		c.Text = c.Value.Median.percentTo(0)
	}
	return c
}
