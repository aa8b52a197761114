package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nopezoo/zoo/doctor"
	"github.com/nopezoo/zoo/runtime/ort"
	"github.com/nopezoo/zoo/runtime/ort/install"
)

func doctorVerb(a *app) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "say what zoo found on this machine, and what to do about what is missing",
		Long: `doctor looks for the ONNX Runtime library in every place where zoo would, loads
the one it would use, and describes the machine. It ends with an error when there
is no usable library.`,
		Example: example("zoo doctor", "zoo doctor --json"),
		Args:    noArguments,
		RunE:    func(*cobra.Command, []string) error { return a.doctor(asJSON) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	return c
}

func (a *app) doctor(asJSON bool) error {
	r, problem := doctor.Examine(version(), userConfigPath())
	if asJSON {
		return cmp.Or(a.json(r), problem)
	}
	a.printReport(r)
	return problem
}

func (a *app) printReport(r doctor.Report) {
	a.print("zoo         %s (%s, %s)", r.Zoo, r.Go, r.Platform)
	a.print("processor   %s, %d cores: %s", r.Machine.Processor, r.Machine.Cores, strings.Join(r.Machine.Features, " "))
	if r.Machine.Memory > 0 {
		a.print("memory      %s, of which %s free", bytesText(r.Machine.Memory), bytesText(r.Machine.MemoryFree))
	}
	if r.Settings.Path != "" {
		a.print("settings    %s: %s", r.Settings.Path, r.Settings.Finding)
	}
	for _, t := range r.Tools {
		if t.Path != "" {
			a.print("%-11s %s", t.Name, t.Path)
		} else {
			a.print("%-11s not found (%s)", t.Name, t.Remedy)
		}
	}
	a.print("\nONNX Runtime, in the order of the search:")
	for _, p := range r.Searched {
		a.print("  %-22s %s: %s", p.Rule, p.Path, p.Finding)
	}
	if r.Library == nil {
		a.print("\nno usable library; %s", r.Remedy)
		return
	}
	a.print("\nused        %s (version %s)", r.Library.Path, r.Library.Version)
	a.print("origin      %s", standing(*r.Library))
	for _, name := range slices.Sorted(maps.Keys(r.Providers)) {
		a.print("%-11s %s", name, r.Providers[name])
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

// json writes a result for programs.
func (a *app) json(v any) error {
	e := json.NewEncoder(a.stdout)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("output: %w", err)
	}
	return nil
}
