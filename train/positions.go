package train

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/lists"
)

// positions draws the position ids of training sequences, where they are not plain.
// A sequence's depend on the seed, the step and its number within the step, as
// its dropout does.
type positions struct {
	kind  string // card.Offset or card.Randomized; "" for plain ones
	below int    // ids are less
	seed  uint64
}

// positionStream sets these draws apart from dropout's.
const positionStream = 0x706f736974696f6e

// draw replaces the ids of a batch of sequences.
func (p positions) draw(b batch, sequences []sequence) error {
	if p.kind == "" {
		return nil
	}
	width := b.Positions.Shape()[1]
	step := key(p.seed).with(positionStream).with(uint64(b.Step))
	for i, q := range sequences {
		n := len(q.ids) - 1
		if n > p.below {
			return fmt.Errorf("train: step %d has a sequence of %d tokens, and train.max_position is %d; "+
				"lower train.lengths or raise it", b.Step+1, n, p.below)
		}
		row := tensor.Data[int64](b.Positions)[i*width:][:width]
		copy(row, p.ids(n, rand.New(rand.NewPCG(p.seed, uint64(step.with(uint64(b.First+i)))))))
		for t := n; t < width; t++ {
			row[t] = row[n-1] // so that padding is at no position beyond, nor before what it follows
		}
	}
	return nil
}

// ids draws the position ids of a sequence of n tokens.
func (p positions) ids(n int, rng *rand.Rand) []int64 {
	if p.kind == card.Offset {
		return offsetIDs(n, p.below, rng)
	}
	return randomizedIDs(n, p.below, rng)
}

// offsetIDs are n consecutive numbers below a limit, each place as likely as the others
// (Huang et al. 2024, arXiv 2410.02140: so all rows of a table of positions are trained).
func offsetIDs(n, below int, rng *rand.Rand) []int64 {
	first := rng.IntN(below - n + 1)
	return lists.Make(n, func(t int) int64 { return int64(first + t) })
}

// randomizedIDs are n different numbers below a limit in ascending order, each choice as
// likely as the others (Ruoss et al. 2023, arXiv 2305.16843, section 3; chosen as Bentley
// & Floyd 1987 do). Ruoss et al. draw them in tests too.
func randomizedIDs(n, below int, rng *rand.Rand) []int64 {
	chosen := make(map[int64]bool, n)
	for top := below - n; top < below; top++ {
		id := int64(rng.IntN(top + 1))
		if chosen[id] {
			id = int64(top)
		}
		chosen[id] = true
	}
	return slices.Sorted(maps.Keys(chosen))
}
