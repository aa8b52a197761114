// Package configs embeds the presets, commented YAML files that a run starts
// from (an encoding or a task is an override, not a file), and the sweep files.
package configs

import (
	"embed"
	"fmt"
	"path"
	"strings"
)

//go:embed *.yaml sweeps/*.yaml
var files embed.FS

// Names returns the presets in alphabetical order.
func Names() []string { return names(".") }

// Read returns the YAML text of a preset.
func Read(name string) ([]byte, error) { return read("preset", ".", name) }

// Sweeps returns the names of the sweep files in alphabetical order.
func Sweeps() []string { return names("sweeps") }

// ReadSweep returns the YAML text of a sweep file.
func ReadSweep(name string) ([]byte, error) { return read("sweep", "sweeps", name) }

func names(folder string) []string {
	entries, err := files.ReadDir(folder)
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
	data, err := files.ReadFile(path.Join(folder, name+".yaml"))
	if err != nil || path.Base(name) != name {
		return nil, fmt.Errorf("unknown %s %q; known: %s", kind, name, strings.Join(names(folder), ", "))
	}
	return data, nil
}
