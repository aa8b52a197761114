package sweep

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A task is one that there is, of runs in the sweep's folder; a damaged file is one clear error.
func TestReadTaskRefuses(t *testing.T) {
	for _, tc := range []struct {
		file  string
		index int
		want  string
	}{
		{"", 1, "prepare the sweep: zoo sweep"},
		{"{", 1, "array.json is damaged"},
		{`{"tasks":[["a"]]}`, 2, "array.json has 1 task, from 1 on"},
		{`{"tasks":[["a"]]}`, 0, "array.json has 1 task, from 1 on"},
		{`{"tasks":[["../a"]]}`, 1, `names the run "../a", which does not lie in its folder`},
	} {
		folder := t.TempDir()
		if tc.file != "" {
			if err := os.WriteFile(filepath.Join(folder, arrayFile), []byte(tc.file), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if _, _, err := ReadTask(folder, tc.index); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%q, task %d: error %v, want %q", tc.file, tc.index, err, tc.want)
		}
	}
}
