package main

import (
	"strings"
	"testing"
)

// Tables are as wide as COLUMNS says, and 80 in a pipe.
func TestWidth(t *testing.T) {
	a := &app{stdout: &results{w: &strings.Builder{}}}
	for columns, want := range map[string]int{"": 80, "120": 120, "wide": 80, "-1": 80} {
		t.Setenv("COLUMNS", columns)
		if got := a.width(); got != want {
			t.Errorf("COLUMNS=%s: %d, want %d", columns, got, want)
		}
	}
}
