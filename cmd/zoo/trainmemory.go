package main

import (
	"cmp"
	"fmt"

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
	free := thisMachine().MemoryFree
	if free == 0 || cost.Memory <= free {
		return nil
	}
	refused := fmt.Sprintf("the run needs about %s of memory, and %s are free", bytesText(cost.Memory), bytesText(free))
	for n := cmp.Or(cfg.Train.MicroTokens, 1<<20) / 2; n >= 32; n /= 2 {
		cfg.Train.MicroTokens = n
		if c, err := train.EstimateCost(cfg); err == nil && c.Memory <= free {
			return fmt.Errorf("%s; %s would do with --set train.micro_tokens=%d", refused, bytesText(c.Memory), n)
		}
	}
	return fmt.Errorf("%s; no train.micro_tokens makes it fit: choose a smaller model or shorter lengths", refused)
}
