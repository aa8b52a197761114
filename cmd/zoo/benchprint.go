package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/eval"
)

// printRows writes results in one of the formats; all of them derive from the
// rows alone.
func (a *app) printRows(rows []eval.Row, format string, by eval.Weighting) error {
	switch format {
	case "jsonl":
		return eval.WriteJSONL(a.stdout, rows...)
	case "json":
		return a.json(rows)
	case "csv":
		return eval.CSV(a.stdout, rows)
	case "benchstat":
		return eval.Benchstat(a.stdout, rows)
	}
	if len(rows) == 0 {
		return nil
	}
	if format == "md" {
		a.print("%s\n", heading(rows))
		return eval.Markdown(a.stdout, rows, by)
	}
	a.print("%s", heading(rows))
	return eval.Table(a.stdout, rows, by)
}

// heading says where the rows were measured.
func heading(rows []eval.Row) string {
	var parts []string
	for _, part := range []func(eval.Row) string{
		func(r eval.Row) string { return r.Machine },
		engineOf,
		func(r eval.Row) string {
			switch {
			case r.ORTVersion == "": // pure Go does not heed them
				return ""
			case r.Threads == 0:
				return "one thread per core"
			case r.Threads == 1:
				return "1 thread"
			}
			return fmt.Sprintf("%d threads", r.Threads)
		},
		func(r eval.Row) string { return "zoo " + r.ToolVersion },
	} {
		seen := slices.Compact(slices.Sorted(slices.Values(each(rows, part))))
		seen = slices.DeleteFunc(seen, func(s string) bool { return s == "" })
		if len(seen) > 0 {
			parts = append(parts, strings.Join(seen, " and "))
		}
	}
	return strings.Join(parts, "; ")
}

func engineOf(r eval.Row) string {
	if r.ORTVersion == "" {
		return "pure Go"
	}
	return fmt.Sprintf("ONNX Runtime %s, provider %s", r.ORTVersion, r.Provider)
}
