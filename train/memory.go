package train

import (
	"cmp"
	"fmt"

	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/train/runfile"
)

// memoryError means that a run cannot fit into the memory that is free.
type memoryError struct {
	Needed, Free int64  // bytes
	Remedy       string // which setting would do
}

// Error implements error.
func (e *memoryError) Error() string {
	return fmt.Sprintf("the run needs about %s of memory, and %s are free; %s", human.Bytes(e.Needed),
		human.Bytes(e.Free), e.Remedy)
}

// checkMemory refuses a run that takes more than the free bytes of memory, with a
// *memoryError that says which setting would do. 0 means that nobody knows how much is
// free, and refuses nothing.
func checkMemory(c runfile.Config, free int64) error {
	cost, err := EstimateCost(c)
	if err != nil || free == 0 || cost.Memory <= free {
		return err
	}
	return &memoryError{Needed: cost.Memory, Free: free, Remedy: whatFits(c, cost.Memory, free)}
}

// OneLane says for people what fitLanes does.
const OneLane = "memory is short, so its gradients take one lane instead of two (train.lanes is 1): " +
	"slower, and kept when the run is resumed, since its bits depend on it"

// fitLanes returns the configuration of a run that is to begin with one lane where
// train.lanes is left open and the run fits into the free bytes of memory with one only;
// else as it is. The threads must be settled. 0 means that nobody knows how much is free.
func fitLanes(c runfile.Config, free int64) (runfile.Config, error) {
	if free == 0 || c.Train.Lanes != 0 || lanes(c.Train) == 1 {
		return c, nil
	}
	one := c
	one.Train.Lanes = 1
	all, err := EstimateCost(c)
	if err != nil || all.Memory <= free {
		return c, err
	}
	if cost, err := EstimateCost(one); err != nil || cost.Memory > free {
		return c, err
	}
	return one, nil
}

// whatFits says how a run can be changed to take no more than the free memory.
func whatFits(c runfile.Config, needed, free int64) string {
	if n := int64(c.Train.Examples); n > 0 {
		without := c
		without.Train.Examples = 0
		if cost, err := EstimateCost(without); err == nil && cost.Memory < free {
			each := (needed - cost.Memory) / n
			return fmt.Sprintf("train.examples up to %d would do, since each takes %d bytes", (free-cost.Memory)/each,
				each)
		}
	}
	one := c
	one.Train.Lanes = 1
	if cost, err := EstimateCost(one); err == nil && cost.Memory <= free {
		return fmt.Sprintf("%s would do with train.lanes=1", human.Bytes(cost.Memory))
	}
	for n := cmp.Or(c.Train.MicroTokens, 1<<20) / 2; n >= 32; n /= 2 {
		c.Train.MicroTokens = n
		if cost, err := EstimateCost(c); err == nil && cost.Memory <= free {
			return fmt.Sprintf("%s would do with train.micro_tokens=%d", human.Bytes(cost.Memory), n)
		}
	}
	return "no train.micro_tokens makes it fit: choose a smaller model, shorter lengths or a smaller train.batch"
}
