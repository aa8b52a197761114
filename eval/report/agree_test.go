package report_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/nopezoo/zoo/eval"
)

// TestAgreesWithTable measures one model again and again (in other batches, with
// other seeds, more and fewer prompts, older rows, rows without a measurement) and
// wants the page to say what zoo bench's table says.
func TestAgreesWithTable(t *testing.T) {
	check := func(name string, rows []eval.Row) {
		t.Helper()
		table := eval.Summarize(rows)
		if len(table) != 1 {
			t.Fatalf("%s: %d columns, want 1", name, len(table))
		}
		page := study(t, rows...).Tasks[0].Series[0]
		same := func(a float64, b float64) bool {
			return a == b || math.Abs(a-b) < 1e-12 || math.IsNaN(a) && math.IsNaN(b)
		}
		if !same(table[0].Inside.Value, float64(page.Inside.Mean)) || !same(table[0].Beyond.Value, float64(page.Beyond.Mean)) || table[0].Beyond.NA != page.BeyondNA {
			t.Errorf("%s: the table says %v → %v, the page %v → %v without %d", name, table[0].Inside, table[0].Beyond, page.Inside.Mean, page.Beyond.Mean, page.BeyondNA)
		}
		if got, want := [3]int{page.Effective.Length, page.Effective.Low, page.Effective.High}, [3]int{table[0].Effective, table[0].EffectiveLow, table[0].EffectiveHigh}; got != want {
			t.Errorf("%s: effective length %v on the page, %v in the table", name, got, want)
		}
	}
	again := func(correct, n int) eval.Row {
		return with(row(t, "nope", 0, 30, 0), func(r *eval.Row) { r.Correct, r.N, r.Distinct = correct, n, n })
	}
	check("950 of 1000, then 5 of 10", []eval.Row{again(950, 1000), again(5, 10)})
	if got := study(t, again(950, 1000), again(5, 10)).Tasks[0].Series[0].Beyond.Mean; got != 0.95 {
		t.Errorf("950 of 1000, then 5 of 10 are %v", got)
	}
	check("5 of 10, then 950 of 1000", []eval.Row{again(5, 10), again(950, 1000)})
	check("20 of 100, then 40 of 100", []eval.Row{again(20, 100), again(40, 100)})

	rng := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		var rows []eval.Row
		for range 1 + rng.IntN(12) {
			n := []int{1, 7, 10, 100}[rng.IntN(4)]
			r := with(row(t, "nope", 0, 10*(1+rng.IntN(4)), 0), func(r *eval.Row) {
				r.N, r.Correct, r.Distinct, r.Prompts = n, rng.IntN(n+1), n, []int{0, n, 100, 1e6}[rng.IntN(4)]
				if r.Seed, r.Batch = uint64(rng.IntN(3)), 1+rng.IntN(2); rng.IntN(4) == 0 {
					r.Schema, r.Prompts, r.Distinct = 1, 0, 1+rng.IntN(n)
				}
			})
			if rng.IntN(5) == 0 {
				r = refused(r)
			}
			rows = append(rows, r)
		}
		check("rows at random", rows)
	}
}
