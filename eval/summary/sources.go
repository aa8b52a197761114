package summary

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/internal/human"
)

// setups name the machines, engines, threads and versions of rows, each combination once.
func setups(rows []eval.Row) []string {
	var out []string
	for _, r := range rows {
		engine := ""
		switch {
		case r.ORTVersion != "":
			engine = fmt.Sprintf("ONNX Runtime %s, provider %s, %s", r.ORTVersion, r.Provider, threads(r.Threads))
		case r.NA: // nothing ran
			continue
		case r.Threads > 0:
			engine = "pure Go, " + threads(r.Threads)
		default: // it heeded no number of threads before it had threads of its own
			engine = "pure Go"
		}
		setup := strings.Join([]string{cmp.Or(computer(r), "unnamed machine"), engine, "zoo " + cmp.Or(r.ToolVersion, "of unnamed version")}, ", ")
		if !slices.Contains(out, setup) {
			out = append(out, setup)
		}
	}
	return out
}

// modelsTable lists the model files that were measured, with the heads of their hashes.
func modelsTable(rows []eval.Row) Table {
	out := Table{Title: "models measured, with the heads of their hashes (SHA-256)", Head: []string{"model", "encoding", "task", "parameters",
		"training seed", "steps", "fitted", "trained", "file", "settings", "samples a length"}}
	type file struct{ name, task, sha string }
	for _, g := range groupBy(rows, func(r eval.Row) file { return file{r.Model, r.Task, r.ModelSHA256} }) {
		samples := "none"
		scored := slices.DeleteFunc(slices.Clone(g.rows), func(r eval.Row) bool { return r.N == 0 })
		if n := distinct(scored, func(r eval.Row) int { return r.N }); len(n) > 0 {
			samples = strings.ReplaceAll(between(n[0], n[len(n)-1]), " to ", "–")
		}
		r := g.rows[0]
		line := words(r.Model, r.Encoding, r.Task)
		line = append(line, figures(human.Millions(r.Parameters), trainSeedsOf(r).String(), strconv.Itoa(r.TrainSteps))...)
		line = append(line, words(fittedText(r.FittedStep))...)
		line = append(line, figures(fmt.Sprintf("%d–%d", r.TrainMin, r.TrainMax))...)
		line = append(line, words(head(r.ModelSHA256), head(r.ConfigHash))...)
		out.add(append(line, figures(samples)...)...)
	}
	return out
}

// fittedText says at which step a run fitted.
func fittedText(step *int) string {
	switch {
	case step == nil:
		return "–"
	case *step == 0:
		return "no"
	}
	return fmt.Sprintf("at step %d", *step)
}

// head is the beginning of a hash, enough to tell files apart.
func head(hash string) string { return hash[:min(12, len(hash))] }
