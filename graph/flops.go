package graph

import "fmt"

// MatrixFLOPs returns the floating-point operations of the graph's matrix
// products (two per multiply-add) for given lengths of the named axes.
// Elementwise work is left out, as usual.
func (g *Graph) MatrixFLOPs(lengths map[string]int) (float64, error) {
	sum := 0.0
	for _, n := range g.Nodes {
		var count Dim
		switch n.Op {
		case "MatMul":
			count = Product(n.Shape).Mul(n.Inputs[0].Dim(-1))
		case "Gemm":
			_, inner := n.gemmDims(0, "transA")
			count = Product(n.Shape).Mul(inner)
		case "Attention": // q kᵀ and weights · v
			q, k, v := n.Inputs[0], n.Inputs[1], n.Inputs[2]
			rows := Product(q.Shape[:3]).Mul(k.Dim(2))
			count = rows.Mul(q.Dim(3)).Add(rows.Mul(v.Dim(3)))
		default:
			continue
		}
		c, err := count.Eval(lengths)
		if err != nil {
			return 0, fmt.Errorf("graph: %s: %w", n.Name, err)
		}
		sum += 2 * float64(c)
	}
	return sum, nil
}
