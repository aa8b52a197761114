package foreign

import (
	"fmt"
	"slices"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/internal/onnxpb"
)

// limit sets how many positions the model takes: those that it declares, or beyond these all that its encoding has. Where
// a table of positions ends there are no more, which is an error of beyond.
func (d *Model) limit(g *onnxpb.GraphProto, beyond bool) error {
	c, declared := &d.Card, 0
	if p := c.Pretrained; p != nil && c.Trained.Max == 0 && !p.Beyond {
		declared = p.DeclaredLength
	}
	switch {
	case c.MaxLength > 0 && beyond:
		return fmt.Errorf("beyond: the encoding %s ends at %d positions; leave beyond out", c.Encoding, c.MaxLength)
	case c.MaxLength == 0 && !beyond:
		c.MaxLength = declared
	case c.Profile == card.Foreign && beyond && declared > 0:
		if name, shape := positionTable(g); name != "" {
			return fmt.Errorf("beyond: the file's table of positions %q has the shape %v, and the model declares %d positions; leave beyond out, "+
				"or export the weights with zoo, where the encoding is computed", name, shape, declared)
		}
	}
	return nil
}

// fromFirst are operators whose output is positions or lengths where their first input is; fromAny, where one of them is.
var (
	fromFirst = []string{"Cast", "Unsqueeze", "Squeeze", "Reshape", "Expand", "Tile", "Gather", "Slice", "CumSum", "Clip", "Identity", "Transpose",
		"ReduceMax", "Neg"}
	fromAny = []string{"Add", "Sub", "Mul", "Div", "Where", "Concat", "Max", "Min", "Range", "Mod"}
)

// positionTable finds a stored tensor that positions or lengths choose from, and its shape: learned
// positions, sines and cosines, ALiBi's slopes times distances, a causal mask. "" for none.
func positionTable(g *onnxpb.GraphProto) (name string, shape []int64) {
	type tensor struct {
		name string
		dims []int64
	}
	stored := map[string]tensor{}
	for _, t := range g.Initializer {
		stored[t.Name] = tensor{t.Name, t.Dims}
	}
	counted := map[string]bool{card.PositionIDs.Name: true, card.AttentionMask.Name: true} // positions and lengths
	is := func(value string) bool { return counted[value] }
	for _, n := range g.Node { // each after those that it reads from
		first := len(n.Input) > 0 && is(n.Input[0])
		var table tensor
		if len(n.Input) > 0 {
			table = stored[n.Input[0]]
		}
		switch {
		case n.OpType == "Constant":
			for _, a := range n.Attribute {
				for _, output := range n.Output {
					if a.Name == "value" && a.T != nil {
						stored[output] = tensor{output, a.T.Dims}
					}
				}
			}
		case slices.Contains([]string{"Tile", "Expand", "Identity"}, n.OpType) && table.dims != nil:
			for _, output := range n.Output {
				stored[output] = table // as often as there are rows
			}
		case slices.Contains([]string{"Gather", "GatherElements", "Slice"}, n.OpType) && len(table.dims) > 1 && slices.ContainsFunc(n.Input[1:], is):
			return table.name, table.dims
		case n.Domain == attentionDomain && (n.OpType == "RotaryEmbedding" || n.OpType == attentionType):
			for _, input := range n.Input { // cosines and sines are its only stored inputs with two axes
				if angles := stored[input]; len(angles.dims) == 2 {
					return angles.name, angles.dims
				}
			}
		case n.OpType == "Shape", slices.Contains(fromFirst, n.OpType) && first, slices.Contains(fromAny, n.OpType) && slices.ContainsFunc(n.Input, is):
			for _, output := range n.Output {
				counted[output] = true
			}
		}
	}
	return "", nil
}
