package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/runtime/engine"
)

// TestNoEngine: this program links no engine, and is told what to import for the provider that it asks for.
func TestNoEngine(t *testing.T) {
	const ort, native = `import _ "github.com/nopezoo/zoo/runtime/ort"`,
		`import _ "github.com/nopezoo/zoo/runtime/native"`
	for provider, want := range map[string][]string{"": {ort, native}, "cpu": {ort}, "cuda": {ort}, "go": {native}} {
		_, opened := runtime.OpenBytes(nil, runtime.Options{Provider: provider})
		for _, err := range []error{opened, runtime.Check(runtime.Options{Provider: provider})} {
			for _, line := range want {
				if !errors.Is(err, runtime.ErrNoProvider) || errors.Is(err, runtime.ErrOptions) || !strings.Contains(err.Error(), line) {
					t.Errorf("provider %q: error is %v, want it to contain %s", provider, err, line)
				}
			}
		}
	}
	_, err := engine.Find("tpu")
	if !errors.Is(err, engine.ErrOptions) || errors.Is(err, engine.ErrNoProvider) || err.Error() != `unknown provider "tpu", known are cpu, cuda, go, webgpu` {
		t.Error(err)
	}
}

func TestRegister(t *testing.T) {
	engine.Register(engine.Engine{Name: "mine", Providers: []string{"mine", "its-other"}})
	for _, provider := range []string{"mine", "its-other"} {
		if e, err := engine.Find(provider); err != nil || e.Name != "mine" {
			t.Errorf("%s: %+v, %v", provider, e, err)
		}
	}
	defer func() {
		if p := recover(); p == nil || !strings.Contains(p.(string), "mine and another both serve provider its-other") {
			t.Errorf("it panicked with %v", p)
		}
	}()
	engine.Register(engine.Engine{Name: "another", Providers: []string{"its-other"}})
}

// TestGuard: what another goroutine recovered is told as it was there, and causes are found.
func TestGuard(t *testing.T) {
	panicking := func(with any) error { return engine.Guard(func() error { panic(with) }) }
	first := panicking(context.Canceled)
	if second := panicking(first); second != first || !errors.Is(second, context.Canceled) || !errors.Is(second, engine.ErrPanic) {
		t.Errorf("%v, %v", first, second)
	}
	if err := panicking(7); errors.Unwrap(err) != nil || !strings.HasPrefix(err.Error(), "panic: 7\n\ngoroutine ") {
		t.Error(err)
	}
	if err := engine.Guard(func() error { return context.Canceled }); err != context.Canceled || errors.Is(err, engine.ErrPanic) {
		t.Error(err)
	}
}
