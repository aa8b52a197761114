// Package configs embeds the presets: commented YAML files that a run starts
// from. An encoding or a task is an override, not a file.
package configs

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
)

//go:embed *.yaml
var files embed.FS

// Names returns the presets in alphabetical order.
func Names() []string {
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		panic("configs: the embedded directory cannot be read: " + err.Error()) // fixed at build time
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	return names
}

// Read returns the YAML text of a preset.
func Read(name string) ([]byte, error) {
	data, err := files.ReadFile(name + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("unknown preset %q; known: %s", name, strings.Join(Names(), ", "))
	}
	return data, nil
}
