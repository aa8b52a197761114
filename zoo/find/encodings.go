package find

import (
	"slices"

	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/models/pe"
)

// CheckEncodings refuses names that no encoding has, nor an architecture without encodings. The error says which
// known one is meant, or near.
func CheckEncodings(names []string) error {
	for _, name := range names {
		if slices.Contains(models.Encodings(), name) {
			continue
		}
		if len(pe.Meant(name)) > 0 {
			_, err := pe.Find(name) // which knows better than a spelling distance
			return err
		}
		return task.Unknown("encoding", name, models.Encodings())
	}
	return nil
}
