package main

import (
	"strings"
	"testing"

	"github.com/nopezoo/zoo/cmd/zoo/internal/terminal"
	"github.com/nopezoo/zoo/eval/task"
)

// TestDataDefaults: samples of every task can be had without a flag but its name, at up to ten of the lengths that
// the paper trains on.
func TestDataDefaults(t *testing.T) {
	for _, k := range task.All() {
		var out, notes strings.Builder
		c := dataVerb(&app{Streams: terminal.Streams{Out: &out, Err: &notes}})
		c.SetArgs([]string{"--task", k.Name})
		if err := c.Execute(); err != nil || notes.Len() > 0 {
			t.Errorf("%s: %v, %s", k.Name, err, notes.String())
		}
		if n, most := strings.Count(out.String(), "\n"), len(k.LengthsIn(k.Train)); n != min(most, 10) && (n < 5 || n > 10) {
			t.Errorf("%s: %d samples, of %d trained lengths", k.Name, n, most)
		}
	}
}
