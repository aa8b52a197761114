package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/summary"
)

// Sources is where the numbers come from.
type Sources struct {
	Command string
	Rows    int
	Setups  []string // machines, providers, versions
	Models  Table    // the model files that were measured, with the heads of their hashes
}

func sources(rows []eval.Row, command string) Sources {
	s := Sources{Command: command, Rows: len(rows), Models: Table{
		Caption: "Models measured", Prose: []int{1, 2, 6, 8, 9},
		Head: []string{"model", "encoding", "task", "parameters", "training seed", "steps", "fitted", "trained", "file",
			"settings",
			"samples a length"},
	}}
	type file struct{ name, task, sha string }
	line := map[file]int{}
	var samples [][]int // at each length, by line
	for _, r := range rows {
		setup := fmt.Sprintf("%s, %s, ", cmp.Or(r.Computer(), "unnamed machine"), cmp.Or(r.Provider, "unnamed provider"))
		if r.ORTVersion != "" {
			setup += "ONNX Runtime " + r.ORTVersion + ", "
		}
		if setup += "zoo " + cmp.Or(r.ToolVersion, "of unnamed version"); !slices.Contains(s.Setups, setup) {
			s.Setups = append(s.Setups, setup)
		}
		k := file{r.Model, r.Task, r.ModelSHA256}
		at, known := line[k]
		if !known {
			at = len(samples)
			line[k], samples = at, append(samples, nil)
			s.Models.Lines = append(s.Models.Lines, []string{
				r.Model, r.Encoding, r.Task, summary.Millions(r.Parameters), r.TrainSeeds().String(),
				strconv.Itoa(r.TrainSteps), fittedText(r.FittedStep),
				fmt.Sprintf("%d–%d", r.TrainMin, r.TrainMax), head(r.ModelSHA256), head(r.ConfigHash),
			})
		}
		if r.Scored() {
			samples[at] = append(samples[at], r.N)
		}
	}
	for i, n := range samples {
		measured := "none"
		if len(n) > 0 {
			measured = strconv.Itoa(slices.Max(n))
			if least := slices.Min(n); least < slices.Max(n) {
				measured = fmt.Sprintf("%d–%s", least, measured)
			}
		}
		s.Models.Lines[i] = append(s.Models.Lines[i], measured)
	}
	return s
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
