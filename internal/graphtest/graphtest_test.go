package graphtest

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
)

// reluAt builds the sum of relu(w), whose central difference at 0 is not its
// gradient.
func reluAt(b *graph.Builder) (*graph.Node, []*graph.Node) {
	w := b.Param("w", tensor.Float32, 3)
	return b.ReduceSum(b.Relu(w), false), []*graph.Node{w}
}

func TestCheckGrad(t *testing.T) {
	for _, tc := range []struct {
		name, want string
		build      func(b *graph.Builder) (*graph.Node, []*graph.Node)
		params     map[string]*tensor.Tensor
	}{
		{"right", "", reluAt, map[string]*tensor.Tensor{"w": tensor.Of([]float32{1, -2, 3}, 3)}},
		{"wrong at the kink", "gradient of w along a random direction (seed 1)", reluAt,
			map[string]*tensor.Tensor{"w": tensor.New(tensor.Float32, 3)}},
		{"no value", "no parameter", reluAt, nil},
		{"not a number", "gradient of w", func(b *graph.Builder) (*graph.Node, []*graph.Node) {
			w := b.Param("w", tensor.Float32, 1)
			return b.Sqrt(w), []*graph.Node{w}
		}, map[string]*tensor.Tensor{"w": tensor.Of([]float32{-1}, 1)}},
		{"inner target", "no value is given", func(b *graph.Builder) (*graph.Node, []*graph.Node) {
			y := b.Exp(b.Param("w", tensor.Float32, 1))
			return b.ReduceSum(y, false), []*graph.Node{y}
		}, map[string]*tensor.Tensor{"w": tensor.Of([]float32{1}, 1)}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := checkGrad(tc.build, nil, tc.params)
			if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

// recorder stands in for a test that may fail.
type recorder struct {
	testing.TB
	failures []string
}

func (r *recorder) Helper()                   {}
func (r *recorder) Errorf(f string, a ...any) { r.failures = append(r.failures, fmt.Sprintf(f, a...)) }
func (r *recorder) Fatalf(f string, a ...any) { r.Errorf(f, a...) }
func (r *recorder) failed() bool              { return len(r.failures) > 0 }

func TestGolden(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv(update, "1")
	Golden(t, "a", "text\n")
	Golden(t, "sub/b", "")
	t.Setenv(update, "")
	for _, tc := range []struct {
		what  string
		check func(r *recorder)
		fails bool
	}{
		{"equal", func(r *recorder) { Golden(r, "a", "text\n") }, false},
		{"different", func(r *recorder) { Golden(r, "a", "test\n") }, true},
		{"missing", func(r *recorder) { Golden(r, "c", "") }, true},
		{"all used", func(r *recorder) { NoOtherGolden(r, "a", "sub/b") }, false},
		{"one unused", func(r *recorder) { NoOtherGolden(r, "a") }, true},
	} {
		r := &recorder{}
		if tc.check(r); r.failed() != tc.fails {
			t.Errorf("%s: failures %q, want some: %v", tc.what, r.failures, tc.fails)
		}
	}
	t.Setenv(update, "1")
	NoOtherGolden(t, "a")
	if _, err := os.Stat(goldenPath("sub/b")); !os.IsNotExist(err) {
		t.Errorf("the unused file is still there (%v)", err)
	}
}
