package summary

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
)

// headsOf names runs without words that all models' names begin or end with. pattern is the name with a star for the rest,
// such as "copy-*-tiny-s1"; "" where nothing is left out.
func headsOf(columns []modelRun) (pattern string, heads []string) {
	names := make([][]string, len(columns))
	least := 0
	for i, c := range columns {
		names[i] = strings.Split(c.Model, "-")
		if least == 0 || len(names[i]) < least {
			least = len(names[i])
		}
		heads = append(heads, c.Name)
	}
	if !slices.ContainsFunc(names, func(n []string) bool { return !slices.Equal(n, names[0]) }) {
		return "", heads // one name, which no star can stand for
	}
	same := func(at func(name []string) string) bool {
		return !slices.ContainsFunc(names, func(n []string) bool { return at(n) != at(names[0]) })
	}
	first, last := 0, 0
	for first < least-1 && same(func(n []string) string { return n[first] }) {
		first++
	}
	for last < least-1-first && same(func(n []string) string { return n[len(n)-1-last] }) {
		last++
	}
	if first+last == 0 {
		return "", heads
	}
	for i, n := range names {
		heads[i] = strings.Join(n[first:len(n)-last], "-") + strings.TrimPrefix(heads[i], columns[i].Model)
	}
	n := names[0]
	return strings.Join(slices.Concat(n[:first], []string{"*"}, n[len(n)-last:]), "-"), heads
}

// causes says why a model was not available: once for reasons that differ in their numbers alone, with the shortest length's.
func causes(head string, rows []eval.Row) []string {
	reasons := map[task.Span]string{} // by length
	for _, r := range rows {
		if r.NA {
			reasons[r.Span()] = r.Reason
		}
	}
	var causes []string
	count, first := map[string]int{}, map[string]task.Span{}
	for _, length := range slices.SortedFunc(maps.Keys(reasons), task.Span.Compare) {
		cause := strings.Map(dropDigits, reasons[length])
		if count[cause]++; count[cause] == 1 {
			causes = append(causes, cause)
			first[cause] = length
		}
	}
	return each(causes, func(cause string) string {
		more := ""
		if n := count[cause] - 1; n > 0 {
			more = fmt.Sprintf(" (and %d more)", n)
		}
		return fmt.Sprintf("n/a: %s at length %s%s: %s", head, first[cause].Label(), more, reasons[first[cause]])
	})
}

func dropDigits(r rune) rune {
	if unicode.IsDigit(r) {
		return -1
	}
	return r
}
