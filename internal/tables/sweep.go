package tables

import (
	"fmt"

	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/sweep"
)

// Plan lists what a sweep would train.
func Plan(runs []sweep.Run) [][]string {
	lines := [][]string{{"run", "steps", "parameters", "memory"}}
	for _, r := range runs {
		lines = append(lines, []string{r.Name, fmt.Sprint(r.Config.Train.Steps),
			fmt.Sprint(r.Parameters), human.Bytes(r.Memory)})
	}
	return lines
}
