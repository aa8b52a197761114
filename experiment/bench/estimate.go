package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/internal/lists"
)

// RestsOn names, for people, the measurements that Plan.Estimate scales.
const RestsOn = "from a probe of each session, which reads at most 2048 tokens and generates 4, " +
	"scaled by the work counted at every length; answers that end early take less, " +
	"and so do right ones where nothing is timed"

// Estimate returns about how many seconds the cells take that have no row in a file, "" for none, from running each
// session for a moment, and gives each cell its Seconds. It keeps nothing: the file is neither changed nor locked.
func (p *Plan) Estimate(ctx context.Context, path string) (seconds float64, err error) {
	if _, err := p.resumeFrom(path); err != nil {
		return 0, err
	}
	if err := p.ready(ctx); err != nil {
		return 0, err
	}
	for _, g := range p.groups {
		if !g.toRun() {
			continue
		}
		pace, err := g.probe(ctx)
		if err != nil {
			return 0, err
		}
		for _, c := range g.cells {
			if !c.toRun() {
				continue
			}
			s, err := c.measurement.seconds(c, &pace)
			if err != nil {
				return 0, err
			}
			c.Seconds = &s
			seconds += s
		}
	}
	return seconds, nil
}

// pace is how fast a session is: it reads flops in readSeconds, and a step after
// so many tokens takes base + each·tokens, in seconds.
type pace struct {
	batch       int
	load        *workload
	flops       float64
	readSeconds float64
	base, each  float64
}

// The contexts of a probe, and the tokens generated after each. Long contexts
// are less efficient than their work tells, so that speed is probed with more.
const (
	probeShort, probeLong = 32, 256
	probeMost             = 2048 // over all rows
	probeNew              = 4
)

// probe runs a group's session for a moment.
func (g *group) probe(ctx context.Context) (pace, error) {
	if g.loadErr != nil {
		return pace{}, fmt.Errorf("%s: %w", g.model.From, g.loadErr)
	}
	session, err := g.open()
	if err != nil {
		return pace{}, err
	}
	defer session.Close()
	first := g.cells[0]
	out := pace{batch: first.measurement.batch(g.batch), load: &g.load}
	short, long := probeShort, max(2*probeShort, min(probeLong, probeMost/g.batch))
	if g.ofSpeed() {
		long = max(long, min(first.Length, probeMost/g.batch))
	}
	if m := g.card.MaxLength; m > 0 {
		long = max(min(long, m-probeNew), 2)
		short = min(short, long/2)
	}
	_, early, err := out.time(ctx, eval.Of(session), short)
	if err != nil {
		return out, err
	}
	read, late, err := out.time(ctx, eval.Of(session), long)
	if err != nil {
		return out, err
	}
	work, err := g.load.work(out.batch, long, probeNew)
	out.flops, out.readSeconds = work.PrefillFLOPs, read
	out.each = max(late-early, 0) / float64(long-short)
	out.base = max(late-out.each*float64(long), 0)
	return out, err
}

// time returns the seconds of reading so many tokens, and of one more.
func (p *pace) time(ctx context.Context, m eval.Model, length int) (read, step float64, err error) {
	rng := rand.New(rand.NewPCG(1, uint64(length)))
	prompts := lists.Make(p.batch, func(int) []int64 {
		return lists.Make(length, func(int) int64 { return rng.Int64N(int64(p.load.vocab)) })
	})
	limits := slices.Repeat([]int{probeNew + 1}, p.batch)
	for i := range 3 { // the first warms up, and the better of the others counts
		var times []time.Time
		start := time.Now()
		if _, err := m.Generate(ctx, prompts, limits, eval.NoStop,
			func() { times = append(times, time.Now()) }); err != nil {
			return 0, 0, err
		}
		r, s := times[0].Sub(start).Seconds(), times[len(times)-1].Sub(times[0]).Seconds()/probeNew
		if i < 2 || r < read {
			read = r
		}
		if i < 2 || s < step {
			step = s
		}
	}
	return read, step, nil
}

// reading returns the seconds of reading so many tokens.
func (p *pace) reading(length int) (float64, error) {
	work, err := p.load.work(p.batch, length, 2)
	return p.readSeconds * work.PrefillFLOPs / max(p.flops, 1), err
}

// step returns the seconds of a step after so many tokens.
func (p *pace) step(tokens int) float64 { return p.base + p.each*float64(tokens) }
