package library

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nopezoo/zoo/internal/ort/library/librarytest"
)

func TestNeeds(t *testing.T) {
	want := []string{"libcublasLt.so.13", "libc.so.6"}
	dir := t.TempDir()
	path := librarytest.Write(t, librarytest.Needing(librarytest.AMD64, want...), dir, "a.so")
	got, err := Needs(path, "linux-amd64")
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	none := librarytest.Write(t, librarytest.Fake(librarytest.AMD64, ""), dir, "none.so")
	if got, err := Needs(none, "linux-amd64"); err != nil || got != nil {
		t.Errorf("needs nothing: %v, %v", got, err)
	}
	short := librarytest.Write(t, librarytest.Fake(librarytest.AMD64, "")[:100], dir, "short.so")
	if _, err := Needs(short, "linux-amd64"); err == nil || !strings.Contains(err.Error(), short) {
		t.Errorf("cut short: %v", err)
	}
}

// TestNeedsOfThisProgram compares with the standard library, on a file that a linker made.
func TestNeedsOfThisProgram(t *testing.T) {
	f, err := elf.Open(os.Args[0])
	if err != nil {
		t.Skipf("this program is no ELF file: %v", err)
	}
	defer f.Close()
	want, err := f.ImportedLibraries()
	if err != nil {
		t.Fatal(err)
	}
	got, err := Needs(os.Args[0], "linux-amd64")
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
}

func TestNeedsPE(t *testing.T) {
	const at, table, section = 0x80, 0x80 + 24 + 128, 0x80 + 24 + 128 + 40
	b := make([]byte, section+200)
	put := func(at int, v uint32) { binary.LittleEndian.PutUint32(b[at:], v) }
	put(0x3c, at)
	binary.LittleEndian.PutUint16(b[at+6:], 1)    // sections
	binary.LittleEndian.PutUint16(b[at+20:], 128) // bytes of the optional header
	put(at+24+120, 0x5000)                        // the import table
	put(table+12, 0x5000)                         // where the section is loaded
	put(table+16, 200)
	put(table+20, section)
	put(section+12, 0x5000+60)
	put(section+20+12, 0x5000+80)
	copy(b[section+60:], "cublas64_13.dll\x00")
	copy(b[section+80:], "KERNEL32.dll\x00")
	path := librarytest.Write(t, b, t.TempDir(), "a.dll")
	got, err := Needs(path, "windows-amd64")
	if diff := cmp.Diff([]string{"cublas64_13.dll", "KERNEL32.dll"}, got); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	put(at+24+120, 0)
	if got, err := Needs(librarytest.Write(t, b, path), "windows-amd64"); err != nil || got != nil {
		t.Errorf("no import table: %v, %v", got, err)
	}
}

func TestCUDANeeds(t *testing.T) {
	for _, tt := range []struct {
		name    string
		needs   []string
		want    []string
		version string
	}{
		{"cuDNN opened late", []string{"libcublasLt.so.13", "libcublas.so.13", "libcuda.so.1", "libc.so.6"},
			[]string{"libcublasLt.so.13", "libcublas.so.13", "libnvrtc.so.13", "libcudnn.so.9"}, "13"},
		{"cuDNN linked", []string{"libcudnn.so.8", "libcublas.so.11", "libcufft.so.10"},
			[]string{"libcudnn.so.8", "libcublas.so.11", "libcufft.so.10"}, "11"},
		{"a provider of another kind", []string{"libc.so.6"}, nil, ""},
	} {
		dir := t.TempDir()
		librarytest.Write(t, librarytest.Needing(librarytest.AMD64, tt.needs...), dir, "libonnxruntime_providers_cuda.so")
		got, version, err := CUDANeeds(dir, "linux-amd64")
		if diff := cmp.Diff(tt.want, got); err != nil || diff != "" || version != tt.version {
			t.Errorf("%s: %v, version %q %s", tt.name, err, version, diff)
		}
	}
	if _, _, err := CUDANeeds(t.TempDir(), "linux-amd64"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no provider: %v", err)
	}
}

func TestCUDAPlaces(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	t.Setenv("LocalAppData", t.TempDir())
	cache, err := CacheFolder("", "linux-amd64", true)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := RecordPython(folder, []string{"/env/a", "/env/b"}); err != nil {
		t.Fatal(err)
	}
	system := []string{"/usr/local/cuda/lib64", "/opt/cuda/lib64"}
	check := func(want ...[]string) {
		t.Helper()
		got, err := CUDAPlaces(folder, "linux-amd64")
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v %s", err, diff)
		}
	}
	own, cached := []string{filepath.Join(folder, "cuda")}, []string{filepath.Join(cache, "cuda")}
	check(own, []string{"/env/a", "/env/b"}, cached, system)
	if err := os.Remove(filepath.Join(folder, "python.json")); err != nil {
		t.Fatal(err)
	}
	check(own, cached, system)
	librarytest.Write(t, []byte("{"), folder, "python.json")
	if _, err := CUDAPlaces(folder, "linux-amd64"); err == nil || !strings.Contains(err.Error(), "zoo setup") {
		t.Errorf("damaged record: %v", err)
	}
}
