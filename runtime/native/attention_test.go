package native

import (
	"slices"
	"testing"

	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/graph/tensor"
)

// TestAttentionIsFound: products of weights and values take the place of all that makes the weights, unless something else reads
// that, or it is made of something else.
func TestAttentionIsFound(t *testing.T) {
	A, B := graph.Sym("a"), graph.Sym("b")
	x := func(b *graph.Builder) *graph.Node { return b.Input("x", tensor.Float32, A, B, graph.N(4)) }
	swapped := func(b *graph.Builder) *graph.Node { return b.Transpose(x(b), 0, 2, 1) }
	mask := func(b *graph.Builder) *graph.Node { return b.Greater(b.Input("m", tensor.Float32, B, B), b.Float(0)) }
	hide := func(b *graph.Builder, logits *graph.Node) *graph.Node { return b.Where(mask(b), logits, b.Float(-1e9)) }
	for name, tc := range map[string]struct {
		want  bool
		build func(b *graph.Builder) (y *graph.Node, others []*graph.Node)
	}{
		"attention": {true, func(b *graph.Builder) (*graph.Node, []*graph.Node) {
			return b.MatMul(b.Softmax(hide(b, b.MatMul(x(b), swapped(b))), -1), x(b)), nil
		}},
		"with a bias": {true, func(b *graph.Builder) (*graph.Node, []*graph.Node) {
			logits := b.Add(b.MatMul(x(b), swapped(b)), b.Input("bias", tensor.Float32, A, graph.N(1), B))
			return b.MatMul(b.Softmax(hide(b, logits), -1), x(b)), nil
		}},
		"weights are wanted, too": {false, func(b *graph.Builder) (*graph.Node, []*graph.Node) {
			w := b.Softmax(hide(b, b.MatMul(x(b), swapped(b))), -1)
			return b.MatMul(w, x(b)), []*graph.Node{w}
		}},
		"logits are wanted, too": {false, func(b *graph.Builder) (*graph.Node, []*graph.Node) {
			l := b.MatMul(x(b), swapped(b))
			return b.MatMul(b.Softmax(hide(b, l), -1), x(b)), []*graph.Node{b.Neg(l)}
		}},
		"nothing is hidden": {false, func(b *graph.Builder) (*graph.Node, []*graph.Node) {
			return b.MatMul(b.Softmax(b.MatMul(x(b), swapped(b)), -1), x(b)), nil
		}},
		"a bias for each query": {false, func(b *graph.Builder) (*graph.Node, []*graph.Node) {
			logits := b.Add(b.MatMul(x(b), swapped(b)), b.Input("bias", tensor.Float32, B, graph.N(1)))
			return b.MatMul(b.Softmax(hide(b, logits), -1), x(b)), nil
		}},
		"logits are scaled": {false, func(b *graph.Builder) (*graph.Node, []*graph.Node) {
			return b.MatMul(b.Softmax(hide(b, b.Mul(b.MatMul(x(b), swapped(b)), b.Float(2))), -1), x(b)), nil
		}},
		"weights of the other axis": {false, func(b *graph.Builder) (*graph.Node, []*graph.Node) {
			return b.MatMul(b.Softmax(hide(b, b.MatMul(x(b), swapped(b))), 1), x(b)), nil
		}},
		"known keys": {false, func(b *graph.Builder) (*graph.Node, []*graph.Node) {
			keys := b.Const(tensor.New(tensor.Float32, 4, 4))
			y := b.Slice(x(b), 1, graph.N(0), graph.N(4))
			seen := b.Greater(b.Slice(y, 0, graph.N(0), graph.N(1)), b.Float(0))
			return b.MatMul(b.Softmax(b.Where(seen, b.MatMul(y, b.Transpose(keys, 1, 0)), b.Float(-1e9)), -1), keys), nil
		}},
	} {
		p := compiled(t, nil, 0, func(b *graph.Builder) []*graph.Node {
			y, others := tc.build(b)
			return append([]*graph.Node{y}, others...)
		})
		if got := !slices.Contains(steps(p), "Softmax"); got != tc.want {
			t.Errorf("%s: taken for attention: %v", name, got)
		}
	}
}

func TestLastTrueAndHide(t *testing.T) {
	for n := range 40 {
		for at := -1; at < n; at++ {
			mask, row := make([]bool, n), make([]float32, n)
			for i := range mask[:at+1] {
				mask[i] = i == at || i%3 > 0
			}
			if got := lastTrue(mask); got != at {
				t.Fatalf("%v: the last true is %d, want %d", mask, got, at)
			}
			hide(row, mask, 7)
			for i, v := range row {
				if (v == 7) == mask[i] {
					t.Fatalf("%v: number %d is %v", mask, i, v)
				}
			}
		}
	}
}
