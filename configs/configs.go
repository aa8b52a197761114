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
)

//go:embed *.yaml sweeps/*.yaml
var embedded embed.FS

// DefaultPreset is the preset of a run that names none.
const DefaultPreset = "tiny"

// MaxBytes is the size of the largest configuration or sweep file that is read.
const MaxBytes = 1 << 20

// The kinds of files that come with the program.
const (
	Presets = "preset"
	Sweeps  = "sweep"
)

var folders = map[string]string{Presets: ".", Sweeps: "sweeps"}

// About describes a preset or a sweep file.
type About struct {
	Name        string `json:"name"`
	Description string `json:"description"` // the comment at its head
	Text        string `json:"text,omitempty"`
}

// Names returns the files of a kind in alphabetical order.
func Names(kind string) []string {
	entries, err := embedded.ReadDir(folders[kind])
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

// Describe returns a file of a kind. The error for an unknown name lists the known ones.
func Describe(kind, name string) (About, error) {
	data, err := embedded.ReadFile(path.Join(folders[kind], name+".yaml"))
	if err != nil || path.Base(name) != name {
		return About{}, suggest.Unknown(kind, name, Names(kind))
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
