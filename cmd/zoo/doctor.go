package main

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nopezoo/zoo/doctor"
	"github.com/nopezoo/zoo/internal/arguments"
	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/runtime/ort"
	"github.com/nopezoo/zoo/runtime/ort/install"
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
	a.printReport(r)
	return problem
}

func (a *app) printReport(r doctor.Report) {
	a.Print("zoo         %s (%s, %s)", r.Zoo, r.Go, r.Platform)
	a.Print("processor   %s, %d cores: %s", r.Machine.Processor, r.Machine.Cores, strings.Join(r.Machine.Features, " "))
	if r.Machine.Memory > 0 {
		a.Print("memory      %s, of which %s free", human.Bytes(r.Machine.Memory), human.Bytes(r.Machine.MemoryFree))
	}
	if r.Settings.Path != "" {
		a.Print("settings    %s: %s", r.Settings.Path, r.Settings.Finding)
	}
	for _, t := range r.Tools {
		if t.Path != "" {
			a.Print("%-11s %s", t.Name, t.Path)
		} else {
			a.Print("%-11s not found (%s)", t.Name, t.Remedy)
		}
	}
	a.Print("\nONNX Runtime, in the order of the search:")
	for _, p := range r.Searched {
		a.Print("  %-22s %s: %s", p.Rule, p.Path, p.Finding)
	}
	if r.Library == nil {
		a.Print("\nno usable library; %s", r.Remedy)
		return
	}
	a.Print("\nused        %s (version %s)", r.Library.Path, r.Library.Version)
	a.Print("origin      %s", standing(*r.Library))
	for _, name := range slices.Sorted(maps.Keys(r.Providers)) {
		a.Print("%-11s %s", name, r.Providers[name])
	}
}

// standing says whether the library is one that zoo installs.
func standing(l install.Installed) string {
	const unknown = "zoo does not know its hash"
	switch {
	case l.Verified && l.Origin != "":
		return l.Origin + ", hash verified"
	case l.Verified:
		return "hash verified"
	case l.Source == ort.FromEnv:
		return "chosen by " + ort.EnvLibrary + "; " + unknown
	case l.Origin != "":
		return "installed by choice from " + l.Origin + "; " + unknown
	}
	return "not one of ours: " + unknown + "; to install one, run: zoo setup"
}
