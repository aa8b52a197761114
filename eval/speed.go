package eval

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	goruntime "runtime"
	"slices"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/lists"
)

// SpeedConfig says how speed is measured without a task, on a batch of sequences of arbitrary tokens, which do not depend on
// the model: reading them, and generating NewTokens after them, with nothing that ends a sequence early. Batch, Chunk, NewTokens
// and Vocab must be set; Environment as far as it is known.
type SpeedConfig struct {
	Batch     int // sequences
	NewTokens int // of each sequence, after the length; 2 or more
	Chunk     int // tokens of each sequence that the model reads in one run; it is told elsewhere
	Vocab     int // token ids run from 0 to Vocab−1
	Warmup    int // untimed passes
	Repeat    int // timed passes; 0 is one

	Environment Environment
	Memory      MemoryMeter // nil leaves peak memory out
	Cost        Cost        // what a length costs by count, and MemoryEstimate; measuring fills in the rest
	Peaks       Peaks       // what the machine can do; zeros where unknown

	// OnPass, when not nil, is told of passes done, those that warm up included.
	OnPass func(done, total int)
}

// Peaks are the measured limits of a machine.
type Peaks struct {
	FLOPS     float64 // floating-point operations per second of a large matrix product
	Bandwidth float64 // bytes per second to and from main memory
}

// Least returns the least seconds that the peaks allow for flops and bytes of work:
// the slower of computing and moving sets the time (Williams, Waterman and Patterson
// 2009). It is 0 where a peak is unknown.
func (p Peaks) Least(flops, bytes float64) float64 {
	if p.FLOPS <= 0 || p.Bandwidth <= 0 {
		return 0
	}
	return max(flops/p.FLOPS, bytes/p.Bandwidth)
}

// roofline returns the fraction that flops and bytes of work in some seconds reach of
// what the peaks allow (see Least). It is 0 where anything is unknown.
func (p Peaks) roofline(flops, bytes, seconds float64) float64 {
	if seconds <= 0 {
		return 0
	}
	return p.Least(flops, bytes) / seconds
}

func (cfg SpeedConfig) ask(r *Row) {
	r.Warmup, r.Repeats, r.Chunk, r.NewTokens = cfg.Warmup, cfg.Repeat, cfg.Chunk, cfg.NewTokens
}

func (cfg SpeedConfig) row(c card.Card, span task.Span) Row {
	r := describe(c, cfg.Environment)
	r.Measure, r.Length, r.Batch = MeasureSpeed, span.Max, cfg.Batch
	return r
}

func (cfg SpeedConfig) check(span task.Span) error {
	length := span.Max
	var err error
	switch {
	case length < 1 || length > task.MaxLength:
		err = fmt.Errorf("length is %d, expected 1 to %d tokens", length, task.MaxLength)
	case cfg.Chunk < 1:
		err = fmt.Errorf("chunk is %d, expected 1 or more tokens", cfg.Chunk)
	case cfg.Vocab < 1:
		err = fmt.Errorf("the vocabulary has %d ids, expected 1 or more", cfg.Vocab)
	case cfg.Warmup < 0:
		err = fmt.Errorf("warmup is %d, expected 0 or more", cfg.Warmup)
	}
	return cmp.Or(err, checkRange("batch", cfg.Batch, 1, MaxBatch), checkRange("new tokens", cfg.NewTokens, 2, MaxNewTokens),
		checkRange("repeat", cfg.Repeat, 0, MaxRepeats))
}

func (cfg SpeedConfig) label(span task.Span) string {
	return fmt.Sprintf("model %s: speed at length %d", cfg.Environment.Model, span.Max)
}

func (cfg SpeedConfig) measure(ctx context.Context, m Model, c card.Card, span task.Span, r *Row) (err error) {
	length := span.Max
	if need := length + cfg.NewTokens - 1; c.MaxLength > 0 && need > c.MaxLength {
		return fmt.Errorf("%w: %d positions needed, at most %d declared", ErrTooLong, need, c.MaxLength)
	}
	if m == nil {
		return nil
	}
	prompts := cfg.prompts(length)
	limits := slices.Repeat([]int{cfg.NewTokens}, cfg.Batch)
	var clock stopwatch
	repeats := max(cfg.Repeat, 1)
	for i := range cfg.Warmup + repeats {
		watch := &clock
		if i < cfg.Warmup {
			watch = new(stopwatch)
		}
		goruntime.GC() // the last pass's memory is free for this one, as it would be in time
		if i == cfg.Warmup && cfg.Memory != nil {
			cfg.Memory.Reset()
		}
		if _, err := timeBatch(ctx, m, prompts, limits, NoStop, watch); err != nil {
			return err
		}
		watch.endRepeat()
		if cfg.OnPass != nil {
			cfg.OnPass(i+1, cfg.Warmup+repeats)
		}
	}
	r.Speed = clock.speed()
	r.Warmup, r.TimedBatch, r.SequenceTokens = cfg.Warmup, cfg.Batch, length+cfg.NewTokens
	err = r.Speed.endMemory(cfg.Memory)
	r.Cost = cfg.cost(length, r.Speed)
	return err
}

// prompts draws the same tokens for every model of one vocabulary size.
func (cfg SpeedConfig) prompts(length int) [][]int64 {
	rng := rand.New(rand.NewPCG(uint64(length), uint64(cfg.Vocab)))
	return lists.Make(cfg.Batch, func(int) []int64 {
		return lists.Make(length, func(int) int64 { return rng.Int64N(int64(cfg.Vocab)) })
	})
}

// cost relates the times to the work.
func (cfg SpeedConfig) cost(length int, s Speed) Cost {
	c := cfg.Cost
	c.Chunk, c.NewTokens, c.PeakFLOPS, c.PeakBandwidth = cfg.Chunk, cfg.NewTokens, cfg.Peaks.FLOPS, cfg.Peaks.Bandwidth
	c.PrefillRoofline = cfg.Peaks.roofline(c.PrefillFLOPs, c.PrefillBytes, s.PrefillMS/1e3)
	c.DecodeRoofline = cfg.Peaks.roofline(c.DecodeFLOPs, c.DecodeBytes, s.DecodeP50MS/1e3)
	c.PrefillTokensPerSecond, c.PrefillTokensPerSecondSD = rates(s.PrefillMS, s.RepeatPrefillMS, cfg.Batch*length)
	c.DecodeTokensPerSecond, c.DecodeTokensPerSecondSD = rates(s.DecodeP50MS, s.RepeatDecodeMS, cfg.Batch)
	return c
}

// rates turns the median time of so many tokens into tokens per second, 0 for no time,
// with the deviation over repeats.
func rates(median float64, repeats []float64, tokens int) (rate, sd float64) {
	perToken := func(ms float64) float64 {
		if ms <= 0 {
			return 0
		}
		return 1e3 * float64(tokens) / ms
	}
	all := lists.Map(repeats, perToken)
	return perToken(median), deviation(all)
}
