// Package doctor examines the machine: whether there is an ONNX Runtime library to use, where it came from, what it
// can do, and what to do about what is missing.
package doctor

import (
	"cmp"
	"errors"
	"io/fs"
	"os/exec"
	goruntime "runtime"
	"strings"

	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/internal/machine"
	"github.com/nopezoo/zoo/internal/ort"
	"github.com/nopezoo/zoo/runtime/engine"
	"github.com/nopezoo/zoo/runtime/ort/install"
)

// Report is what was found.
type Report struct {
	Zoo       string             `json:"zoo"` // version of the program
	Go        string             `json:"go"`
	Platform  string             `json:"platform"` // "linux/amd64"
	Machine   machine.Machine    `json:"machine"`
	Settings  Settings           `json:"settings"`
	Library   *install.Installed `json:"library"`   // nil when there is none to use
	Loader    string             `json:"loader"`    // what loads it, ort.Loader
	Providers map[string]string  `json:"providers"` // "ok", or why not
	Problem   string             `json:"problem,omitempty"`
	Remedy    string             `json:"remedy,omitempty"`
	Searched  []Place            `json:"searched"` // in the order of the search
	Tools     []Tool             `json:"tools"`
}

// Settings is the user's own file of settings.
type Settings struct {
	Path    string `json:"path"`    // "" where the system names no folder for it
	Finding string `json:"finding"` // "used", "not there", or why it cannot be used
}

// Place is one where an ONNX Runtime library is looked for.
type Place struct {
	Rule    string `json:"rule"`
	Path    string `json:"path"`
	Finding string `json:"finding"`
}

// Tool is a program that zoo can make use of; a missing one has a remedy.
type Tool struct {
	Name   string `json:"name"`
	Path   string `json:"path"` // "" when it is missing
	Remedy string `json:"remedy,omitempty"`
}

// Examine looks for the ONNX Runtime library as runtime/ort does, loads the one that would be used, and describes
// the machine. The program has a version, and settings is the path of the user's own file. That there is no
// usable library is an error, and the report says why.
func Examine(version, settings string) (Report, error) {
	r := Report{
		Zoo: version, Go: goruntime.Version(), Platform: goruntime.GOOS + "/" + goruntime.GOARCH,
		Machine: machine.This(), Settings: Settings{settings, readable(settings)}, Tools: findTools(),
		Loader: ort.Loader, Providers: map[string]string{},
	}
	for _, c := range ort.Candidates(engine.CPU, "") {
		r.Searched = append(r.Searched, Place{c.Source, c.Path, finding(c.Version, c.Err)})
	}
	lib, cpu, err := ort.Probe("cpu", "")
	var from install.Installed
	if err == nil {
		from, err = install.Origin(lib)
	}
	if err != nil {
		r.Problem, r.Remedy = human.Error(err), remedy(err, r.Searched)
		return r, err
	}
	r.Library = &from
	r.Providers["cpu"] = okOr(cpu)
	_, cuda, err := ort.Probe("cuda", "")
	r.Providers["cuda"] = okOr(cmp.Or(err, cuda))
	// Starting this one has its driver write to the terminal: ExamineProvider does that.
	const try = "not tried: zoo doctor --provider webgpu"
	switch names, err := ort.Devices("webgpu"); {
	case errors.Is(err, ort.ErrNoNames):
		r.Providers["webgpu"] = try
	case err != nil:
		r.Providers["webgpu"] = human.Error(err)
	default:
		r.Providers["webgpu"] = strings.Join(names, "; ") + " (" + try + ")"
	}
	return r, nil
}

func okOr(problem error) string {
	if problem != nil {
		return problem.Error()
	}
	return "ok"
}

func remedy(problem error, searched []Place) string {
	switch {
	case errors.Is(problem, ort.ErrNoCgo):
		return "zoo was built without what loads one: install a C compiler and build it again, on Linux and macOS without " +
			"the tag static_build; or use the pure-Go engine, --provider go"
	case searched[0].Rule == ort.FromEnv:
		return "unset " + ort.EnvLibrary + ", or let it name a usable one; to install one, run: zoo setup"
	}
	return "to install it, run: zoo setup"
}

func finding(version string, err error) string {
	switch {
	case err == nil && version != "":
		return "usable, version " + version
	case err == nil:
		return "usable"
	case errors.Is(err, fs.ErrNotExist):
		return "not there"
	}
	return err.Error()
}

// readable says whether a file of settings can be used.
func readable(path string) string {
	_, err := configs.Load(configs.Sources{User: path})
	switch {
	case path == "" || errors.Is(err, fs.ErrNotExist):
		return "not there"
	case err != nil:
		return human.Error(err)
	}
	return "used"
}

func findTools() []Tool {
	out := []Tool{
		{Name: "npm", Remedy: "needed only where zoo setup cannot reach GitHub; install Node.js"},
		{Name: "pip", Remedy: "needed only for zoo setup --provider cuda, and where zoo setup cannot reach GitHub; " +
			"install Python"},
		{Name: "cc", Remedy: "needed on Windows to build zoo with ONNX Runtime; install a C compiler, such as gcc or clang"},
		{Name: "go", Remedy: "needed to build zoo; install Go"},
	}
	for i, tool := range out {
		if path, err := exec.LookPath(tool.Name); err == nil {
			out[i] = Tool{Name: tool.Name, Path: path}
		}
	}
	return out
}
