package main

import (
	"context"
	"fmt"

	"github.com/nopezoo/zoo/cmd/zoo/internal/terminal"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/human"
)

// followLearning shows the progress of learning subwords, in any verb, and ends it with ctx.
func (a *app) followLearning(ctx context.Context) {
	var meter *terminal.Meter
	learning := ""
	task.FollowLearning(ctx, func(what string, done, total int) {
		if learning != what {
			learning, meter = what, a.Meter("learning subwords", int64(done), int64(total))
		}
		meter.Update(int64(done), func() string {
			return fmt.Sprintf("%s of %s %s", human.Count(float64(done)), human.Count(float64(total)), what)
		})
		if done >= total-1 {
			meter.Close()
			learning = ""
		}
	}, a.warn)
}
