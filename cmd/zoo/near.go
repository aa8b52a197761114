package main

import (
	"slices"

	"github.com/nopezoo/zoo/eval/task"
)

// oneOf checks a flag that takes one of a few words.
func oneOf(what, value string, known ...string) error {
	if slices.Contains(known, value) {
		return nil
	}
	return task.Unknown(what, value, known)
}

// each returns what f makes of each element.
func each[T, R any](list []T, f func(T) R) []R {
	var out []R
	for _, x := range list {
		out = append(out, f(x))
	}
	return out
}
