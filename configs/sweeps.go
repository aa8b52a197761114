package configs

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
)

//go:embed sweeps/*.yaml
var sweeps embed.FS

// Sweeps returns the names of the sweep files in alphabetical order.
func Sweeps() []string {
	entries, err := fs.ReadDir(sweeps, "sweeps")
	if err != nil {
		panic("configs: the embedded directory cannot be read: " + err.Error()) // fixed at build time
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	return names
}

// ReadSweep returns the YAML text of a sweep file.
func ReadSweep(name string) ([]byte, error) {
	data, err := sweeps.ReadFile("sweeps/" + name + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("unknown sweep %q; known: %s", name, strings.Join(Sweeps(), ", "))
	}
	return data, nil
}
