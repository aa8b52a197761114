package main

import (
	"cmp"
	"fmt"

	"github.com/nopezoo/zoo/machine"
	"github.com/nopezoo/zoo/train"
)

// checkMemory predicts a run's peak and refuses one that cannot fit, with the
// setting that would.
func (a *app) checkMemory(p planned) error {
	cfg, err := p.cfg.Resolve()
	if err != nil {
		return err
	}
	cost, err := train.EstimateCost(cfg)
	if err != nil {
		return err
	}
	a.note("%s: %d parameters, at most about %s of memory", p.dir, cost.Parameters, bytesText(cost.Memory))
	return checkFree(cfg, cost)
}

// checkFree refuses a run that cannot fit into the free memory, where that is known.
func checkFree(cfg train.Config, cost train.Cost) error {
	free := machine.This().MemoryFree
	if free == 0 || cost.Memory <= free {
		return nil
	}
	return fmt.Errorf("the run needs about %s of memory, and %s are free; %s", bytesText(cost.Memory), bytesText(free), whatFits(cfg, cost, free))
}

// whatFits says how a run can be changed to take no more than the free memory.
func whatFits(cfg train.Config, cost train.Cost, free int64) string {
	if n := int64(cfg.Train.Examples); n > 0 {
		without := cfg
		without.Train.Examples = 0
		if c, err := train.EstimateCost(without); err == nil && c.Memory < free {
			each := (cost.Memory - c.Memory) / n
			return fmt.Sprintf("train.examples up to %d would do, since each takes %d bytes", (free-c.Memory)/each, each)
		}
	}
	for n := cmp.Or(cfg.Train.MicroTokens, 1<<20) / 2; n >= 32; n /= 2 {
		cfg.Train.MicroTokens = n
		if c, err := train.EstimateCost(cfg); err == nil && c.Memory <= free {
			return fmt.Sprintf("%s would do with --set train.micro_tokens=%d", bytesText(c.Memory), n)
		}
	}
	return "no train.micro_tokens makes it fit: choose a smaller model, shorter lengths or a smaller train.batch"
}
