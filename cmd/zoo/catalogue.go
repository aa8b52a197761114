package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/nopezoo/zoo/cmd/zoo/internal/arguments"
	"github.com/nopezoo/zoo/cmd/zoo/internal/find"
	"github.com/nopezoo/zoo/cmd/zoo/internal/terminal"
	"github.com/nopezoo/zoo/cmd/zoo/internal/upkeep"
	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/internal/machine"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/train/runfile"
	"github.com/nopezoo/zoo/zoo/catalogue"
)

// learned is the mean exact match at trained lengths from which on a model has learned its task.
const learned = 0.99

type catalogueOptions struct {
	into, lengths, preset string
	n, medianAt           int
	minAccuracy           float64
	runs                  string
	check                 bool
}

func catalogueVerb(a *app) *cobra.Command {
	var o catalogueOptions
	c := &cobra.Command{
		Use:    "catalogue RUN…",
		Hidden: true, // for those who look after the catalogue
		Short:  "put trained runs into the catalogue that the next build embeds, or re-create its models",
		Args:   arguments.Between(1, -1, "a run directory, or with --check a model of the catalogue"),
		RunE: func(c *cobra.Command, args []string) error {
			if o.check {
				from := catalogue.Embedded()
				if c.Flags().Changed("into") {
					from = catalogue.Catalogue{FS: os.DirFS(o.into)}
				}
				return a.checkCatalogue(c.Context(), from, args)
			}
			return a.catalogue(c.Context(), o, args)
		},
	}
	f := c.Flags()
	f.StringVar(&o.into, "into", "zoo/catalogue/models", "`folder` to write to; with --check the one to check, without it the embedded one")
	f.StringVar(&o.lengths, "lengths", "20..200", "lengths to measure for the manifest")
	f.IntVar(&o.n, "n", 100, "samples at each length")
	f.Float64Var(&o.minAccuracy, "min-accuracy", learned, "mean exact match at trained lengths that a model must reach")
	f.IntVar(&o.medianAt, "median-at", 0, "`length` at which, of several runs of one name, that of median exact match is put in; "+
		"of an even number the lower one (default: the last named)")
	f.StringVar(&o.preset, "preset", configs.DefaultPreset, "preset that the commands in the manifests start from")
	f.BoolVar(&o.check, "check", false, "train models of the catalogue again and compare")
	f.StringVar(&o.runs, "runs", "runs", "`folder` of the runs")
	return c
}

func (a *app) catalogue(ctx context.Context, o catalogueOptions, args []string) error {
	lengths, err := task.ParseLengths(o.lengths)
	if err != nil {
		return err
	}
	if o.medianAt < 0 {
		return fmt.Errorf("--median-at %d: want a length, or 0 for none", o.medianAt)
	}
	f, err := find.New(a.lookIn(o.runs))
	if err != nil {
		return err
	}
	found, err := f.These(args)
	if err != nil {
		return err
	}
	models := make([]modelfile.Model, len(found))
	for i, s := range found {
		if s.Run == "" {
			return fmt.Errorf("%s is no run directory", args[i])
		}
		if models[i], err = s.Load(); err != nil {
			return err
		}
	}
	chosen := lists.Make(len(found), func(i int) int { return i })
	if o.medianAt > 0 {
		if chosen, err = upkeep.Medians(ctx, models, o.medianAt, o.n); err != nil {
			return err
		}
	}
	for _, i := range chosen {
		s, m := found[i], models[i]
		c, err := runfile.ReadConfig(s.Run)
		if err != nil {
			return err
		}
		command, err := configs.Command(o.preset, c)
		if err != nil {
			return fmt.Errorf("%s: a manifest says how its model is trained: %w", s.From, err)
		}
		if err := a.addToCatalogue(ctx, o, lengths, m, command); err != nil {
			return fmt.Errorf("%s: %w", s.From, err)
		}
	}
	return nil
}

func (a *app) addToCatalogue(
	ctx context.Context, o catalogueOptions, lengths []int, m modelfile.Model, command string,
) error {
	err := upkeep.Add(ctx, o.into, m, upkeep.Options{
		Command: command, CPU: machine.This().Features, Lengths: lengths, Samples: o.n, MinAccuracy: o.minAccuracy,
	})
	var bad *upkeep.NotLearnedError
	switch {
	case err == nil:
		a.Print("%s/%s", o.into, m.Name())
	case errors.Is(err, upkeep.ErrThere):
		a.Print("%s/%s is there already", o.into, m.Name())
	case errors.As(err, &bad):
		a.Print("%s is left out: %v", m.Name(), err)
	case errors.Is(err, catalogue.ErrNotMeasured):
		return fmt.Errorf("%w; name some with --lengths", err)
	default:
		return err
	}
	return nil
}

// checkCatalogue trains models of the catalogue again and compares.
func (a *app) checkCatalogue(ctx context.Context, from catalogue.Catalogue, names []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	program := upkeep.Program{Path: self, Environ: os.Environ(), Output: terminal.Raw(a.Err)} // which is zoo, too
	for _, name := range names {
		m, err := from.Manifest(name)
		if err != nil {
			return err
		}
		a.Note("training %s again: %s", name, m.Command)
		again, err := upkeep.Retrain(ctx, m.Command, program)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		c, err := upkeep.Compare(ctx, m, again, machine.This().Features)
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", name, err)
		case c.SameBits:
			a.Print("%s: the same bits", name)
		default:
			a.Print("%s: other bits, on a processor with other features; mean exact match at trained lengths %.3f, "+
				"and %.3f in the manifest", name, c.Is, c.Was)
		}
	}
	return nil
}
