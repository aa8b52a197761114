package models

import (
	"errors"
	"slices"

	"github.com/nopezoo/zoo/internal/suggest"
	"github.com/nopezoo/zoo/models/pe"
)

// EncodingNames returns what models with such encodings are called (Config.Name): rope*3/nope is 3rope+nope
// there, others stay as they are. A name that no encoding has, nor an architecture without encodings, is an error,
// which says which known one is meant, or near.
func EncodingNames(encodings []string) ([]string, error) {
	var out []string
	for _, name := range encodings {
		if slices.Contains(Encodings(), name) {
			out = append(out, name)
			continue
		}
		if a, err := ArchitectureOf(Config{Encoding: name}); err == nil && a.StandsIn(name) {
			p, err := parseMixer(name)
			if err != nil {
				return nil, err
			}
			out = append(out, Config{Mixer: p.String()}.Name())
			continue
		}
		if name == "" {
			return nil, errors.New("an encoding has no name; leave out a comma, or name one of: zoo list encodings")
		}
		row, err := pe.Find(name)
		if errors.Is(err, pe.ErrUnknown) {
			err = suggest.Unknown("encoding", name, Encodings()) // which knows a spelling distance
		}
		if err != nil {
			return nil, err
		}
		out = append(out, Config{Encoding: row.Name}.Name())
	}
	return out, nil
}
