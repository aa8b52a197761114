package summary

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/eval"
)

// TestShares checks the analysis of variance on grids whose answer is known by construction.
func TestShares(t *testing.T) {
	four := func(value func(w, d int) float64) []float64 {
		var out []float64
		for w := range 4 {
			for d := range 4 {
				out = append(out, value(w, d))
			}
		}
		return out
	}
	for _, tc := range []struct {
		name                  string
		value                 func(w, d int) float64
		weights, data         float64
		pWeights, pData, slop float64
	}{
		{"weights alone", func(w, _ int) float64 { return float64(w * w) }, 1, 0, 0, 1, 0.01},
		{"data alone", func(_, d int) float64 { return float64(d % 2) }, 0, 1, 1, 0, 0.01},
		{"both, by sums of squares of 5·4 and 20·4", func(w, d int) float64 { return float64(w + 2*d) }, 0.2, 0.8, 0, 0, 0.01},
		{"neither, a Latin square", func(w, d int) float64 { return float64((w + d) % 4) }, 0, 0, 1, 1, 0.01},
	} {
		g := seedGrid{weights: []uint64{1, 2, 3, 4}, data: []uint64{1, 2, 3, 4}}
		weights, data, ok := g.shares(four(tc.value))
		if !ok || math.Abs(weights-tc.weights) > 1e-12 || math.Abs(data-tc.data) > 1e-12 {
			t.Errorf("%s: %v and %v, want %v and %v", tc.name, weights, data, tc.weights, tc.data)
		}
		pWeights, pData := g.chance(four(tc.value))
		if math.Abs(pWeights-tc.pWeights) > tc.slop || math.Abs(pData-tc.pData) > tc.slop {
			t.Errorf("%s: p %v and %v, want %v and %v", tc.name, pWeights, pData, tc.pWeights, tc.pData)
		}
	}
	g := seedGrid{weights: []uint64{1, 2}, data: []uint64{1, 2}}
	for _, values := range [][]float64{{0.5, 0.5, 0.5, 0.5}, {0, 1, math.NaN(), 1}} {
		if _, _, ok := g.shares(values); ok {
			t.Errorf("%v have shares", values)
		}
	}
}

// TestChanceIsUniform checks that p of seeds without an effect is at most 0.2 in about a fifth of grids.
func TestChanceIsUniform(t *testing.T) {
	g := seedGrid{weights: []uint64{1, 2, 3}, data: []uint64{1, 2, 3}}
	state, few := uint64(1), 0
	const grids = 50
	for range grids {
		values := make([]float64, 9)
		for i := range values {
			state = state*6364136223846793005 + 1442695040888963407
			values[i] = float64(state>>40) / (1 << 24)
		}
		weights, data := g.chance(values)
		for _, p := range []float64{weights, data} {
			if p <= 0.2 {
				few++
			}
		}
	}
	if few < 8 || few > 34 { // of 100; three and a half standard deviations
		t.Errorf("%d of %d values of p are at most 0.2", few, 2*grids)
	}
}

// TestSeedTables checks which series get tables, and what these say.
func TestSeedTables(t *testing.T) {
	var rows []eval.Row
	for w := range uint64(2) {
		for d := range uint64(2) {
			for _, r := range run(measured("a", 100, []int{100, 90, 40 + 20*int(d)}), w+1, -1) {
				if r.DataSeed = d + 1; d == w {
					r.DataSeed = 0 // as runs have it whose seeds are the same
				}
				rows = append(rows, r)
			}
		}
	}
	rows = append(rows, run(measured("b", 100, []int{100, 90, 50}), 1, -1)...)
	tables := studyOf(t, rows).Tasks[0].Differences
	if len(tables) != 2 {
		t.Fatalf("%d tables, want 2, of a alone", len(tables))
	}
	shares := tables[1].texts("")
	last := shares[len(shares)-1]
	if diff := cmp.Diff([]string{"beyond", "0.0", "100.0", "0.0"}, last[:4]); diff != "" {
		t.Errorf("shares (-want +got):\n%s\n%s", diff, fmt.Sprint(shares))
	}
	if first := shares[1]; first[1] != "–" {
		t.Errorf("a length at which all runs are alike has shares: %q", first)
	}
	if tables := studyOf(t, rows[:len(rows)*3/5]).Tasks[0].Differences; len(tables) != 0 {
		t.Errorf("a grid with a gap has %d tables", len(tables))
	}
}
