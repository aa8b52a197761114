package runfile

import (
	"cmp"
	"fmt"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph"
	"github.com/nopezoo/zoo/models"
)

// plainPositions is train.positions where nothing is drawn. It is stored as "".
const plainPositions = "plain"

const (
	defaultMaxPosition = 512
	mostMaxPosition    = 1 << 20 // a guard against typing slips
)

// resolvePositions fills in and checks what position ids training draws. The rest of the
// configuration must be resolved.
func (c *Config) resolvePositions() error {
	r := &c.Train
	switch r.Positions {
	case plainPositions: // as it may be said over another layer, whose maximum goes too
		r.Positions, r.MaxPosition = "", 0
		return nil
	case "":
		if r.MaxPosition > 0 {
			return fmt.Errorf("train.max_position %d: has no use with plain positions; leave it out, "+
				"or set train.positions too", r.MaxPosition)
		}
		return nil
	case card.Offset, card.Randomized:
	default:
		return fmt.Errorf("train.positions %q: want %s, %s or %s", r.Positions, plainPositions, card.Offset,
			card.Randomized)
	}
	model, err := models.New(c.Model)
	if err != nil {
		return err
	}
	n := model.MaxLength()
	r.MaxPosition = cmp.Or(r.MaxPosition, min(cmp.Or(n, defaultMaxPosition), defaultMaxPosition))
	if n > 0 && r.MaxPosition > n {
		return fmt.Errorf("train.max_position %d: the encoding %s ends at %d; lower the one or raise the other",
			r.MaxPosition, c.Model.Encoding, n)
	}
	if r.MaxPosition > mostMaxPosition {
		return fmt.Errorf("train.max_position %d: want at most %d", r.MaxPosition, mostMaxPosition)
	}
	return checkReads(model, r.Positions)
}

// checkReads wants a model whose training differs with such positions.
func checkReads(model models.Model, kind string) error {
	mode := models.Mode{Positions: kind}
	if a, err := models.ArchitectureOf(model.Config()); err != nil {
		return err
	} else if a.Unrolled {
		mode.Steps = UnrolledBucket
	}
	name := model.Config().Name()
	b := graph.NewBuilder()
	g, err := b.Build(graph.Output{Name: card.Logits.Name, Node: model.Forward(b, mode).Logits})
	if err != nil {
		return fmt.Errorf("train.positions %s: %s cannot be trained with them: %w", kind, name, err)
	}
	if g.Input(card.PositionIDs.Name) == nil {
		return fmt.Errorf("train.positions %s: would change nothing, since %s does not depend on them; "+
			"set it to %s, or choose another model.encoding", kind, name, plainPositions)
	}
	return nil
}

// UnrolledBucket is the grid of lengths for which unrolled steps are compiled:
// coarse enough for few graphs, fine enough for little padding. Beyond 64 tokens it
// widens with the length: ONNX Runtime takes two seconds to compile 128 steps, and
// four times as long for twice as many.
const UnrolledBucket = 8
