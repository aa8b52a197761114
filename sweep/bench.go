package sweep

import (
	"fmt"
	"maps"
	"slices"

	"github.com/nopezoo/zoo/eval/task"
)

// Bench says how the models of runs are to be measured. Zero values stand for what zoo bench
// does unless told.
type Bench struct {
	Lengths string `json:"lengths,omitempty"` // as zoo bench takes them: "20..50,100"
	Samples int    `json:"n,omitempty"`       // at each length
	Batch   int    `json:"batch,omitempty"`   // most sequences at a time
}

// readBench reads the section bench, nil for none.
func readBench(value any) (b Bench, err error) {
	section, ok := value.(map[string]any)
	if !ok && value != nil {
		return b, fmt.Errorf("bench is %v: want a section, such as {lengths: 20..50, n: 100}", value)
	}
	whole := func(key string, value any, into *int) error {
		n, ok := value.(int)
		if !ok || n < 1 {
			return fmt.Errorf("bench.%s is %v: want a whole number of 1 or more", key, value)
		}
		*into = n
		return nil
	}
	for _, key := range slices.Sorted(maps.Keys(section)) {
		value := section[key]
		switch key {
		case "lengths":
			switch value.(type) {
			case string, int:
				b.Lengths = fmt.Sprint(value)
			default:
				err = fmt.Errorf("bench.lengths is %v: want text as zoo bench --lengths takes it, such as 20..50,100", value)
			}
		case "n":
			err = whole(key, value, &b.Samples)
		case "batch":
			err = whole(key, value, &b.Batch)
		default:
			err = fmt.Errorf("bench: %w", task.Unknown("key", key, []string{"lengths", "n", "batch"}))
		}
		if err != nil {
			return b, err
		}
	}
	return b, nil
}
