package sweep

import (
	"fmt"
	"maps"
	"slices"

	"github.com/nopezoo/zoo/internal/suggest"
)

// bench says how the models of runs are to be measured. Zero values stand for the defaults of zoo bench.
type bench struct {
	Lengths string `json:"lengths,omitempty"` // as zoo bench takes them: "20..50,100"
	Samples int    `json:"n,omitempty"`       // at each length
	Batch   int    `json:"batch,omitempty"`   // most sequences at a time
	// Changed are changes without training; models are measured as trained, and with each of them.
	Changed []Change `json:"changed,omitempty"`
}

// Change holds the values of zoo bench's flags --rope, --scale and --window; "" for none.
type Change struct {
	RoPE   string `json:"rope,omitempty"`
	Scale  string `json:"scale,omitempty"`
	Window string `json:"window,omitempty"`
}

// readBench reads the section bench, nil for none.
func readBench(value any) (b bench, err error) {
	section, ok := value.(map[string]any)
	if !ok && value != nil {
		return b, fmt.Errorf("bench is %v: want a section, such as {lengths: 20..50, n: 100}", value)
	}
	wholeNumber := func(key string, value any, into *int) error {
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
			err = wholeNumber(key, value, &b.Samples)
		case "batch":
			err = wholeNumber(key, value, &b.Batch)
		case "changed":
			b.Changed, err = readChanges(value)
		default:
			err = fmt.Errorf("bench: %w", suggest.Unknown("key", key, []string{"lengths", "n", "batch", "changed"}))
		}
		if err != nil {
			return b, err
		}
	}
	return b, nil
}

// readChanges reads the list bench.changed.
func readChanges(value any) ([]Change, error) {
	listed, ok := value.([]any)
	if !ok {
		return nil, fmt.Errorf(`bench.changed is %v: want a list of changes, such as [{rope: "ntk:4"}, {scale: log-n}]`, value)
	}
	var out []Change
	for i, value := range listed {
		section, ok := value.(map[string]any)
		if !ok || len(section) == 0 {
			return nil, fmt.Errorf(`bench.changed: change %d is %v: want flags of zoo bench with values, such as {rope: "ntk:4"}`,
				i+1, value)
		}
		var c Change
		into := map[string]*string{"rope": &c.RoPE, "scale": &c.Scale, "window": &c.Window}
		for _, key := range slices.Sorted(maps.Keys(section)) {
			if into[key] == nil {
				return nil, fmt.Errorf("bench.changed: change %d: %w", i+1, suggest.Unknown("key", key, slices.Sorted(maps.Keys(into))))
			}
			*into[key] = fmt.Sprint(section[key])
		}
		if slices.Contains(out, c) {
			return nil, fmt.Errorf("bench.changed: change %d, %v, is there twice; leave one out", i+1, section)
		}
		out = append(out, c)
	}
	return out, nil
}
