//go:build linux

package ort

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/internal/ort/library/librarytest"
)

// TestOpenCUDA opens stand-ins of version 99, which no machine has, each in a process of
// its own: an open library stays open, and where the loader looks is settled at the start.
func TestOpenCUDA(t *testing.T) {
	if !linked {
		t.Skip(ErrNoCgo)
	}
	const caseVar, folderVar = "ZOO_ORT_TEST_CUDA", "ZOO_ORT_TEST_CUDA_FOLDER"
	if name := os.Getenv(caseVar); name != "" {
		openCUDACases[name].run(t, os.Getenv(folderVar))
		return
	}
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("needs a C compiler")
	}
	dir := t.TempDir()
	build := func(path, text string, flags ...string) {
		t.Helper()
		source := librarytest.Write(t, []byte(text), dir, "source.c")
		librarytest.Write(t, nil, path)
		args := append([]string{"-shared", "-fPIC", "-Wl,--no-as-needed", "-Wl,-soname," + filepath.Base(path), "-o", path,
			source}, flags...)
		if out, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	librarytest.Write(t, nil, dir, "system", "readme") // the loader forgets folders that are not there at the start
	const empty = "typedef int nothing;"
	whole := []string{"libcublas.so.99", "libnvrtc.so.99", "libcudnn.so.9"}
	for _, name := range whole {
		build(filepath.Join(dir, "cuda", name), empty)
	}
	for _, version := range []string{"99010", "98000"} {
		build(filepath.Join(dir, "driver"+version, "libcuda.so.1"),
			"int cuDriverGetVersion(int *v) { *v = "+version+"; return 0; }"+devicesInC)
	}
	build(filepath.Join(dir, "failing", "libcuda.so.1"), "int cuDriverGetVersion(int *v) { return 3; }")
	build(filepath.Join(dir, "libonnxruntime_providers_cuda.so"), empty, "-L"+filepath.Join(dir, "cuda"),
		"-L"+filepath.Join(dir, "driver99010"), "-l:libcublas.so.99", "-l:libcuda.so.1")

	for name, c := range openCUDACases {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			if err := os.CopyFS(folder, os.DirFS(dir)); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(os.Args[0], "-test.run=^TestOpenCUDA$", "-test.v")
			var look []string
			for _, sub := range c.look {
				look = append(look, filepath.Join(folder, sub))
			}
			cmd.Env = append(os.Environ(), caseVar+"="+name, folderVar+"="+folder,
				"LD_LIBRARY_PATH="+strings.Join(look, ":"), "XDG_CACHE_HOME="+filepath.Join(folder, "none"))
			if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// devicesInC are two cards, or as many as $CARDS, of which a context tells the memory.
const devicesInC = `
#include <stdio.h>
#include <stdlib.h>
static int current = -1, contexts[2] = {0, 1};
static int cards(void) { const char *n = getenv("CARDS"); return n ? atoi(n) : 2; }
int cuInit(unsigned flags) { return flags; }
int cuDeviceGetCount(int *n) { *n = cards(); return 0; }
int cuDeviceGet(int *device, int n) { if (n >= cards()) return 101; *device = n; return 0; }
int cuDeviceGetName(char *name, int room, int device) { snprintf(name, room, "card %d", device); return 0; }
int cuDevicePrimaryCtxRetain(void **c, int device) { *c = &contexts[device]; return 0; }
int cuDevicePrimaryCtxRelease_v2(int device) { return 0; }
int cuCtxPushCurrent_v2(void *c) { current = *(int *)c; return 0; }
int cuCtxPopCurrent_v2(void **c) { *c = &contexts[current]; current = -1; return 0; }
int cuMemGetInfo_v2(unsigned long *free, unsigned long *total) {
	if (current < 0) return 201;
	*free = (unsigned long)(5 + current) << 30;
	*total = 80UL << 30;
	return 0;
}`

// fails says what the error must name.
func fails(t *testing.T, err error, want ...string) {
	t.Helper()
	for _, w := range want {
		if err == nil || !strings.Contains(err.Error(), w) {
			t.Errorf("error is %v, want it to contain %q", err, w)
		}
	}
}

// openCUDACases are looked into with LD_LIBRARY_PATH at some of the folders.
var openCUDACases = map[string]struct {
	look []string
	run  func(t *testing.T, folder string)
}{
	"fetched": {[]string{"driver99010"}, func(t *testing.T, folder string) {
		provider := filepath.Join(folder, "libonnxruntime_providers_cuda.so")
		if _, err := openLibrary(provider); err == nil {
			t.Fatal("the provider is loaded without CUDA: this test shows nothing")
		}
		c, err := OpenCUDA(Library{Path: filepath.Join(folder, "libonnxruntime.so")})
		if err != nil || c.err() != nil || c.Version != "99" || len(c.Missing) != 0 {
			t.Fatalf("%+v, %v", c, err)
		}
		if got := c.Places; !slices.Equal(got, []string{filepath.Join(folder, "cuda")}) {
			t.Errorf("from %v", got)
		}
		if _, err := openLibrary(provider); err != nil {
			t.Error(err)
		}
	}},
	"the system's": {[]string{"driver99010", "system"}, func(t *testing.T, folder string) {
		for name, into := range map[string]string{"libcublas.so.99": "system", "libnvrtc.so.99": "system"} {
			move(t, filepath.Join(folder, "cuda", name), filepath.Join(folder, into, name))
		}
		c, err := OpenCUDA(Library{Path: filepath.Join(folder, "libonnxruntime.so")})
		if err != nil || c.err() != nil || len(c.Places) != 2 || !slices.Contains(c.Places, "where the system's loader looks") {
			t.Fatalf("%+v, %v", c, err)
		}
	}},
	"nothing": {nil, func(t *testing.T, folder string) {
		if err := os.RemoveAll(filepath.Join(folder, "cuda")); err != nil {
			t.Fatal(err)
		}
		c, err := OpenCUDA(Library{Path: filepath.Join(folder, "libonnxruntime.so")})
		if err != nil {
			t.Fatal(err)
		}
		fails(t, c.err(), "of CUDA 99 and cuDNN these libraries are missing: libcublas.so.99, libnvrtc.so.99",
			"zoo setup --provider cuda --with-cuda")
		if _, err := openLibrary("libcuda.so.1"); err != nil { // no card is in this machine
			fails(t, c.err(), "the NVIDIA driver cannot be used (libcuda.so.1: ", "install NVIDIA's driver for CUDA 99 or newer; and ")
		}
	}},
	"damaged": {[]string{"driver99010"}, func(t *testing.T, folder string) {
		librarytest.Write(t, []byte("text"), folder, "cuda", "libcublas.so.99")
		c, err := OpenCUDA(Library{Path: filepath.Join(folder, "libonnxruntime.so")})
		if err != nil {
			t.Fatal(err)
		}
		fails(t, c.err(), "missing: libcublas.so.99 (", "libcublas.so.99: ", "); install")
	}},
	"old driver": {[]string{"driver98000"}, func(t *testing.T, folder string) {
		c, err := OpenCUDA(Library{Path: filepath.Join(folder, "libonnxruntime.so")})
		if err != nil {
			t.Fatal(err)
		}
		fails(t, c.err(), "the NVIDIA driver runs CUDA up to 98.0, the provider is built for CUDA 99: install")
	}},
	"failing driver": {[]string{"failing"}, func(t *testing.T, folder string) {
		c, err := OpenCUDA(Library{Path: filepath.Join(folder, "libonnxruntime.so")})
		if err != nil {
			t.Fatal(err)
		}
		fails(t, c.err(), "libcuda.so.1: cuDriverGetVersion returns 3")
	}},
	"devices": {[]string{"driver99010"}, func(t *testing.T, _ string) {
		names, err := Devices("cuda")
		if err != nil || !slices.Equal(names, []string{"card 0", "card 1"}) {
			t.Errorf("devices %q, error %v", names, err)
		}
		for device, want := range []int64{5 << 30, 6 << 30} {
			if free, err := FreeMemory(device); err != nil || free != want {
				t.Errorf("device %d has %d bytes free, error %v; want %d", device, free, err, want)
			}
		}
		_, err = FreeMemory(2)
		fails(t, err, "the NVIDIA driver fails with error 101 of cuda.h (cuDeviceGet)")
	}},
	"no devices": {[]string{"driver98000"}, func(t *testing.T, _ string) {
		t.Setenv("CARDS", "0")
		_, err := Devices("cuda")
		fails(t, err, "the NVIDIA driver sees no device; CUDA_VISIBLE_DEVICES may hide them")
	}},
	"no provider": {nil, func(t *testing.T, folder string) {
		_, err := OpenCUDA(Library{Path: filepath.Join(folder, "elsewhere", "libonnxruntime.so")})
		fails(t, err, "libonnxruntime_providers_cuda.so")
	}},
}

func move(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	librarytest.Write(t, data, to)
	if err := os.Remove(from); err != nil {
		t.Fatal(err)
	}
}
