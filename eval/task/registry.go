package task

import (
	"fmt"
	"slices"
	"strings"
)

// All returns every task, one row each.
func All() []Task {
	return []Task{
		copyWords(),
	}
}

// Lookup returns the task of a name or alias. An unknown name is an error that
// lists the known ones and the nearest.
func Lookup(name string) (Task, error) {
	var names []string
	for _, t := range All() {
		if name == t.Name || slices.Contains(t.Aliases, name) {
			return t, nil
		}
		names = append(append(names, t.Name), t.Aliases...)
	}
	suggestion := ""
	if near := nearest(name, names); near != "" {
		suggestion = fmt.Sprintf("did you mean %q? ", near)
	}
	return Task{}, fmt.Errorf("unknown task %q: %sknown: %s", name, suggestion, strings.Join(names, ", "))
}
