package zoo

import (
	"strings"
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/export/foreign"
	"github.com/nopezoo/zoo/export/safety"
)

// As changes what files hold, and says so where a model comes from; names stay.
func TestAs(t *testing.T) {
	was := inMemory(copying(t, "rope"))
	m, err := was.As("int8")
	if err != nil || m.Label != was.Label || m.From != "a test, in int8" {
		t.Fatalf("label %q, from %q, %v", m.Label, m.From, err)
	}
	file, _, err := m.ONNX(card.Portable)
	if err != nil {
		t.Fatal(err)
	}
	checked, err := safety.Check(file, safety.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if d, err := foreign.Describe(checked, nil, false); err != nil || d.Card.DType != card.Int8Block {
		t.Errorf("the file's card says %q, %v", d.Card.DType, err)
	}
	same, err := was.As(card.Float32)
	if err != nil || same.From != "a test" {
		t.Errorf("float32 is from %q, %v", same.From, err)
	}
	for _, tc := range []struct {
		m           Model
		dtype, want string
	}{
		{was, "int5", "is no precision of files"},
		{Model{File: "a.onnx"}, "int4", "a.onnx is an ONNX file, which is not changed any more"},
	} {
		if _, err := tc.m.As(tc.dtype); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", tc.dtype, err, tc.want)
		}
	}
	if _, err := (Model{File: "a.onnx"}).As(card.Float32); err != nil {
		t.Error(err)
	}
}
