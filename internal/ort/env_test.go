package ort_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/internal/ort"
	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/runtime/engine"
)

// inChild runs the body in a process of its own, since the ONNX Runtime
// environment is the whole process's.
func inChild(t *testing.T, body func(t *testing.T)) {
	t.Helper()
	const marker = "ZOO_ORT_TEST_CHILD"
	if os.Getenv(marker) == t.Name() {
		body(t)
		return
	}
	cmd := exec.Command(os.Args[0], "-test.v", "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), marker+"="+t.Name())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	} else if text := string(out); strings.Contains(text, "--- SKIP") {
		t.Skip(text)
	}
}

// compile builds a shared library from C source.
func compile(t *testing.T, source string, flags ...string) string {
	t.Helper()
	if !ort.Linked {
		t.Skip(ort.ErrNoCgo)
	}
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("needs a C compiler: ", err)
	}
	dir := t.TempDir()
	c, lib := filepath.Join(dir, "fake.c"), filepath.Join(dir, "libonnxruntime.so")
	if err := os.WriteFile(c, []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(cc, append(flags, "-shared", "-fPIC", "-o", lib, c)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return lib
}

const tooOld = `
typedef struct { const void *(*GetApi)(unsigned); const char *(*GetVersionString)(void); } Base;
static const void *get(unsigned version) { return 0; }
static const char *version(void) { return "1.17.1"; }
static const Base base = { get, version };
const Base *OrtGetApiBase(void) { return &base; }
`

func TestTooOldLibrary(t *testing.T) {
	inChild(t, func(t *testing.T) {
		lib := compile(t, tooOld)
		_, err := ort.New(addModel(), ort.Options{Library: lib})
		wantRuntimeError(t, err, lib, "is too old", "of unknown version", ort.Version, "zoo setup")

		// The process is not spoilt by the attempt.
		s := open(t, addModel(), ort.Options{})
		x := tensor.New(tensor.Float32, 1, 3)
		if _, err := s.Run(t.Context(), map[string]*tensor.Tensor{"x": x, "y": x}); err != nil {
			t.Error(err)
		}
	})
}

func TestTooOldLibraryThatSaysSo(t *testing.T) {
	if goruntime.GOOS != "linux" {
		t.Skip("version definitions are an ELF matter")
	}
	script := filepath.Join(t.TempDir(), "versions")
	if err := os.WriteFile(script, []byte("VERS_1.17.1 { global: OrtGetApiBase; local: *; };"), 0o644); err != nil {
		t.Fatal(err)
	}
	lib := compile(t, tooOld, "-Wl,--version-script="+script)
	_, err := ort.New(addModel(), ort.Options{Library: lib})
	wantRuntimeError(t, err, lib, "is ONNX Runtime 1.17.1, needed is "+ort.Version+" or newer", "zoo setup")
	if c := ort.Candidates(engine.CPU, lib); len(c) != 1 || c[0].Version != "1.17.1" {
		t.Errorf("candidates: %+v", c)
	}
}

func TestNotOnnxRuntime(t *testing.T) {
	inChild(t, func(t *testing.T) {
		lib := compile(t, "int answer(void) { return 42; }")
		_, err := ort.New(addModel(), ort.Options{Library: lib})
		wantRuntimeError(t, err, lib, "cannot load", "OrtGetApiBase", "zoo setup")
	})
}

func wantRuntimeError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if !errors.Is(err, ort.ErrNoRuntime) {
		t.Fatalf("error %v is not ErrNoRuntime", err)
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("error %q does not say %q", err, p)
		}
	}
}

func TestEnvironmentIsShared(t *testing.T) {
	inChild(t, func(t *testing.T) {
		library := orttest.Require(t)
		if _, err := ort.NewValue(tensor.New(tensor.Float32, 1, 3)); err == nil ||
			!strings.Contains(err.Error(), "open a session first") {
			t.Errorf("value before any session: %v", err)
		}
		a, err := ort.New(addModel(), ort.Options{Library: library})
		if err != nil {
			t.Fatal(err)
		}
		other := compile(t, tooOld)
		if _, err := ort.New(addModel(), ort.Options{Library: other}); err == nil ||
			!strings.Contains(err.Error(), other+" was asked for, but "+library+" is in use") {
			t.Errorf("another library: %v", err)
		}
		link := filepath.Join(t.TempDir(), "link.so")
		if err := os.Symlink(library, link); err != nil {
			t.Fatal(err)
		}
		b, err := ort.New(addModel(), ort.Options{Library: link})
		if err != nil {
			t.Fatal("the same library under another name: ", err)
		}
		v, err := ort.NewValue(tensor.New(tensor.Float32, 1, 3))
		if err != nil {
			t.Fatal(err)
		}
		for i, last := range []interface{ Close() error }{a, b, v} {
			if !ort.Started() {
				t.Fatalf("the environment ended before user %d", i)
			}
			if err := last.Close(); err != nil {
				t.Error(err)
			}
		}
		if ort.Started() {
			t.Error("the environment outlives its last user")
		}
	})
}

// TestForgottenValues: values nobody closed are cleaned up, and with the last
// of them the environment goes.
func TestForgottenValues(t *testing.T) {
	inChild(t, func(t *testing.T) {
		s, err := ort.New(addModel(), ort.Options{Library: orttest.Require(t)})
		if err != nil {
			t.Fatal(err)
		}
		for range 100 {
			if _, err := ort.NewValue(tensor.New(tensor.Float32, 1, 3)); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		for { // the test's deadline bounds this
			v, err := ort.NewValue(tensor.New(tensor.Float32, 1, 3))
			if err != nil {
				break // the environment has gone; asking the binding would be a race
			}
			if err := v.Close(); err != nil {
				t.Fatal(err)
			}
			goruntime.GC()
		}
	})
}

func TestProbe(t *testing.T) {
	lib, unusable, err := ort.Probe("cpu", orttest.Require(t))
	if err != nil {
		t.Fatal(err)
	}
	if unusable != nil || lib.Version == "" {
		t.Errorf("library %+v, cpu: %v", lib, unusable)
	}
}

// ONNX Runtime keeps no records about its user: nothing appears in the cache.
func TestNoTelemetry(t *testing.T) {
	lib := orttest.Require(t)
	inChild(t, func(t *testing.T) {
		cache := t.TempDir()
		t.Setenv("XDG_CACHE_HOME", cache)
		t.Setenv("HOME", cache)
		s, err := ort.New(addModel(), ort.Options{Library: lib})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		entries, err := os.ReadDir(cache)
		if err != nil || len(entries) > 0 {
			t.Errorf("the cache holds %v (%v)", entries, err)
		}
	})
}
