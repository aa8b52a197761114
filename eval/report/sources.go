package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/nopezoo/zoo/eval"

	"github.com/nopezoo/zoo/eval/study"
)

// Sources is where the numbers come from.
type Sources struct {
	Command string
	Rows    int
	Setups  []string // machines, providers, versions
	Models  []Model
}

// Model is one model file that was measured.
type Model struct {
	Name, Encoding, Task   string
	Parameters             string
	Seed                   uint64
	Steps                  int
	Trained                string
	File, Config, Measured string // file and settings: heads of the hashes; samples at each length
}

func sources(rows []eval.Row, command string) Sources {
	s := Sources{Command: command, Rows: len(rows)}
	for _, r := range rows {
		setup := fmt.Sprintf("%s, %s, ", cmp.Or(r.Machine, "unnamed machine"), cmp.Or(r.Provider, "unnamed provider"))
		if r.ORTVersion != "" {
			setup += "ONNX Runtime " + r.ORTVersion + ", "
		}
		if setup += "zoo " + cmp.Or(r.ToolVersion, "of unnamed version"); !slices.Contains(s.Setups, setup) {
			s.Setups = append(s.Setups, setup)
		}
	}
	type fileKey struct{ name, task, sha string }
	at := map[fileKey]int{}
	least, most := map[fileKey]int{}, map[fileKey]int{}
	for _, r := range rows {
		k := fileKey{r.Model, r.Task, r.ModelSHA256}
		if _, ok := at[k]; !ok {
			at[k] = len(s.Models)
			s.Models = append(s.Models, Model{Name: r.Model, Encoding: r.Encoding, Task: r.Task, Parameters: study.Millions(r.Parameters),
				Seed: r.TrainSeed, Steps: r.TrainSteps, Trained: fmt.Sprintf("%d–%d", r.TrainMin, r.TrainMax),
				File: head(r.ModelSHA256), Config: head(r.ConfigHash), Measured: "none"})
		}
		if !r.Scored() {
			continue
		}
		if least[k] == 0 || r.N < least[k] {
			least[k] = r.N
		}
		most[k] = max(most[k], r.N)
		s.Models[at[k]].Measured = fmt.Sprint(most[k])
		if least[k] < most[k] {
			s.Models[at[k]].Measured = fmt.Sprintf("%d–%d", least[k], most[k])
		}
	}
	return s
}

// head is the beginning of a hash, enough to tell files apart.
func head(hash string) string { return hash[:min(12, len(hash))] }

// Table lists the models.
func (s Sources) Table() Table {
	out := Table{Caption: "Models measured", Prose: []int{1, 2, 7, 8},
		Head: []string{"model", "encoding", "task", "parameters", "training seed", "steps", "trained", "file", "settings", "samples a length"}}
	for _, m := range s.Models {
		out.Lines = append(out.Lines, []string{m.Name, m.Encoding, m.Task, m.Parameters, fmt.Sprint(m.Seed), fmt.Sprint(m.Steps), m.Trained, m.File, m.Config, m.Measured})
	}
	return out
}
