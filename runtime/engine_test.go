package runtime_test

import (
	"strings"
	"testing"

	"github.com/nopezoo/zoo/runtime"
	_ "github.com/nopezoo/zoo/runtime/ort"
)

// TestNoEngine: a program that links none is told what to import, for the provider
// that it asks for.
func TestNoEngine(t *testing.T) {
	const ort, native = `import _ "github.com/nopezoo/zoo/runtime/ort"`, `import _ "github.com/nopezoo/zoo/runtime/native"`
	for provider, want := range map[string][]string{"": {ort, native}, "cpu": {ort}, "cuda": {ort}, "go": {native}} {
		runtime.WithoutEngines(func() {
			_, err := runtime.OpenBytes(build(t, spec{encoding: "nope"}), runtime.Options{Provider: provider})
			for _, line := range want {
				if err == nil || !strings.Contains(err.Error(), line) {
					t.Errorf("provider %q: error is %v, want it to contain %s", provider, err, line)
				}
			}
		})
	}
}

func TestRegisterTwice(t *testing.T) {
	defer func() {
		if p := recover(); p == nil || !strings.Contains(p.(string), "onnxruntime and mine both serve provider cuda") {
			t.Errorf("it panicked with %v", p)
		}
	}()
	runtime.Register(runtime.Engine{Name: "mine", Providers: []string{"cuda"}})
}
