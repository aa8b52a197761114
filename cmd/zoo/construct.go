package main

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/models/pe"
	"github.com/nopezoo/zoo/models/theory"
	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/zoo/find"
)

type constructOptions struct {
	engineFlags
	theorem, max, heads int
	output              string
}

func constructVerb(a *app) *cobra.Command {
	var o constructOptions
	c := &cobra.Command{
		Use:   "construct",
		Short: "write the models of the NoPE paper's theorems, and test them",
		Long: `construct writes a decoder without positional encoding whose weights are those of
a proof (Kazemnejad et al. 2023), runs the file and prints what comes out.

Theorem 1: one layer recovers the absolute position from the causal mask and a
first token. The table shows position, recovered position and error.

Theorem 2: with the position known, the attention logits of a second layer are
a content term plus a function of the distance t − i. It is built with ALiBi's
slopes; the table shows, for pairs of equal words, the logit of the farther one
against that of the nearer, at two queries, and what ALiBi's formula gives. They
are read off the attention weights, so distances end where those vanish.`,
		Example: example(
			"zoo construct --theorem 1 --max 1024",
			"zoo construct --theorem 2 --heads 8 -o relative.onnx"),
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return a.construct(c.Context(), o) },
	}
	o.engineFlags.add(c)
	f := c.Flags()
	f.IntVar(&o.theorem, "theorem", 0, "1 or 2")
	f.IntVar(&o.max, "max", 1024, "greatest position")
	f.IntVar(&o.heads, "heads", 4, "attention heads of theorem 2")
	f.StringVarP(&o.output, "output", "o", "",
		"`file` to write, - for standard output (default: theorem-<1 or 2>.onnx)")
	return c
}

// model returns the model that was asked for.
func (o constructOptions) model() (*theory.Model, error) {
	switch {
	case o.theorem == 1:
		return theory.Theorem1(o.max)
	case o.theorem == 2 && o.heads > 0:
		return theory.Theorem2(o.max, pe.ALiBiSlopes(o.heads))
	case o.theorem == 2:
		return nil, fmt.Errorf("--heads %d: want 1 or more", o.heads)
	case o.theorem == 0:
		return nil, errors.New("--theorem is missing: want 1 or 2")
	}
	return nil, fmt.Errorf("--theorem %d: want 1 or 2", o.theorem)
}

func (a *app) construct(ctx context.Context, o constructOptions) error {
	if err := o.engineFlags.check(); err != nil {
		return err
	}
	m, err := o.model()
	if err != nil {
		return err
	}
	out := output{path: o.output}
	if o.output == "" {
		out = defaultOutput(fmt.Sprintf("theorem-%d.onnx", o.theorem))
	}
	if err := out.check(a); err != nil {
		return err
	}
	if err := a.needProvider(ctx, o.provider); err != nil {
		return err
	}
	described := card.Card{Tokenizer: m.Pieces, ToolVersion: version()}
	made := modelfile.Model{Config: m.Config, Weights: m.Weights, Card: described}
	s, data, err := o.open(find.Value("construction", made))
	if err != nil {
		return err
	}
	defer s.Close()
	if err := a.writeBytes(out, data); err != nil {
		return err
	}
	a = a.beside(out)
	a.note("%s: %s, run by %s", out.path, bytesText(int64(len(data))), s.Info().Engine+" "+s.Info().Version)
	if o.theorem == 1 {
		return a.positions(ctx, m, s)
	}
	return a.distances(ctx, m, s)
}

// positions prints what theorem 1's model recovers.
func (a *app) positions(ctx context.Context, m *theory.Model, s *runtime.Session) error {
	recovered, err := m.Positions(ctx, s)
	if err != nil {
		return err
	}
	lines := [][]string{{"position", "recovered", "error"}}
	show := func(t int) {
		v := recovered[t-1]
		lines = append(lines, []string{fmt.Sprint(t), fmt.Sprintf("%.6f", v), fmt.Sprintf("%.1e", v-float64(t))})
	}
	for t := 1; t < m.Max; t += t/2 + 1 { // not powers of two, where 1/t has no rounding
		show(t)
	}
	show(m.Max)
	if err := a.table(lines); err != nil {
		return err
	}
	worst, at := 0.0, 1
	for i, v := range recovered {
		if e := math.Abs(v - float64(i+1)); e > worst {
			worst, at = e, i+1
		}
	}
	a.print("worst of all %d positions: %.1e, at %d", m.Max, worst, at)
	return nil
}

// distances prints how theorem 2's attention depends on the distance.
func (a *app) distances(ctx context.Context, m *theory.Model, s *runtime.Session) error {
	pairs, err := m.Distances(ctx, s)
	if err != nil {
		return err
	}
	worst := 0.0
	lines := [][]string{{"head", "slope", "distance", fmt.Sprintf("logit at t=%d", m.Max/2),
		fmt.Sprintf("at t=%d", m.Max), "-slope*distance", "error"}}
	for _, p := range pairs {
		worst = max(worst, p.Error)
		lines = append(lines, []string{fmt.Sprint(p.Head), fmt.Sprintf("%.6g", p.Slope), fmt.Sprint(p.Distance),
			fmt.Sprintf("%.5f", p.Logits[0]), fmt.Sprintf("%.5f", p.Logits[1]), fmt.Sprintf("%.5f", p.ALiBi),
			fmt.Sprintf("%.1e", p.Error)})
	}
	if err := a.table(lines); err != nil {
		return err
	}
	a.print("worst error: %.1e", worst)
	return nil
}
