package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/cmd/zoo/internal/arguments"
	"github.com/nopezoo/zoo/cmd/zoo/internal/tables"
	"github.com/nopezoo/zoo/cmd/zoo/internal/terminal"
	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/models/pe"
	"github.com/nopezoo/zoo/models/theory"
	"github.com/nopezoo/zoo/runtime"
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
		Args:  arguments.None,
		RunE:  func(c *cobra.Command, _ []string) error { return a.construct(c.Context(), o) },
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
	case o.theorem == 2:
		if err := arguments.AtLeast("heads", o.heads, 1); err != nil {
			return nil, err
		}
		return theory.Theorem2(o.max, pe.ALiBiSlopes(o.heads))
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
	out := terminal.OutputOr(o.output, fmt.Sprintf("theorem-%d.onnx", o.theorem))
	if err := a.Check(out); err != nil {
		return err
	}
	if err := a.needProvider(ctx, o.provider); err != nil {
		return err
	}
	described := card.Card{Tokenizer: m.Pieces, ToolVersion: version()}
	made := modelfile.Model{Config: m.Config, Weights: m.Weights, Card: described}
	data, err := made.ONNX(cmp.Or(o.profile, card.Portable))
	if err != nil {
		return err
	}
	s, err := runtime.OpenBytes(data, o.options())
	if err != nil {
		return withoutLibrary(err)
	}
	defer s.Close()
	if err := a.WriteBytes(out, data); err != nil {
		return err
	}
	a.Note("%s: %s, run by %s", out.Path, human.Bytes(int64(len(data))), s.Info().Engine+" "+s.Info().Version)
	show := tables.Positions
	if o.theorem == 2 {
		show = tables.Distances
	}
	lines, worst, err := show(ctx, m, s)
	if err != nil {
		return err
	}
	to := a.Messages(out)
	if err := to.Table(lines); err != nil {
		return err
	}
	to.Print("%s", worst)
	return nil
}
