package onnxpb

import (
	"slices"
	"strings"
	"testing"
)

// TestValueOf: lengths below 0 are none, axes without a name are "?", and what is no tensor has no type.
func TestValueOf(t *testing.T) {
	v := NewValueInfo("x", 1, "2", "some", "0", "7")
	v.Type.TensorType.Shape.Dim[3] = &Dimension{DimValue: new(int64(-7))}
	got := ValueOf(v)
	if got.Name != "x" || got.Type != 1 || !got.Shaped || !slices.Equal(got.Dims, []int64{2, -1, 0, -1}) ||
		!slices.Equal(got.Axes, []string{"", "some", "", ""}) || !slices.Equal(got.Shape(), []string{"2", "some", "0", "?"}) {
		t.Errorf("got %+v", got)
	}
	if got := ValueOf(&ValueInfoProto{Name: "v"}); got.Shaped || got.Type != 0 || len(got.Dims) > 0 {
		t.Errorf("no tensor: %+v", got)
	}
}

// TestInputs: an input that has a value in the file is not fed.
func TestInputs(t *testing.T) {
	g := &GraphProto{Input: []*ValueInfoProto{{Name: "x"}, {Name: "w"}}, Output: []*ValueInfoProto{{Name: "y"}},
		Initializer: []*TensorProto{{Name: "x"}, {Name: "c"}}}
	if in, out := Inputs(g), Outputs(g); len(in) != 1 || in[0].Name != "w" || len(out) != 1 || out[0].Name != "y" {
		t.Errorf("inputs %v, outputs %v", in, out)
	}
}

func TestQuote(t *testing.T) {
	for _, tc := range []struct{ name, want string }{{"a\n", `"a\n"`}, {strings.Repeat("x", 100), `"` + strings.Repeat("x", 100) + `"`},
		{strings.Repeat("x", 101), `"` + strings.Repeat("x", 100) + `…"`}} {
		if got := Quote(tc.name); got != tc.want {
			t.Errorf("quoted: %s, want %s", got, tc.want)
		}
	}
}
