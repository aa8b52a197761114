package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/eval/task"
)

// mostListed is how many names an error lists when it has a better answer.
const mostListed = 20

// unknown is the error for a name that is not one of the known ones.
func unknown(what, name string, known []string) error {
	if len(known) == 0 {
		return fmt.Errorf("unknown %s %q; there are none", what, name)
	}
	suggestion := ""
	if near := task.Nearest(name, known); near != "" {
		suggestion = fmt.Sprintf("did you mean %q? ", near)
		if len(known) > mostListed {
			return fmt.Errorf("unknown %s %q; did you mean %q?", what, name, near)
		}
	}
	return fmt.Errorf("unknown %s %q; %sknown: %s", what, name, suggestion, strings.Join(known, ", "))
}

// oneOf checks a flag that takes one of a few words.
func oneOf(what, value string, known ...string) error {
	if slices.Contains(known, value) {
		return nil
	}
	return unknown(what, value, known)
}

// each returns what f makes of each element.
func each[T, R any](list []T, f func(T) R) []R {
	var out []R
	for _, x := range list {
		out = append(out, f(x))
	}
	return out
}
