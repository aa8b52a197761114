package train_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// printOperators prints what the operators of a step took, by operator and
// shapes, from the trace that ONNX Runtime wrote.
func printOperators(b *testing.B, prefix string, steps int) {
	files, err := filepath.Glob(prefix + "*")
	if err != nil || len(files) == 0 {
		b.Fatalf("no trace at %s (%v)", prefix, err)
	}
	total := map[string]float64{}
	sum := 0.0
	for _, f := range files {
		for _, e := range readTrace(b, f) {
			if e.Category != "Node" || e.Args.Op == "" {
				continue
			}
			ms := e.Microseconds / 1e3 / float64(steps)
			shapes := ""
			for _, in := range e.Args.Inputs {
				for _, shape := range in {
					shapes += fmt.Sprint(shape)
				}
			}
			total[e.Args.Op] += ms
			total[e.Args.Op+" "+shapes] += ms
			sum += ms
		}
	}
	names := make([]string, 0, len(total))
	for name := range total {
		names = append(names, name)
	}
	slices.SortFunc(names, func(x, y string) int { return cmp.Compare(total[y], total[x]) })
	for _, name := range names {
		if total[name] > 0.0008*sum {
			fmt.Printf("  %7.2f ms %5.1f %%  %s\n", total[name], 100*total[name]/sum, name)
		}
	}
}

// traceEvent is one entry of a trace in the Trace Event Format.
type traceEvent struct {
	Name         string  `json:"name"` // of the node, and what was timed
	Category     string  `json:"cat"`
	Start        float64 `json:"ts"` // microseconds
	Microseconds float64 `json:"dur"`
	Args         struct {
		Op     string             `json:"op_name"`
		Inputs []map[string][]int `json:"input_type_shape"`
	} `json:"args"`
}

func readTrace(b testing.TB, path string) []traceEvent {
	data, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	var events []traceEvent
	if err := json.Unmarshal(data, &events); err != nil {
		b.Fatalf("%s: %v", path, err)
	}
	return events
}
