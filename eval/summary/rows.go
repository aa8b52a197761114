package summary

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/internal/lists"
)

// dtypeOf is the precision of a model's file.
func dtypeOf(r eval.Row) string { return cmp.Or(r.DType, "float32") }

// threads says how many threads there are.
func threads(n int) string {
	if n == 0 {
		return "a thread per core"
	}
	return human.Plural(n, "thread", "threads")
}

// trainSeedsOf are the seeds of a row's training run.
func trainSeedsOf(r eval.Row) card.Seeds { return card.Seeds{Weights: r.TrainSeed, Data: r.DataSeed} }

// computer names the processor, with the device that computed.
func computer(r eval.Row) string {
	if r.Adapter == "" || r.Machine == "" {
		return r.Machine + r.Adapter
	}
	return r.Machine + ", " + r.Adapter
}

// depthOf is the depth of a row and 1, 0 for none.
func depthOf(r eval.Row) int {
	if r.Depth == nil {
		return 0
	}
	return *r.Depth + 1
}

// causes says why a model was not available: once for reasons that differ in their numbers alone, with the shortest length's.
func causes(model string, rows []eval.Row) []string {
	refused := slices.DeleteFunc(slices.Clone(rows), func(r eval.Row) bool { return !r.NA })
	slices.SortStableFunc(refused, func(a, b eval.Row) int { return a.Span().Compare(b.Span()) })
	withoutDigits := func(r eval.Row) string {
		return strings.Map(func(c rune) rune {
			if unicode.IsDigit(c) {
				return -1
			}
			return c
		}, r.Reason)
	}
	return lists.Map(groupBy(refused, withoutDigits), func(g group[string]) string {
		more := ""
		if n := len(lengthsOf(g.rows)) - 1; n > 0 {
			more = fmt.Sprintf(" (and %d more)", n)
		}
		return fmt.Sprintf("n/a: %s at length %s%s: %s", model, g.rows[0].Span().Label(), more, g.rows[0].Reason)
	})
}

// lengthsOf lists the lengths and bins of rows, each once, in order.
func lengthsOf(rows []eval.Row) []task.Span {
	return task.SortSpans(lists.Map(rows, func(r eval.Row) task.Span { return r.Span() }))
}

// group is rows that have a key in common.
type group[K comparable] struct {
	key  K
	rows []eval.Row
}

// groupBy groups rows by key, in order of first appearance.
func groupBy[K comparable](rows []eval.Row, key func(eval.Row) K) []group[K] {
	var out []group[K]
	at := map[K]int{}
	for _, r := range rows {
		k := key(r)
		i, ok := at[k]
		if !ok {
			i = len(out)
			at[k], out = i, append(out, group[K]{key: k})
		}
		out[i].rows = append(out[i].rows, r)
	}
	return out
}

// distinct lists the different values of rows in ascending order.
func distinct[T cmp.Ordered](rows []eval.Row, value func(eval.Row) T) []T {
	out := lists.Map(rows, value)
	slices.Sort(out)
	return slices.Compact(out)
}
