// Package configs holds the presets, commented YAML files that a run starts from
// (an encoding or a task is an override, not a file; a preset may start from another
// one), and the sweep files; and it merges the layers of a run's configuration, as zoo train does. Of
//
//	the preset < the user's own file < a file < environment variables < overrides
//
// each wins over those before it, and every value has an origin. What no layer
// gives is the default of runfile.Config or follows from other values.
package configs

import (
	"embed"
	"path"
	"strings"

	"github.com/nopezoo/zoo/internal/suggest"
	"github.com/nopezoo/zoo/train/runfile"
)

//go:embed *.yaml sweeps/*.yaml
var embedded embed.FS

// DefaultPreset is the preset of a run that names none.
const DefaultPreset = "tiny"

// MaxBytes is the size of the largest configuration or sweep file that is read.
const MaxBytes = 1 << 20

// Names returns the presets in alphabetical order.
func Names() []string { return names(".") }

// Read returns the YAML text of a preset.
func Read(name string) ([]byte, error) { return read("preset", ".", name) }

// About describes a preset.
type About struct {
	Name        string `json:"name"`
	Description string `json:"description"` // the comment at its head
	Text        string `json:"text,omitempty"`
}

// Describe returns a preset with its description. The error for an unknown name lists the
// known ones.
func Describe(name string) (About, error) {
	data, err := Read(name)
	if err != nil {
		return About{}, err
	}
	var head []string
	for line := range strings.Lines(string(data)) {
		comment, ok := strings.CutPrefix(strings.TrimSpace(line), "#")
		if !ok {
			break
		}
		head = append(head, strings.TrimSpace(comment))
	}
	return About{name, strings.TrimPrefix(strings.Join(head, " "), name+": "), string(data)}, nil
}

// Preset returns the resolved configuration of a preset, such as "tiny". The error
// for an unknown name lists the known ones.
func Preset(name string) (runfile.Config, error) {
	l, err := Load(Sources{Preset: name})
	if err != nil {
		return runfile.Config{}, err
	}
	return l.Config("")
}

// Sweeps returns the names of the sweep files in alphabetical order.
func Sweeps() []string { return names("sweeps") }

// ReadSweep returns the YAML text of a sweep file.
func ReadSweep(name string) ([]byte, error) { return read("sweep", "sweeps", name) }

func names(folder string) []string {
	entries, err := embedded.ReadDir(folder)
	if err != nil {
		panic("configs: the embedded directory cannot be read: " + err.Error()) // fixed at build time
	}
	var out []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".yaml"); ok {
			out = append(out, name)
		}
	}
	return out
}

func read(kind, folder, name string) ([]byte, error) {
	data, err := embedded.ReadFile(path.Join(folder, name+".yaml"))
	if err != nil || path.Base(name) != name {
		return nil, suggest.Unknown(kind, name, names(folder))
	}
	return data, nil
}
