package main

import (
	"slices"

	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/models/pe"
)

// oneOf checks a flag that takes one of a few words.
func oneOf(what, value string, known ...string) error {
	if slices.Contains(known, value) {
		return nil
	}
	return task.Unknown(what, value, known)
}

// checkEncodings refuses unknown names before any work begins.
func checkEncodings(list []string) error {
	for _, name := range list {
		if len(pe.Meant(name)) > 0 {
			_, err := pe.Find(name) // which knows better than a spelling distance
			return err
		}
		if err := oneOf("encoding", name, models.Encodings()...); err != nil {
			return err
		}
	}
	return nil
}

// each returns what f makes of each element.
func each[T, R any](list []T, f func(T) R) []R {
	var out []R
	for _, x := range list {
		out = append(out, f(x))
	}
	return out
}
