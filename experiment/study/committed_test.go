package study

import (
	"path/filepath"
	"testing"

	"github.com/nopezoo/zoo/experiment/sweep"
)

// The studies of this repository can be carried out, and their rows are of the runs that they
// name: a change of configurations or of their hashes would have all of them trained again.
func TestCommitted(t *testing.T) {
	files, err := filepath.Glob("../../studies/*/" + sweep.StudyFile)
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, file := range files {
		s, err := Open(filepath.Dir(file), "runs")
		if err != nil {
			t.Error(err)
			continue
		}
		hashes := map[string]string{}
		for _, r := range s.Runs {
			hashes[r.Name] = r.Config.Hash()
		}
		for _, row := range s.Rows {
			if hash, known := hashes[row.Model]; known && hash != row.ConfigHash {
				t.Errorf("%s: a row of %s is of the configuration %.12s…, and the study has %.12s…", s.Name, row.Model,
					row.ConfigHash, hash)
			}
		}
	}
}
