package bench

import (
	"fmt"
	"sort"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/runtime/engine"
)

// need is how many bytes of memory a cell of some length and batch takes.
type need func(length, batch int) (int64, error)

// checkFits refuses a length that would not fit into the free memory, 0 for unknown,
// and says what would. about is what the need is to that of the length: "about", or
// "more than".
func (n need) checkFits(length, batch int, free int64, about string) error {
	bytes, err := n(length, batch)
	if err != nil || free == 0 || bytes <= free {
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

// A sample takes so many bytes, and more for each of its tokens: as text and as ids,
// the answer with its probabilities, and all of it once more while it is scored.
const (
	sampleBytes      = 512
	sampleTokenBytes = 64
)

// checkSamples refuses a length of a task at which a batch, or all samples, would
// not fit into the free memory.
func (p *Plan) checkSamples(g *group, cfg eval.Config, length int) error {
	if p.machine.MemoryFree == 0 || g.load.graph == nil || engine.OnDevice(g.runtime.Provider) { // whose memory is another
		return nil
	}
	sample := func(prompt, target int) int64 { return sampleBytes + sampleTokenBytes*int64(prompt+target) }
	run := func(prompt, target, batch int) (int64, error) {
		bytes, err := g.load.memory(batch, prompt, target)
		logits := int64(4 * g.load.vocab * batch * min(g.load.chunk(batch), prompt+target)) // scoring has all of a run
		return bytes + 2*logits + int64(batch)*sample(prompt, target), err
	}
	prompt, target, at, err := eval.GrowSample(cfg.Task, g.card, length, func(prompt, target int) bool {
		bytes, err := run(prompt, target, 1)
		return err != nil || bytes > p.machine.MemoryFree
	})
	if err != nil {
		return err
	}
	about := "about"
	if at < length {
		about = "more than"
	}
	fits := need(func(length, batch int) (int64, error) {
		length = min(length, at) // longer samples are not made
		for cfg.Task.CheckLength(length) != nil {
			length++
		}
		prompt, target, err := eval.SampleTokens(cfg.Task, g.card, length)
		if err != nil {
			return 0, err
		}
		return run(prompt, target, batch)
	})
	batch := min(cfg.Batch, cfg.N)
	if err := fits.checkFits(length, batch, p.machine.MemoryFree, about); err != nil {
		return fmt.Errorf("task %s: %w", cfg.Task.Name, err)
	}
	one, err := run(prompt, target, batch)
	each := sample(prompt, target)
	if most := int64(batch) + (p.machine.MemoryFree-one)/each; err == nil && int64(cfg.N) > most {
		return fmt.Errorf("task %s: n is %d, and at length %d needs about %s of memory for the samples, "+
			"and %s are free; the largest n that fits is %d",
			cfg.Task.Name, cfg.N, length, human.Bytes(int64(cfg.N)*each), human.Bytes(p.machine.MemoryFree), most)
	}
	return err
}

// count fills in what a length costs, and refuses one that would not fit; memory
// is this machine's main one, so that of an accelerator is not estimated.
func (p *Plan) count(g *group, cfg *eval.SpeedConfig, length int) (err error) {
	if g.load.graph == nil { // of a file that another program wrote
		return nil
	}
	if cfg.Work, err = g.load.work(g.batch, length, cfg.NewTokens); err != nil {
		return err
	}
	if engine.OnDevice(g.runtime.Provider) {
		return nil
	}
	bytes := need(func(length, batch int) (int64, error) { return g.load.memory(batch, length, cfg.NewTokens) })
	if cfg.MemoryEstimate, err = bytes(length, g.batch); err != nil {
		return err
	}
	return bytes.checkFits(length, g.batch, p.machine.MemoryFree, "about")
}
