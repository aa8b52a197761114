package graph

import "testing"

func TestEvaluator(t *testing.T) {
	names, values := []string{"batch", "past", "seq"}, []int{3, 5, 7}
	byName := map[string]int{"batch": 3, "past": 5, "seq": 7}
	for _, text := range []string{"0", "4", "seq", "past+seq", "2*batch*seq+past+1", "-3*batch*batch+seq"} {
		d, err := ParseDim(text)
		if err != nil {
			t.Fatal(err)
		}
		want, err := d.Eval(byName)
		if err != nil {
			t.Fatal(err)
		}
		length, err := d.Evaluator(names)
		if err != nil {
			t.Fatal(err)
		}
		if got := length(values); got != want {
			t.Errorf("%s is %d, want %d", text, got, want)
		}
		if n := testing.AllocsPerRun(10, func() { length(values) }); n != 0 {
			t.Errorf("%s: %v allocations", text, n)
		}
	}
	if _, err := Sym("kept").Evaluator(names); err == nil || err.Error() != `axis kept: no value for "kept"` {
		t.Errorf("error is %v", err)
	}
}
