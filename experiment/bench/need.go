package bench

import (
	"fmt"
	"sort"

	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/runtime/engine"
)

// need is how many bytes of memory a cell of some length and batch takes.
type need func(length, batch int) (int64, error)

// free returns the bytes of memory that the cells of a group may take; 0 for unknown, as on a device, or for
// a file without counts.
func (p *Plan) free(g *group) int64 {
	if g.load.graph == nil || engine.OnDevice(g.runtime.Provider) {
		return 0
	}
	return p.machine.MemoryFree
}

// checkFits refuses a length that would not fit into the free memory, 0 for unknown,
// and says which would. about is "about", or "more than" where the need is a lower bound.
func (n need) checkFits(length, batch int, free int64, about string) error {
	if free == 0 {
		return nil
	}
	bytes, err := n(length, batch)
	if err != nil || bytes <= free {
		return err
	}
	remedy := "not even a length of 1 fits"
	if most := largest(length, free, func(x int) (int64, error) { return n(x, batch) }); most > 0 {
		remedy = fmt.Sprintf("the largest length that fits is %d", most)
	}
	if most := largest(batch, free, func(x int) (int64, error) { return n(length, x) }); most > 0 {
		remedy += fmt.Sprintf("; at length %d the largest batch is %d", length, most)
	}
	return fmt.Errorf("length %d at batch %d needs %s %s of memory, and %s are free; %s", length, batch, about,
		human.Bytes(bytes), human.Bytes(free), remedy)
}

// largest returns the largest number up to most whose bytes are free, 0 for none.
func largest(most int, free int64, bytes func(int) (int64, error)) int {
	return sort.Search(most, func(i int) bool {
		b, err := bytes(i + 1)
		return err != nil || b > free
	})
}
