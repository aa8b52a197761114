package graph_test

import (
	"testing"

	"github.com/nopezoo/zoo/graph"
)

func TestDimCanonical(t *testing.T) {
	b, s, p := graph.Sym("batch"), graph.Sym("seq"), graph.Sym("past")
	for _, tc := range []struct {
		got  graph.Dim
		want string
	}{
		{graph.N(0), "0"},
		{graph.N(-3), "-3"},
		{p.Add(s), "past+seq"},
		{s.Add(p), "past+seq"},
		{s.Mul(b), "batch*seq"},
		{s.Add(s), "2*seq"},
		{s.Sub(s), "0"},
		{p.Add(s).Sub(p), "seq"},
		{p.Add(s).Mul(b), "batch*past+batch*seq"},
		{s.Add(graph.N(1)), "seq+1"},
		{graph.N(2).Mul(s).Add(graph.N(-1)), "2*seq+-1"},
		{s.Mul(s), "seq*seq"},
	} {
		if tc.got.String() != tc.want {
			t.Errorf("got %s, want %s", tc.got, tc.want)
		}
		back, err := graph.ParseDim(tc.want)
		if err != nil || back != tc.got {
			t.Errorf("ParseDim(%s) = %v, %v", tc.want, back, err)
		}
	}
}

func TestDimDiv(t *testing.T) {
	b, s, p := graph.Sym("batch"), graph.Sym("seq"), graph.Sym("past")
	total := p.Add(s)
	for _, tc := range []struct {
		num, den graph.Dim
		want     string
	}{
		{b.Mul(s).Mul(graph.N(256)), graph.N(64), "4*batch*seq"},
		{b.Mul(s), b, "seq"},
		{b.Mul(total), b, "past+seq"},
		{total, total, "1"},
		{total, s, ""},
		{graph.N(7), graph.N(2), ""},
		{graph.N(0), s, "0"},
		{s, graph.N(0), ""},
		{graph.N(0), graph.N(0), ""},
	} {
		q, ok := tc.num.Div(tc.den)
		if ok != (tc.want != "") || ok && q.String() != tc.want {
			t.Errorf("%s / %s = %s, %v; want %q", tc.num, tc.den, q, ok, tc.want)
		}
	}
}

func TestDimEval(t *testing.T) {
	d := graph.Sym("past").Add(graph.Sym("seq")).Mul(graph.N(3))
	if n, err := d.Eval(map[string]int{"past": 4, "seq": 2}); err != nil || n != 18 {
		t.Errorf("got %d, %v; want 18", n, err)
	}
	if n, err := d.Eval(map[string]int{"past": 4}); err == nil || n != 0 {
		t.Errorf("got %d, %v for a name without a value", n, err)
	}
}

func TestAxisNames(t *testing.T) {
	for _, s := range []string{"a", "z", "A", "Z", "_", "a0", "a9", "a.", "_z", "xA"} {
		if d, err := graph.ParseDim(s); err != nil || d != graph.Sym(s) {
			t.Errorf("ParseDim(%q) = %v, %v", s, d, err)
		}
	}
}

// TestParseDimSpaces: other exporters put spaces between a sum's parts.
func TestParseDimSpaces(t *testing.T) {
	if d, err := graph.ParseDim("past_length + 2 * length"); err != nil || d.String() != "2*length+past_length" {
		t.Errorf("%v, %v", d, err)
	}
}

func TestParseDimErrors(t *testing.T) {
	for _, s := range []string{"", "a b", "2x", "a+", "*", "a**b", "é", "`", "{", "@", "[", ".a", "a/", "a:"} {
		if d, err := graph.ParseDim(s); err == nil {
			t.Errorf("ParseDim(%q) = %v, want an error", s, d)
		}
	}
}
