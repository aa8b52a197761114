package ort

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// hostLibrary is a file that looks like a library of this machine, "" where the
// test cannot make one.
func hostLibrary(t testing.TB) []byte {
	switch hostPlatform() {
	case "linux-amd64":
		return fakeLibrary(machineAMD64, "host")
	case "linux-arm64":
		return fakeLibrary(machineARM64, "host")
	}
	t.Skip("the stand-in library is for Linux")
	return nil
}

// emptyCache points the per-user cache at an empty folder and unsets ZOO_ORT_LIB.
func emptyCache(t *testing.T) string {
	dir := t.TempDir()
	t.Setenv(EnvLibrary, "")
	t.Setenv("HOME", dir)
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, ".cache"))
	return dir
}

func TestFindOrder(t *testing.T) {
	lib := hostLibrary(t)
	emptyCache(t)
	option, env := write(t, lib, t.TempDir(), "a.so"), write(t, lib, t.TempDir(), "b.so")
	folder, err := cacheFolder("", hostPlatform(), "")
	if err != nil {
		t.Fatal(err)
	}
	cached := write(t, lib, folder, "libonnxruntime.so")
	check := func(explicit, path string, rule Rule) {
		t.Helper()
		got, err := Find(explicit)
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
	cudaFolder, err := cacheFolder("", hostPlatform(), "cuda")
	if err != nil {
		t.Fatal(err)
	}
	check("", cached, FromCache)
	check("", write(t, lib, cudaFolder, "libonnxruntime.so"), FromCache)
}

func TestFindNeverSkipsWhatWasAskedFor(t *testing.T) {
	lib := hostLibrary(t)
	emptyCache(t)
	folder, err := cacheFolder("", hostPlatform(), "")
	if err != nil {
		t.Fatal(err)
	}
	write(t, lib, folder, "libonnxruntime.so") // it would be found otherwise
	foreign := uint16(machineAMD64)
	if binary.LittleEndian.Uint16(lib[18:]) == foreign {
		foreign = machineARM64
	}
	dir := t.TempDir()
	tests := []struct{ name, path, want string }{
		{"missing", filepath.Join(dir, "none.so"), "none.so"},
		{"folder", dir, "is a folder; name the library file in it"},
		{"device", os.DevNull, "is not a regular file"},
		{"text", write(t, []byte("hello"), dir, "text.so"), "is not a shared library of this platform"},
		{"other machine", write(t, fakeLibrary(foreign, ""), dir, "foreign.so"), "this platform is " + string(hostPlatform())},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Find(tt.path)
			wantError(t, err, tt.want, "given by option", "zoo setup")
			t.Setenv(EnvLibrary, tt.path)
			_, err = Find("")
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
	all := Candidates("")
	var parts []string
	for _, c := range all {
		if c.Err == nil {
			t.Skipf("this machine has %s", c.Path)
		}
		parts = append(parts, string(c.Source), c.Path)
	}
	_, err := Find("")
	wantError(t, err, append(parts, "zoo setup", Version+" or newer")...)
}

func TestCandidatesTellWhy(t *testing.T) {
	lib := hostLibrary(t)
	dir := t.TempDir()
	write(t, []byte("text"), dir, "libonnxruntime.so")
	if c := inFolder(dir, FromSystem, hostPlatform()); c.Err == nil || !strings.Contains(c.Err.Error(), "not a shared library") {
		t.Errorf("bad library: %+v", c)
	}
	good := write(t, lib, dir, "libonnxruntime.so.1")
	if c := inFolder(dir, FromSystem, hostPlatform()); c.Err != nil || c.Path != good {
		t.Errorf("a usable library beside a bad one: %+v", c)
	}
	if c := inFolder(t.TempDir(), FromSystem, hostPlatform()); !errors.Is(c.Err, os.ErrNotExist) {
		t.Errorf("empty folder: %+v", c)
	}
}

func TestOlderThan(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"1.17.1", "1.29.0", true}, {"1.29.0", "1.29.0", false}, {"1.30", "1.29.0", false},
		{"1.9.0", "1.29.0", true}, {"2.0.0", "1.29.0", false}, {"1.29", "1.29.0", false}, {"1.29", "1.29.1", true},
	} {
		if got := olderThan(tt.a, tt.b); got != tt.want {
			t.Errorf("olderThan(%s, %s) is %v", tt.a, tt.b, got)
		}
	}
}

func TestFilePlatform(t *testing.T) {
	macho := func(cpu, kind uint32) []byte {
		var b []byte
		for _, v := range []uint32{0xfeedfacf, cpu, 0, kind} {
			b = binary.LittleEndian.AppendUint32(b, v)
		}
		return b
	}
	pe := func(machine, flags uint16) []byte {
		b := make([]byte, 0x98)
		copy(b, "MZ")
		b[0x3c] = 0x80
		copy(b[0x80:], "PE\x00\x00")
		binary.LittleEndian.PutUint16(b[0x84:], machine)
		binary.LittleEndian.PutUint16(b[0x96:], flags)
		return b
	}
	elfProgram := fakeLibrary(machineAMD64, "")
	elfProgram[16] = 2
	for _, tt := range []struct {
		name string
		head []byte
		want platform
	}{
		{"elf amd64", fakeLibrary(machineAMD64, ""), "linux-amd64"},
		{"elf arm64", fakeLibrary(machineARM64, ""), "linux-arm64"},
		{"elf of another machine", fakeLibrary(243, ""), ""},
		{"elf program", elfProgram, ""},
		{"elf cut short", fakeLibrary(machineAMD64, "")[:18], ""},
		{"mach-o", macho(0x0100000c, 6), "darwin-arm64"},
		{"mach-o debug symbols", macho(0x0100000c, 10), ""},
		{"pe", pe(0x8664, 0x2022), "windows-amd64"},
		{"pe arm64", pe(0xaa64, 0x2022), "windows-arm64"},
		{"pe program", pe(0x8664, 0x22), ""},
		{"pe cut short", pe(0x8664, 0x2022)[:0x90], ""},
		{"empty", nil, ""},
	} {
		if got := filePlatform(tt.head); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
