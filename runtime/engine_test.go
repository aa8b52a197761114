package runtime_test

import (
	"errors"
	"path/filepath"
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

// What opening lacks is known without a model.
func TestCheck(t *testing.T) {
	for _, tc := range []struct {
		opt  runtime.Options
		want string
	}{
		{runtime.Options{Provider: "tpu"}, `unknown provider "tpu"`},
		{runtime.Options{Threads: -1}, "threads is -1"},
		{runtime.Options{Provider: "go", Library: "x.so"}, "uses no ONNX Runtime library"},
	} {
		if err := runtime.Check(tc.opt); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("error %v, want %s", err, tc.want)
		}
	}
	err := runtime.Check(runtime.Options{Library: filepath.Join(t.TempDir(), "none.so")})
	if !errors.Is(err, runtime.ErrNoRuntime) && !errors.Is(err, runtime.ErrNoCgo) {
		t.Errorf("a library that is not there: %v", err)
	}
	if err := runtime.Check(runtime.Options{Provider: "go"}); err != nil {
		t.Errorf("pure Go: %v", err)
	}
	runtime.WithoutEngines(func() {
		if err := runtime.Check(runtime.Options{}); err == nil || !strings.Contains(err.Error(), "links no engine") {
			t.Errorf("no engine: %v", err)
		}
	})
}
