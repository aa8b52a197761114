package runtime_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/runtime"
)

// TestOpenFolder: a folder stands for the model file in it.
func TestOpenFolder(t *testing.T) {
	model := build(t, spec{encoding: "nope"})
	for _, place := range []string{"model.onnx", "onnx/model.onnx", "other.onnx"} {
		dir := t.TempDir()
		file := filepath.Join(dir, filepath.FromSlash(place))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, model, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := runtime.Open(dir, runtime.Options{Provider: "go"})
		if place == "other.onnx" {
			if err == nil || !strings.Contains(err.Error(), dir+" is a folder without model.onnx and onnx/model.onnx; zoo.Open opens runs and folders of weights") {
				t.Errorf("%s: %v", place, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", place, err)
			continue
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
