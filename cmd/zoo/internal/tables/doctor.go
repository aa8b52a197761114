package tables

import (
	"maps"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/cmd/zoo/internal/doctor"
	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/internal/ort"
	"github.com/nopezoo/zoo/runtime/ort/install"
)

// Doctor says a report on a machine, line by line.
func Doctor(say func(format string, args ...any), r doctor.Report) {
	say("zoo         %s (%s, %s)", r.Zoo, r.Go, r.Platform)
	say("processor   %s, %s: %s", r.Machine.Processor, human.Plural(r.Machine.Cores, "core", "cores"), strings.Join(r.Machine.Features, " "))
	if r.Machine.Memory > 0 {
		say("memory      %s, of which %s free", human.Bytes(r.Machine.Memory), human.Bytes(r.Machine.MemoryFree))
	}
	if r.Settings.Path != "" {
		say("settings    %s: %s", r.Settings.Path, r.Settings.Finding)
	}
	for _, t := range r.Tools {
		if t.Path != "" {
			say("%-11s %s", t.Name, t.Path)
		} else {
			say("%-11s not found (%s)", t.Name, t.Remedy)
		}
	}
	say("\nONNX Runtime, in the order of the search:")
	for _, p := range r.Searched {
		say("  %-22s %s: %s", p.Rule, p.Path, p.Finding)
	}
	if r.Library == nil {
		say("\nno usable library; %s", r.Remedy)
		return
	}
	say("\nused        %s (version %s, loaded through %s)", r.Library.Path, r.Library.Version, r.Loader)
	say("origin      %s", standing(*r.Library))
	for _, name := range slices.Sorted(maps.Keys(r.Providers)) {
		say("%-11s %s", name, r.Providers[name])
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
