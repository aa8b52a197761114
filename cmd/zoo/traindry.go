package main

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/zoo/find"
)

// probeTime is about how long a dry run trains to learn how long a step takes.
const probeTime = 2 * time.Second

// trainDry prints what each run would be trained with, and what that would take. A
// run whose memory is not there is an error, as it would be without --dry-run.
func (a *app) trainDry(ctx context.Context, runs []planned) error {
	for i, p := range runs {
		if i > 0 {
			a.print("")
		}
		if err := a.trainPlan(ctx, p); err != nil {
			return fmt.Errorf("%s: %w", p.dir, err)
		}
	}
	return nil
}

func (a *app) trainPlan(ctx context.Context, p planned) error {
	there, err := p.settle()
	if err != nil {
		return err
	}
	state, left := "not begun", p.cfg.Train.Steps
	if there {
		r, err := find.ReadRun(p.dir)
		if err != nil {
			return err
		}
		if state = r.State(); r.Finished() {
			left = 0
		} else {
			left -= r.Step
		}
	}
	cost, err := train.EstimateCost(p.cfg)
	if err != nil {
		return err
	}
	lines := [][]string{{"run", p.dir + ", " + state}}
	for _, s := range configs.Settings() {
		lines = append(lines, []string{s.Key, s.Of(p.cfg)})
	}
	lines = append(lines, []string{"parameters", fmt.Sprint(cost.Parameters)},
		[]string{"memory", "at most about " + bytesText(cost.Memory)})
	if err := a.table(lines); err != nil {
		return err
	}
	if left == 0 {
		return nil
	}
	if err := checkFree(p.cfg, cost); err != nil {
		return err
	}
	step, err := train.StepTime(ctx, p.cfg, train.Options{}, probeTime)
	if err != nil {
		return err
	}
	all := time.Duration(min(float64(step)*float64(left), math.MaxInt64/2))
	without := ""
	if p.cfg.Train.EvalEvery > 0 {
		without = ", and what evaluations take"
	}
	a.print("%-24s  about %s: %d steps of %s%s", "time", duration(all), left, step.Round(100*time.Microsecond), without)
	return nil
}
