package eval

import (
	"context"
	"fmt"
	goruntime "runtime"
	"slices"
	"time"
)

// warmupTokens is how many tokens a batch that warms up makes: each one more costs what a measured one does, and finds warm
// what the first ones used.
const warmupTokens = 16

// generateAll fills in every example's output, and times it. Where there are fewer
// different samples than asked for, some are generated again to fill the last
// batch: times of smaller batches would not compare with other lengths'.
func (s *accuracy) generateAll(ctx context.Context, different []example) (Speed, error) {
	batch, examples := min(s.cfg.Batch, s.cfg.N), slices.Clone(different)
	for i := 0; len(examples)%batch != 0 && len(examples) < s.cfg.N; i++ {
		examples = append(examples, examples[i])
	}
	warm := slices.Clone(examples[:batch])
	for i := range warm {
		warm[i].limit = min(warm[i].limit, warmupTokens)
	}
	for range s.cfg.Warmup {
		if err := s.generate(ctx, warm, new(stopwatch)); err != nil {
			return Speed{}, err
		}
	}
	if s.cfg.Memory != nil {
		goruntime.GC() // what warming up left is not the cell's
		s.cfg.Memory.Reset()
	}
	var clock stopwatch
	for done := 0; done < s.repeats()*len(examples); done += len(examples) {
		if err := s.pass(ctx, examples, batch, done, &clock); err != nil {
			return Speed{}, err
		}
		clock.endRepeat()
	}
	copy(different, examples)
	speed := clock.speed()
	speed.Warmup, speed.TimedBatch = s.cfg.Warmup, batch
	for _, e := range examples {
		speed.SequenceTokens = max(speed.SequenceTokens, len(e.prompt)+len(e.target))
	}
	return speed, speed.endMemory(s.cfg.Memory)
}

// pass generates every example once; done samples were generated before.
func (s *accuracy) pass(
	ctx context.Context, examples []example, batch, done int, clock *stopwatch,
) error {
	for group := range slices.Chunk(examples, batch) {
		watch := clock
		if len(group) < batch {
			watch = new(stopwatch) // a smaller batch is another measurement
		}
		if err := s.generate(ctx, group, watch); err != nil {
			return err
		}
		done += len(group)
		s.progress(done, len(examples))
	}
	return nil
}

// generate runs one batch.
func (s *accuracy) generate(ctx context.Context, group []example, watch *stopwatch) error {
	prompts, limits := make([][]int64, len(group)), make([]int, len(group))
	for i, e := range group {
		prompts[i], limits[i] = e.prompt, e.limit
	}
	outputs, err := timeBatch(ctx, s.model, prompts, limits, s.stop, watch)
	for i, output := range outputs {
		group[i].output = output
	}
	return err
}

// timeBatch generates, and checks that the model kept Model's contract.
func timeBatch(
	ctx context.Context, m Model, prompts [][]int64, limits []int, stop int64, watch *stopwatch,
) ([][]int64, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if d, ok := m.(interface {
		Transferred() (toDevice, toHost int64)
	}); ok { // a session on a device of its own memory
		watch.moved = func() int64 {
			toDevice, toHost := d.Transferred()
			return toDevice + toHost
		}
	}
	watch.start()
	outputs, err := m.Generate(ctx, prompts, limits, stop, watch.step)
	elapsed := time.Since(watch.started)
	if err != nil {
		return nil, err
	}
	if len(outputs) != len(prompts) {
		return nil, fmt.Errorf("the model returned %d outputs for %d prompts", len(outputs), len(prompts))
	}
	tokens := 0
	for i, output := range outputs {
		if err := checkOutput(output, limits[i], stop); err != nil {
			return nil, fmt.Errorf("output %d of the model: %w", i, err)
		}
		tokens += len(output)
	}
	return outputs, watch.stop(elapsed, tokens)
}

func checkOutput(output []int64, limit int, stop int64) error {
	at := slices.Index(output, stop)
	switch {
	case len(output) > limit:
		return fmt.Errorf("%d tokens, at most %d were asked for", len(output), limit)
	case at >= 0 && at != len(output)-1:
		return fmt.Errorf("%d tokens follow the stop token", len(output)-1-at)
	case at < 0 && len(output) < limit:
		return fmt.Errorf("it ends after %d of %d tokens without the stop token", len(output), limit)
	}
	return nil
}
