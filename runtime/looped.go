package runtime

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/runtime/engine"
)

// A file of the form card.Looped computes whole completions in one call: it chooses greedily, and ends
// rows at the end token. Generate runs it, and yields the steps afterwards.

// looped reports whether the file is of the form card.Looped.
func (s *Session) looped() bool { return s.card.Form == card.Looped }

// checkForm refuses a file that the engine of a provider cannot run.
func checkForm(c card.Card, provider string) error {
	if c.Form == card.Looped && (provider == engine.Go || provider == engine.WebGPU) {
		return fmt.Errorf("provider %s does not run the Loop of a file that gives whole answers; use provider %s, "+
			"ONNX Runtime, or the file that zoo export writes without --generate", provider, engine.CPU)
	}
	return engine.CheckDType(c.DType, provider)
}

// checkLooped refuses what a file of the form card.Looped does not do.
func (g *generation) checkLooped(opt GenerateOptions) error {
	most := 0
	for _, r := range g.rows {
		most = max(most, r.left)
	}
	for _, r := range g.rows {
		if n := len(r.prompt) + most; n > safety.MaxTurns {
			return fmt.Errorf("prompt %d has %d tokens, and %d new ones are wanted; the file takes %d in all", r.index,
				len(r.prompt), most, safety.MaxTurns)
		}
	}
	switch end := g.s.ends; {
	case opt.Temperature != 0:
		return fmt.Errorf("the temperature is %v, expected 0: %w", opt.Temperature, ErrLooped)
	case opt.PerRow != nil || !g.rows[0].none():
		return fmt.Errorf("sampling for each prompt, penalties or a logit bias are wanted, expected none: %w", ErrLooped)
	case opt.LogProbs:
		return fmt.Errorf("log-probabilities are wanted, expected none: %w", ErrLooped)
	case !slices.Equal(g.rows[0].stops, end):
		return fmt.Errorf("stop tokens are %v, and the file ends answers at %v: %w", g.rows[0].stops, end, ErrLooped)
	}
	return nil
}

// nextLooped is next for a file of the form card.Looped.
func (g *generation) nextLooped(ctx context.Context) (Step, error) {
	if g.completions == nil {
		var err error
		if g.completions, err = g.s.runLooped(ctx, g.rows); err != nil {
			return Step{}, err
		}
	}
	g.step.clear()
	left := false
	for i, a := range g.completions {
		r := g.rows[i]
		if len(a) == 0 || r.ended() { // by a stop string, which the file does not know
			continue
		}
		g.completions[i] = a[1:]
		if err := r.accept(a[0]); err != nil {
			return Step{}, fmt.Errorf("prompt %d: %w", i, err)
		}
		g.step.add(r.newToken)
		left = left || !r.ended()
	}
	if !left {
		g.groups = nil
	}
	return g.step, nil
}

// runLooped runs a file of the form card.Looped and returns the new tokens of each row, an end
// token included.
func (s *Session) runLooped(ctx context.Context, rows []*row) (completions [][]int64, err error) {
	width, most := 0, 0
	for _, r := range rows {
		width, most = max(width, len(r.prompt)), max(most, r.left)
	}
	var ids, mask, wanted, out, lengths buffer[int64]
	defer func() {
		for _, b := range []*buffer[int64]{&ids, &mask, &wanted, &out, &lengths} {
			err = errors.Join(err, b.close())
		}
	}()
	if err := cmp.Or(
		ids.resize(s.model, 0, len(rows), width), mask.resize(s.model, 0, len(rows), width),
		wanted.resize(s.model, 0, 1), out.resize(s.model, 0, len(rows), most), lengths.resize(s.model, 0, len(rows)),
	); err != nil {
		return nil, s.fault(err)
	}
	wanted.data[0] = int64(most)
	for i, r := range rows {
		pad := width - len(r.prompt)
		copy(ids.data[i*width+pad:], r.prompt)
		for at := pad; at < width; at++ {
			mask.data[i*width+at] = 1
		}
	}
	in := make([]engine.Value, len(s.contract.Inputs))
	in[s.contract.IDs], in[s.contract.Mask], in[s.contract.MaxNew] = ids.value, mask.value, wanted.value
	call, err := s.model.Begin(ctx)
	if err != nil {
		return nil, s.fault(err)
	}
	if err := errors.Join(call.Run(in, []engine.Value{out.value, lengths.value}), call.Close()); err != nil {
		return nil, s.fault(err)
	}
	for i, r := range rows {
		n := min(int(lengths.data[i])+1, r.left) // with the end token
		completions = append(completions, slices.Clone(out.data[i*most:][:n]))
	}
	return completions, nil
}
