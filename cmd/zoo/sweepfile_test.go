package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/configs"
)

// Lists that multiply to more runs than there can be are refused before any is made,
// also where the product overflows.
func TestHugeSweep(t *testing.T) {
	for _, n := range []int{200, 1 << 13} {
		var list strings.Builder
		for i := range n {
			fmt.Fprintf(&list, "%d, ", i+1)
		}
		f, err := parseSweep(fmt.Appendf(nil, "seeds: [%s]\ngrid: {train.steps: [%[1]s], train.batch: [%[1]s], train.warmup: [%[1]s], train.examples: [%[1]s]}", &list))
		if err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("%d seeds × %[1]d grid.train.batch × %[1]d grid.train.examples × %[1]d grid.train.steps × %[1]d grid.train.warmup are more than 10000 runs", n)
		if runs, err := f.runs("", configs.Sources{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d runs, error %v; want %q", len(runs), err, want)
		}
	}
}
