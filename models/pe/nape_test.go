package pe_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/models/pe"
)

// Of 8 heads the first 4 have the slopes 1, 1/2, 1/3 and 1/4, and the others none.
func TestNAPESlopes(t *testing.T) {
	d := pe.Dims{Model: 8, Heads: 8, Head: 1}
	for settings, slopes := range map[string][]float64{
		``:             {1, 0.5, 1. / 3, 0.25, 0, 0, 0, 0},
		`{"biased":1}`: {1, 0, 0, 0, 0, 0, 0, 0},
	} {
		got := bias(t, newEncoding(t, "nape", settings, d), d, 3, nil)
		for h, slope := range slopes {
			near(t, settings, got[h*9+6:][:3], []float64{-2 * slope, -slope, 0}, 1e-6)
		}
	}
}

func TestNAPEErrors(t *testing.T) {
	row, err := pe.Find("nape")
	if err != nil {
		t.Fatal(err)
	}
	for settings, heads := range map[string]int{``: 1, `{"biased":5}`: 4, `{"biased":-1}`: 4} {
		_, err := row.Make.New(pe.Dims{Model: heads, Heads: heads, Head: 1}, json.RawMessage(settings))
		if err == nil || !strings.Contains(err.Error(), "the number of heads") {
			t.Errorf("settings %q with %d heads: error %v", settings, heads, err)
		}
	}
}
