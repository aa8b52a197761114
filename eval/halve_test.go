package eval_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/eval"
)

// Where no answer of the first half is right, the row is the one that half as many samples give; else it is that of all.
func TestHalve(t *testing.T) {
	measured := func(answer func([]int64) []int64, n int, halve bool) (eval.Row, []int) {
		t.Helper()
		cfg := config(t, 5)
		cfg.Untimed, cfg.N, cfg.Halve = true, n, halve
		var done []int
		cfg.OnBatch = func(d, total int) {
			if total != 2*n || len(done) > 0 && d < done[len(done)-1] {
				t.Errorf("%d of %d done after %v", d, total, done)
			}
			done = append(done, d)
		}
		rows, err := sweep(t.Context(), &honest{answer: answer}, copyCard(t), cfg)
		if err != nil {
			t.Fatal(err)
		}
		return rows[0], done
	}
	wrong := func(gold []int64) []int64 { gold[2] = colon; return perfect(gold) }
	once := func(gold []int64) []int64 { // one of the first ten
		if gold[0]%10 != 0 {
			gold[2] = colon
		}
		return perfect(gold)
	}
	for _, tc := range []struct {
		name   string
		answer func([]int64) []int64
		want   int
	}{{"none is right", wrong, 10}, {"some are", once, 20}, {"all are", perfect, 20}} {
		got, done := measured(tc.answer, 20, true)
		want, _ := measured(tc.answer, tc.want, false)
		if tc.want == 20 && want.Correct == 0 {
			t.Fatalf("%s: none is", tc.name)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: the row of %d samples (-want +got):\n%s", tc.name, tc.want, diff)
		}
		if got.Asked != tc.want || done[len(done)-1] != 40 {
			t.Errorf("%s: %d samples were asked for, progress %v", tc.name, got.Asked, done)
		}
	}
	if one, _ := measured(wrong, 1, true); one.N != 1 {
		t.Errorf("of one sample %d are measured", one.N)
	}
}
