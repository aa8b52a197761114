package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os/exec"
	goruntime "runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/machine"
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

// diagnosis is what doctor finds.
type diagnosis struct {
	Zoo       string            `json:"zoo"`
	Go        string            `json:"go"`
	Platform  string            `json:"platform"`
	Machine   machine.Machine   `json:"machine"`
	Settings  settingsFile      `json:"settings"`
	Library   *foundLibrary     `json:"library"`   // null when there is none to use
	Providers map[string]string `json:"providers"` // "ok", or why not
	Problem   string            `json:"problem,omitempty"`
	Remedy    string            `json:"remedy,omitempty"`
	Searched  []place           `json:"searched"`
	Tools     []tool            `json:"tools"`
}

// settingsFile is the user's own file of settings.
type settingsFile struct {
	Path    string `json:"path"`
	Finding string `json:"finding"`
}

type foundLibrary struct {
	Path     string   `json:"path"`
	Rule     ort.Rule `json:"rule"`
	Version  string   `json:"version"`
	SHA256   string   `json:"sha256"`
	Verified bool     `json:"verified"` // zoo knows its hash, or that of the archive it came from
	Origin   string   `json:"origin"`   // what it was installed from, "" when nothing tells
}

type place struct {
	Rule    ort.Rule `json:"rule"`
	Path    string   `json:"path"`
	Finding string   `json:"finding"`
}

// tool is a program that zoo can make use of; a missing one has a remedy.
type tool struct {
	Name   string `json:"name"`
	Path   string `json:"path"`
	Remedy string `json:"remedy,omitempty"`
}

func (a *app) doctor(asJSON bool) error {
	d, problem := diagnose()
	if asJSON {
		if err := a.json(d); err != nil {
			return err
		}
	} else {
		a.printDiagnosis(d)
	}
	return problem
}

func diagnose() (diagnosis, error) {
	d := diagnosis{
		Zoo: version(), Go: goruntime.Version(), Platform: goruntime.GOOS + "/" + goruntime.GOARCH,
		Machine: machine.This(), Settings: findSettings(), Providers: map[string]string{}, Tools: findTools(),
	}
	for _, c := range ort.Candidates("") {
		d.Searched = append(d.Searched, place{c.Source, c.Path, finding(c)})
	}
	lib, providers, err := ort.Probe("")
	if err != nil {
		d.Problem, d.Remedy = err.Error(), remedyFor(err, d.Searched)
		return d, err
	}
	from, err := install.Origin(lib)
	if err != nil {
		d.Problem = err.Error()
		return d, err
	}
	d.Library = &foundLibrary{lib.Path, lib.Source, lib.Version, from.SHA256, from.Verified, from.Origin}
	for name, why := range providers {
		d.Providers[name] = "ok"
		if why != nil {
			d.Providers[name] = why.Error()
		}
	}
	return d, nil
}

func remedyFor(problem error, searched []place) string {
	switch {
	case errors.Is(problem, ort.ErrNoCgo):
		return "zoo was built without cgo: install a C compiler and build it again; or use the pure-Go engine, --provider go"
	case searched[0].Rule == ort.FromEnv:
		return "unset " + ort.EnvLibrary + ", or let it name a usable one; to install one, run: zoo setup"
	}
	return "to install it, run: zoo setup"
}

func finding(c ort.Candidate) string {
	switch {
	case c.Err == nil && c.Version != "":
		return "usable, version " + c.Version
	case c.Err == nil:
		return "usable"
	case errors.Is(c.Err, fs.ErrNotExist):
		return "not there"
	}
	return c.Err.Error()
}

func findSettings() settingsFile {
	found := settingsFile{userConfigPath(), "not there"}
	if path := userConfig(); path != "" {
		found.Finding = "used"
		if _, err := configs.Load(configs.Sources{User: path}); err != nil {
			found.Finding = err.Error()
		}
	}
	return found
}

func findTools() []tool {
	out := []tool{
		{Name: "npm", Remedy: "needed only where zoo setup cannot reach GitHub; install Node.js"},
		{Name: "pip", Remedy: "needed only where zoo setup cannot reach GitHub; install Python"},
		{Name: "cc", Remedy: "needed to build zoo with ONNX Runtime; install a C compiler, such as gcc or clang"},
		{Name: "go", Remedy: "needed to build zoo; install Go"},
	}
	for i := range out {
		if path, err := exec.LookPath(out[i].Name); err == nil {
			out[i].Path, out[i].Remedy = path, ""
		}
	}
	return out
}

func (a *app) printDiagnosis(d diagnosis) {
	a.print("zoo         %s (%s, %s)", d.Zoo, d.Go, d.Platform)
	a.print("processor   %s, %d cores: %s", d.Machine.Processor, d.Machine.Cores, strings.Join(d.Machine.Features, " "))
	if d.Machine.Memory > 0 {
		a.print("memory      %s, of which %s free", bytesText(d.Machine.Memory), bytesText(d.Machine.MemoryFree))
	}
	if d.Settings.Path != "" {
		a.print("settings    %s: %s", d.Settings.Path, d.Settings.Finding)
	}
	for _, t := range d.Tools {
		if t.Path != "" {
			a.print("%-11s %s", t.Name, t.Path)
		} else {
			a.print("%-11s not found (%s)", t.Name, t.Remedy)
		}
	}
	a.print("\nONNX Runtime, in the order of the search:")
	for _, p := range d.Searched {
		a.print("  %-22s %s: %s", p.Rule, p.Path, p.Finding)
	}
	if d.Library == nil {
		a.print("\nno usable library; %s", d.Remedy)
		return
	}
	a.print("\nused        %s (version %s)", d.Library.Path, d.Library.Version)
	a.print("origin      %s", d.Library.standing())
	for _, name := range slices.Sorted(maps.Keys(d.Providers)) {
		a.print("%-11s %s", name, d.Providers[name])
	}
}

// standing says whether the library is one that zoo installs.
func (l foundLibrary) standing() string {
	const unknown = "zoo does not know its hash"
	switch {
	case l.Verified && l.Origin != "":
		return l.Origin + ", hash verified"
	case l.Verified:
		return "hash verified"
	case l.Rule == ort.FromEnv:
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
