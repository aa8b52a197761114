package graph

import (
	"fmt"
	"math"

	"github.com/nopezoo/zoo/graph/tensor"
)

// MatrixFLOPs returns the floating-point operations of the graph's matrix
// products (two per multiply-add) for given lengths of the named axes. They are
// what the model demands, not how the graph happens to say it: a product with a
// constant that only moves and negates features, such as the quarter turn of RoPE
// in plain operators, is none. Elementwise work is left out, as usual.
func (g *Graph) MatrixFLOPs(lengths map[string]int) (float64, error) {
	sum := 0.0
	for _, n := range g.Nodes {
		count := table[n.Op].multiplyAdds
		if count == nil {
			continue
		}
		c, err := count(n).Eval(lengths)
		if err != nil {
			return 0, fmt.Errorf("graph: %s: %w", n.Name, err)
		}
		sum += 2 * float64(c)
	}
	return sum, nil
}

func matMulMultiplyAdds(n *Node) Dim {
	if rearranges(n.Inputs[0]) || rearranges(n.Inputs[1]) {
		return N(0)
	}
	return product(n.Shape).Mul(n.Inputs[0].Dim(-1))
}

// rearranges reports whether a node is a constant matrix, or one turned over, with
// at most one entry in each row and each column that is not 0, and that one 1 or −1.
func rearranges(n *Node) bool {
	for n.Op == "Transpose" {
		n = n.Inputs[0]
	}
	if n.Op != OpConstant || n.DType != tensor.Float32 || len(n.Value.Shape()) != 2 {
		return false
	}
	columns := n.Value.Shape()[1]
	inRow, inColumn := map[int]bool{}, map[int]bool{}
	for i, v := range tensor.Data[float32](n.Value) {
		row, column := i/columns, i%columns
		if v == 0 {
			continue
		}
		if math.Abs(float64(v)) != 1 || inRow[row] || inColumn[column] {
			return false
		}
		inRow[row], inColumn[column] = true, true
	}
	return true
}
