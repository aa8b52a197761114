package main

import (
	"cmp"

	"github.com/spf13/cobra"

	"github.com/nopezoo/zoo/doctor"
	"github.com/nopezoo/zoo/internal/arguments"
	"github.com/nopezoo/zoo/internal/tables"
)

func doctorVerb(a *app) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "say what zoo found on this machine, and what to do about what is missing",
		Args:  arguments.None,
		RunE:  func(*cobra.Command, []string) error { return a.doctor(asJSON) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	return c
}

func (a *app) doctor(asJSON bool) error {
	r, problem := doctor.Examine(version(), userConfigPath())
	if asJSON {
		return cmp.Or(a.JSON(r), problem)
	}
	tables.Doctor(a.Out, r)
	return problem
}
