package graph

import (
	"fmt"

	"github.com/nopezoo/zoo/graph/tensor"
)

// PeakBytes returns how many bytes of computed values are alive at once, at
// most, for given lengths of the named axes: when the nodes run in their order,
// each value lives from its node to the last one that reads it, and a reshaped
// value is the same memory. What an operator holds only while it runs, such as
// attention weights, is counted; inputs, parameters, constants and outputs are not.
// Engines that compute in place need less, and those that round allocations up
// need more.
func (g *Graph) PeakBytes(lengths map[string]int) (float64, error) {
	home, last := g.lifetimes()
	outputs := map[*Node]bool{}
	for _, o := range g.Outputs {
		outputs[home[o.Node]] = true
	}
	live, most := 0.0, 0.0
	sizes := map[*Node]float64{}
	for i, n := range g.Nodes {
		size, inside, err := n.bytes(lengths)
		if err != nil {
			return 0, fmt.Errorf("graph: %s: %w", n.Name, err)
		}
		if h := home[n]; h == n && !n.leaf() && !outputs[n] {
			sizes[n] = size
			live += size
		}
		most = max(most, live+inside)
		seen := map[*Node]bool{}
		for _, x := range append([]*Node{n}, n.Inputs...) {
			if h := home[x]; last[h] == i && !seen[h] {
				seen[h] = true
				live -= sizes[h]
			}
		}
	}
	return most, nil
}

// lifetimes returns the node whose memory each node's value lies in, and where
// that is read last.
func (g *Graph) lifetimes() (home map[*Node]*Node, last map[*Node]int) {
	home, last = map[*Node]*Node{}, map[*Node]int{}
	for i, n := range g.Nodes {
		home[n] = n
		if SharesInput(n.Op) {
			home[n] = home[n.Inputs[0]]
		}
		last[home[n]] = i
		for _, x := range n.Inputs {
			last[home[x]] = i
		}
	}
	return home, last
}

// bytes returns the size of the node's value, and of what it needs while it runs.
func (n *Node) bytes(lengths map[string]int) (value, inside float64, err error) {
	count, err := product(n.Shape).Eval(lengths)
	if err != nil {
		return 0, 0, err
	}
	value = float64(n.DType.Bytes(count))
	scratch := table[n.Op].scratch
	if scratch == nil {
		return value, 0, nil
	}
	count, err = scratch(n).Eval(lengths)
	return value, float64(tensor.Float32.Bytes(count)), err
}
