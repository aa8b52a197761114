package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/machine"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/zoo"
	"github.com/nopezoo/zoo/zoo/find"
	"github.com/nopezoo/zoo/zoo/upkeep"
)

type catalogueOptions struct {
	into, lengths, command string
	n                      int
	minAccuracy            float64
	runs                   string
	check                  bool
}

func catalogueVerb(a *app) *cobra.Command {
	var o catalogueOptions
	c := &cobra.Command{
		Use:    "catalogue RUN…",
		Hidden: true, // for those who look after the catalogue
		Short:  "put trained runs into the catalogue that the next build embeds, or re-create its models",
		Long: `catalogue rounds the weights of finished runs to 16 bits, measures them as they then
are, and writes manifest and weights into the folder that the program embeds when
it is built. The model is named after its task and encoding; one of that name is
replaced, unless it is the same. A model whose mean exact match at trained lengths is
below --min-accuracy has not learned its task and is left out.

With --check the arguments are models of the catalogue: each is trained again by the
command in its manifest, in a temporary folder. On a processor with the features that
the manifest names the weights must have the same bits; on others the mean exact match
at trained lengths must be within ten points of the manifest's.`,
		Example: example(
			`zoo catalogue runs/copy-rope-tiny-s1 --command "zoo train --preset tiny --pe {pe} --task {task}"`,
			`zoo catalogue --check copy-rope`),
		Args: arguments(1, -1, "a run directory, or with --check a model of the catalogue"),
		RunE: func(c *cobra.Command, args []string) error {
			if o.check {
				from := zoo.Embedded()
				if c.Flags().Changed("into") {
					from = zoo.Catalogue{FS: os.DirFS(o.into)}
				}
				return a.checkCatalogue(c.Context(), from, args)
			}
			return a.catalogue(c.Context(), o, args)
		},
	}
	f := c.Flags()
	f.StringVar(&o.into, "into", "zoo/models", "`folder` to write to, or to check (default there: the embedded one)")
	f.StringVar(&o.lengths, "lengths", "20..200", "lengths to measure for the manifest")
	f.IntVar(&o.n, "n", 100, "samples at each length")
	f.Float64Var(&o.minAccuracy, "min-accuracy", eval.EffectiveAccuracy,
		"mean exact match at trained lengths that a model must reach")
	f.StringVar(&o.command, "command", "",
		"the command that trained the runs; {pe} and {task} stand for encoding and task")
	f.BoolVar(&o.check, "check", false, "train models of the catalogue again and compare")
	f.StringVar(&o.runs, "runs", "runs", "`folder` of the runs")
	return c
}

func (a *app) catalogue(ctx context.Context, o catalogueOptions, args []string) error {
	if o.command == "" {
		return errors.New("--command is missing: a manifest says how its model was made")
	}
	lengths, err := task.ParseLengths(o.lengths)
	if err != nil {
		return err
	}
	f, err := find.New(a.lookIn(o.runs))
	if err != nil {
		return err
	}
	for _, arg := range args {
		s, err := f.Named(arg)
		if err != nil {
			return err
		}
		if s.Run == "" {
			return fmt.Errorf("%s is no run directory", arg)
		}
		m, err := s.Load()
		if err != nil {
			return err
		}
		if err := a.addToCatalogue(ctx, o, lengths, m); err != nil {
			return fmt.Errorf("%s: %w", s.From, err)
		}
	}
	return nil
}

func (a *app) addToCatalogue(ctx context.Context, o catalogueOptions, lengths []int, m modelfile.Model) error {
	err := upkeep.Add(ctx, o.into, m, upkeep.Options{
		Command: strings.NewReplacer("{pe}", m.Config.Name(), "{task}", m.Card.Task).Replace(o.command),
		CPU:     machine.This().Features, Lengths: lengths, Samples: o.n, MinAccuracy: o.minAccuracy,
	})
	var bad *upkeep.NotLearnedError
	switch {
	case err == nil:
		a.print("%s/%s", o.into, m.Name())
	case errors.Is(err, upkeep.ErrThere):
		a.print("%s/%s is there already", o.into, m.Name())
	case errors.As(err, &bad):
		a.print("%s is left out: %v", m.Name(), err)
	case errors.Is(err, zoo.ErrNotMeasured):
		return fmt.Errorf("%w; name some with --lengths", err)
	default:
		return err
	}
	return nil
}

// checkCatalogue trains models of the catalogue again and compares.
func (a *app) checkCatalogue(ctx context.Context, from zoo.Catalogue, names []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	program := upkeep.Program{Path: self, Environ: os.Environ(), Output: rawWriter(a.stderr)} // which is zoo, too
	for _, name := range names {
		m, err := from.Manifest(name)
		if err != nil {
			return err
		}
		a.note("training %s again: %s", name, m.Command)
		again, err := upkeep.Retrain(ctx, m.Command, program)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		c, err := upkeep.Compare(ctx, m, again, machine.This().Features)
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", name, err)
		case c.SameBits:
			a.print("%s: the same bits", name)
		default:
			a.print("%s: other bits, on a processor with other features; mean exact match at trained lengths %.3f, "+
				"and %.3f in the manifest", name, c.Is, c.Was)
		}
	}
	return nil
}
