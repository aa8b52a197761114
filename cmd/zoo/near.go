package main

import (
	"github.com/nopezoo/zoo/internal/arguments"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/models/pe"
)

// checkEncodings refuses unknown names before any work begins.
func checkEncodings(list []string) error {
	for _, name := range list {
		if len(pe.Meant(name)) > 0 {
			_, err := pe.Find(name) // which knows better than a spelling distance
			return err
		}
		if err := arguments.OneOf("encoding", name, models.Encodings()...); err != nil {
			return err
		}
	}
	return nil
}
