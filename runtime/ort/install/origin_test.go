package install

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/nopezoo/zoo/internal/ort"
	"github.com/nopezoo/zoo/internal/ort/library/librarytest"
)

// TestOrigin: a record next to a library proves nothing.
func TestOrigin(t *testing.T) {
	lib := librarytest.Fake(librarytest.AMD64, "real")
	pins := []pin{{"npm", "library", testPlatform, sum(lib)},
		{"github", "archive", testPlatform, sum([]byte("archive"))}}
	other := librarytest.Fake(librarytest.AMD64, "self-made")
	for _, tt := range []struct {
		name     string
		library  []byte
		record   map[string]any
		verified bool
		origin   string
	}{
		{"pinned", lib, map[string]any{"origin": "npm", "sha256": sum(lib)}, true, "npm"},
		{"pinned, without a record", lib, nil, true, ""},
		{"from a pinned archive", other, map[string]any{"origin": "github", "sha256": sum(other),
			"archive": sum([]byte("archive"))}, true, "github"},
		{"self-made record", other, map[string]any{"origin": "npm", "sha256": sum(other), "verified": true}, false, ""},
		{"record of another library", other, map[string]any{"origin": "npm", "sha256": sum(lib), "verified": true},
			false, ""},
		{"chosen by hand", other, map[string]any{"origin": "my.tgz", "sha256": sum(other)}, false, "my.tgz"},
		{"no record", other, nil, false, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			path := librarytest.Write(t, tt.library, dir, "libonnxruntime.so")
			if tt.record != nil {
				data, err := json.Marshal(tt.record)
				if err != nil {
					t.Fatal(err)
				}
				librarytest.Write(t, data, dir, recordName)
			}
			got, err := origin(ort.Library{Path: path}, pins)
			if err != nil || got.Verified != tt.verified || got.Origin != tt.origin || got.SHA256 != sum(tt.library) {
				t.Errorf("%+v (%v), want verified %v from %q", got, err, tt.verified, tt.origin)
			}
			if _, ok := present(dir, testPlatform, pins, false); ok != tt.verified {
				t.Errorf("set-up takes it as installed: %v", ok)
			}
		})
	}
	if _, err := Origin(ort.Library{Path: filepath.Join(t.TempDir(), "none.so")}); !os.IsNotExist(err) {
		t.Errorf("no library: %v", err)
	}
}
