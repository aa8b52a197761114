package ort

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/internal/ort/library"
	"github.com/nopezoo/zoo/internal/ort/library/librarytest"
	"github.com/nopezoo/zoo/runtime/engine"
)

// emptyCache points the per-user cache at an empty folder and unsets ZOO_ORT_LIB.
func emptyCache(t *testing.T) string {
	dir := t.TempDir()
	t.Setenv(EnvLibrary, "")
	t.Setenv("HOME", dir)
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, ".cache"))
	return dir
}

func TestFindOrder(t *testing.T) {
	lib := librarytest.Host(t)
	emptyCache(t)
	option, env := librarytest.Write(t, lib, t.TempDir(), "a.so"), librarytest.Write(t, lib, t.TempDir(), "b.so")
	folder, err := library.CacheFolder("", library.Host(), false)
	if err != nil {
		t.Fatal(err)
	}
	cached := librarytest.Write(t, lib, folder, "libonnxruntime.so")
	check := func(explicit, path string, rule string) {
		t.Helper()
		got, err := Find(engine.CPU, explicit)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(Library{Path: path, Source: rule}, got); diff != "" {
			t.Error(diff)
		}
	}
	check("", cached, FromCache)
	check(option, option, FromOption)
	t.Setenv(EnvLibrary, env)
	check("", env, FromEnv)
	check(option, option, FromOption)
	t.Setenv(EnvLibrary, "")
	cudaFolder, err := library.CacheFolder("", library.Host(), true)
	if err != nil {
		t.Fatal(err)
	}
	cuda := librarytest.Write(t, lib, cudaFolder, "libonnxruntime.so")
	check("", cached, FromCache)
	if got, err := Find("cuda", ""); err != nil || got.Path != cuda {
		t.Errorf("for cuda: %v, %v, want %s", got, err, cuda)
	}
	if err := os.Remove(cached); err != nil {
		t.Fatal(err)
	}
	check("", cuda, FromCache) // it serves the CPU too
}

func TestFindNeverSkipsWhatWasAskedFor(t *testing.T) {
	lib := librarytest.Host(t)
	emptyCache(t)
	folder, err := library.CacheFolder("", library.Host(), false)
	if err != nil {
		t.Fatal(err)
	}
	librarytest.Write(t, lib, folder, "libonnxruntime.so") // it would be found otherwise
	foreign := librarytest.AMD64
	if binary.LittleEndian.Uint16(lib[18:]) == foreign {
		foreign = librarytest.ARM64
	}
	dir := t.TempDir()
	tests := []struct{ name, path, want string }{
		{"missing", filepath.Join(dir, "none.so"), "none.so"},
		{"folder", dir, "is a folder; name the library file in it"},
		{"device", os.DevNull, "is not a regular file"},
		{"text", librarytest.Write(t, []byte("hello"), dir, "text.so"), "is not a shared library of this platform"},
		{"other machine", librarytest.Write(t, librarytest.Fake(foreign, ""), dir, "foreign.so"),
			"this platform is " + string(library.Host())},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Find(engine.CPU, tt.path)
			wantError(t, err, tt.want, "given by option", "zoo setup")
			t.Setenv(EnvLibrary, tt.path)
			_, err = Find(engine.CPU, "")
			wantError(t, err, tt.want, "given by ZOO_ORT_LIB", "zoo setup")
		})
	}
}

func wantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if !errors.Is(err, ErrNoRuntime) {
		t.Errorf("error %v is not ErrNoRuntime", err)
		return
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("error %q does not say %q", err, p)
		}
	}
}

func TestNotFoundListsEverything(t *testing.T) {
	emptyCache(t)
	all := Candidates(engine.CPU, "")
	var parts []string
	for _, c := range all {
		if c.Err == nil {
			t.Skipf("this machine has %s", c.Path)
		}
		parts = append(parts, string(c.Source), c.Path)
	}
	_, err := Find(engine.CPU, "")
	wantError(t, err, append(parts, "zoo setup", Version+" or newer")...)
}

func TestCandidatesTellWhy(t *testing.T) {
	lib := librarytest.Host(t)
	dir := t.TempDir()
	librarytest.Write(t, []byte("text"), dir, "libonnxruntime.so")
	if c := inFolder(dir, FromSystem, library.Host()); c.Err == nil ||
		!strings.Contains(c.Err.Error(), "not a shared library") {
		t.Errorf("bad library: %+v", c)
	}
	good := librarytest.Write(t, lib, dir, "libonnxruntime.so.1")
	if c := inFolder(dir, FromSystem, library.Host()); c.Err != nil || c.Path != good {
		t.Errorf("a usable library beside a bad one: %+v", c)
	}
	if c := inFolder(t.TempDir(), FromSystem, library.Host()); !errors.Is(c.Err, os.ErrNotExist) {
		t.Errorf("empty folder: %+v", c)
	}
}

// TestTruncatedLibrary: a library that ends too early is found out before it is
// loaded, at every byte where it may end.
func TestTruncatedLibrary(t *testing.T) {
	emptyCache(t)
	whole := librarytest.Host(t)
	path := filepath.Join(t.TempDir(), "libonnxruntime.so")
	for size := len(whole) - 1; size > 0; size-- {
		librarytest.Write(t, whole[:size], path)
		_, err := Find(engine.CPU, path)
		wantError(t, err, path, "zoo setup")
	}
	librarytest.Write(t, whole[:len(whole)-1], path)
	_, err := Find(engine.CPU, path)
	wantError(t, err, "is cut short")
	librarytest.Write(t, append(whole, "a signature, say"...), path)
	if _, err := Find(engine.CPU, path); err != nil {
		t.Errorf("more than the headers describe: %v", err)
	}
}

// TestTruncatedRealLibrary does it with the first part of the installed one, whose
// headers are real.
func TestTruncatedRealLibrary(t *testing.T) {
	lib, err := Find(engine.CPU, "")
	if err != nil {
		t.Skip("there is no ONNX Runtime library here")
	}
	f, err := os.Open(lib.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	start, err := io.ReadAll(io.LimitReader(f, 1<<16))
	if err != nil {
		t.Fatal(err)
	}
	_, err = Find(engine.CPU, librarytest.Write(t, start, t.TempDir(), filepath.Base(lib.Path)))
	wantError(t, err, "is cut short", "zoo setup")

	// The version is where the standard library finds it too.
	real, err := elf.NewFile(f)
	if err != nil {
		t.Skip(err)
	}
	versions, err := real.DynamicVersions()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(versions, func(v elf.DynamicVersion) bool { return v.Name == "VERS_"+lib.Version }) {
		t.Errorf("its version was read as %q, the file defines %v", lib.Version, versions)
	}
}

func TestRemedyOfProvider(t *testing.T) {
	for provider, command := range map[string]string{engine.CPU: "run: zoo setup", engine.CUDA: "run: zoo setup --provider cuda"} {
		if err := error(&NotFoundError{Provider: provider}); !strings.HasSuffix(err.Error(), command) {
			t.Errorf("provider %s: error %q does not end with %q", provider, err, command)
		}
	}
}
