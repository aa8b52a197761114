package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/cmd/zoo/internal/arguments"
	"github.com/nopezoo/zoo/cmd/zoo/internal/doctor"
	"github.com/nopezoo/zoo/cmd/zoo/internal/tables"
	"github.com/nopezoo/zoo/internal/ort"
)

func doctorVerb(a *app) *cobra.Command {
	var o doctorOptions
	c := &cobra.Command{
		Use:   "doctor [--provider NAME [MODEL]]",
		Short: "say what is on this machine, and what to do about what is missing",
		Args:  arguments.Between(0, 1, "MODEL"),
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case o.provider != "":
				return a.examineProvider(c.Context(), o, args)
			case len(args) > 0:
				return fmt.Errorf("MODEL %s is given without a provider; add --provider, as in: "+
					"zoo doctor --provider webgpu %[1]s", args[0])
			}
			return a.doctor(o.asJSON)
		},
	}
	f := c.Flags()
	f.BoolVar(&o.asJSON, "json", false, "write JSON")
	f.StringVar(&o.provider, "provider", "", "look at one provider of ONNX Runtime, step by step: "+
		strings.Join(ortProviders, ", "))
	f.StringVar(&o.runs, "runs", "runs", "`folder` of the runs")
	return c
}

type doctorOptions struct {
	asJSON         bool
	provider, runs string
}

// examineProvider goes through what a provider needs, and where it runs a model's nodes.
func (a *app) examineProvider(ctx context.Context, o doctorOptions, args []string) error {
	if err := oneProvider(o.provider, ortProviders...); err != nil {
		return err
	}
	var model []byte
	if len(args) > 0 {
		found, err := a.choose(o.runs, args, nil, "")
		if err != nil {
			return err
		}
		if model, _, err = found[0].ONNX(card.Portable); err != nil {
			return err
		}
	}
	r, problem := doctor.ExamineProvider(ctx, o.provider, model)
	if o.asJSON {
		return cmp.Or(a.JSON(r), problem)
	}
	tables.Provider(a.Print, r)
	return problem
}

func (a *app) doctor(asJSON bool) error {
	r, problem := doctor.Examine(version(), userConfigPath())
	if asJSON {
		return cmp.Or(a.JSON(r), problem)
	}
	tables.Doctor(a.Print, r)
	if nowhere := (*ort.NotFoundError)(nil); errors.As(problem, &nowhere) {
		return ort.ErrNoRuntime // the table has the places and the remedy
	}
	return problem
}
