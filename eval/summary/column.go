package summary

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/internal/human"
)

// modelTraits tell models of one name apart, and where they ran. The first is the name.
var modelTraits = []func(eval.Row) string{
	func(r eval.Row) string { return r.Model },
	func(r eval.Row) string { return r.Encoding },
	func(r eval.Row) string { return r.Profile },
	dtypeOf,
	func(r eval.Row) string { return r.Provider },
	func(r eval.Row) string { return threads(r.Threads) },
	computer,
	func(r eval.Row) string { return fmt.Sprintf("train seed %v", trainSeedsOf(r)) },
	func(r eval.Row) string { return human.Plural(r.TrainSteps, "step", "steps") },
	func(r eval.Row) string { return "config " + r.ConfigHash[:min(8, len(r.ConfigHash))] },
	func(r eval.Row) string { return "file " + r.ModelSHA256[:min(8, len(r.ModelSHA256))] },
}

// fileTrait is the index of the hash of the file.
var fileTrait = len(modelTraits) - 1

// dtypeOf is the precision of a model's file.
func dtypeOf(r eval.Row) string { return cmp.Or(r.DType, "float32") }

// runTraits tell runs of one model apart: by all that costs depend on.
var runTraits = slices.Concat(modelTraits, engineTraits, amountTraits)

// placed gives rows without a measurement the environment of the last measured row of their model, or else of the first.
func placed(rows []eval.Row) []eval.Row {
	model := func(r eval.Row) string { // without what such rows lack
		r.ORTVersion, r.Adapter, r.ToolVersion = "", "", ""
		return fmt.Sprintf("%#v %s %d", r.Environment, r.Profile, r.Batch)
	}
	last := map[string]eval.Environment{}
	note := func(r eval.Row) {
		if !r.NA {
			last[model(r)] = r.Environment
		}
	}
	for _, r := range slices.Backward(rows) { // so that the first remain
		note(r)
	}
	out := slices.Clone(rows)
	for i, r := range rows {
		if note(r); r.NA {
			found := last[model(r)]
			out[i].ORTVersion, out[i].Adapter = cmp.Or(r.ORTVersion, found.ORTVersion), cmp.Or(r.Adapter, found.Adapter)
		}
	}
	return out
}

// modelRun is the cost of one model at one place, in batches of one size.
type modelRun struct {
	Name  string // begins with the model's
	Model string
	Rows  []eval.Row // the last of each cell
	costs            // only what was timed
}

// runs splits rows by runTraits, in order of first appearance. Names tell runs of one model apart; hash and place only where
// nothing else does. A row without measurements belongs to the first run of its model.
func runs(rows []eval.Row) []modelRun {
	rows, _ = latest(rows)
	first := map[string]eval.Row{}
	place := func(r eval.Row) string { return keyOf(r, slices.Concat(modelTraits, engineTraits)) }
	for _, r := range rows {
		if _, ok := first[place(r)]; !ok && r.Timed() {
			first[place(r)] = r
		}
	}
	for i, r := range rows {
		if r.NA {
			rows[i].Cost = first[place(r)].Cost
		}
	}
	groups := groupBy(rows, func(r eval.Row) string { return keyOf(r, runTraits) })
	keys := each(groups, func(g group[string]) []string { return valuesOf(g.rows[0], runTraits) })
	return each(groups, func(g group[string]) modelRun {
		own := valuesOf(g.rows[0], runTraits)
		name := cmp.Or(own[0], "(no name)")
		for i, value := range own {
			if slices.ContainsFunc(keys, func(o []string) bool {
				named := i <= len(modelTraits) && i != fileTrait
				return o[0] == own[0] && o[i] != value && (named || slices.Equal(o[:i], own[:i]))
			}) {
				name = withTrait(name, value)
			}
		}
		return modelRun{Name: name, Model: own[0], Rows: g.rows, costs: costsOf(g.rows)}
	})
}

func valuesOf(r eval.Row, traits []func(eval.Row) string) []string {
	return each(traits, func(trait func(eval.Row) string) string { return trait(r) })
}

// keyOf is the values in one.
func keyOf(r eval.Row, traits []func(eval.Row) string) string {
	return fmt.Sprintf("%q", valuesOf(r, traits))
}

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
