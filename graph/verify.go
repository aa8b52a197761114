package graph

import (
	"fmt"
	"slices"
)

// verify runs every shape rule over the finished graph again and checks that
// each node comes after its inputs. An error is a bug in this package or in a
// pass, not in the user's model.
func (g *Graph) verify() error {
	done := map[*Node]bool{}
	for _, n := range g.Nodes {
		for _, in := range n.Inputs {
			if !done[in] {
				return fmt.Errorf("graph: %s comes before its input %s", n.Name, in.Name)
			}
		}
		done[n] = true
		if n.leaf() {
			continue
		}
		again := &Node{Op: n.Op, Inputs: n.Inputs, Attrs: n.Attrs}
		if err := infer(again); err != nil {
			return fmt.Errorf("graph: %s: %w", n.Name, err)
		}
		if again.DType != n.DType || !slices.Equal(again.Shape, n.Shape) {
			return fmt.Errorf("graph: %s is recorded as %s but the rule says %s", n.Name, n.Type(), again.Type())
		}
	}
	for _, o := range g.Outputs {
		if !done[o.Node] {
			return fmt.Errorf("graph: output %s is not among the nodes", o.Name)
		}
	}
	return nil
}
