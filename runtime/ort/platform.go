package ort

import (
	"bytes"
	"debug/elf"
	"debug/macho"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"

	"github.com/nopezoo/zoo/graph/tensor"
)

// platform is an operating system and architecture in Go's words, "linux-amd64".
type platform string

func hostPlatform() platform { return platform(runtime.GOOS + "-" + runtime.GOARCH) }

func (p platform) os() string {
	name, _, _ := strings.Cut(string(p), "-")
	return name
}

// libraryNames lists the file names under which the library is installed, the
// one that Setup writes first.
func (p platform) libraryNames() []string {
	switch p.os() {
	case "windows":
		return []string{"onnxruntime.dll"}
	case "darwin", "ios":
		return []string{"libonnxruntime.dylib", "libonnxruntime." + Version + ".dylib", "libonnxruntime.1.dylib"}
	default:
		return []string{"libonnxruntime.so", "libonnxruntime.so." + Version, "libonnxruntime.so.1"}
	}
}

var (
	coreName     = regexp.MustCompile(`^(libonnxruntime\.so(\.\d+)*|libonnxruntime(\.\d+)*\.dylib|onnxruntime\.dll)$`)
	providerName = regexp.MustCompile(`^(libonnxruntime_providers_\w+\.(so|dylib)|onnxruntime_providers_\w+\.dll)$`)
)

// headerSize is how much of a file filePlatform has to see.
const headerSize = 1024

// filePlatform tells from the first bytes of a file for which platform it is a
// shared library, or "" when it is none that we know.
func filePlatform(head []byte) platform {
	le := binary.LittleEndian
	switch {
	case len(head) >= 20 && bytes.HasPrefix(head, []byte("\x7fELF\x02\x01")):
		if elf.Type(le.Uint16(head[16:])) == elf.ET_DYN {
			return archOf("linux", le.Uint16(head[18:]), uint16(elf.EM_X86_64), uint16(elf.EM_AARCH64))
		}
	case len(head) >= 16 && le.Uint32(head) == macho.Magic64:
		if macho.Type(le.Uint32(head[12:])) == macho.TypeDylib {
			return archOf("darwin", macho.Cpu(le.Uint32(head[4:])), macho.CpuAmd64, macho.CpuArm64)
		}
	case len(head) >= 0x40 && bytes.HasPrefix(head, []byte("MZ")):
		pe := uint64(le.Uint32(head[0x3c:]))
		const isDLL = 0x2000
		if pe+24 <= uint64(len(head)) && bytes.HasPrefix(head[pe:], []byte("PE\x00\x00")) && le.Uint16(head[pe+22:])&isDLL != 0 {
			return archOf("windows", le.Uint16(head[pe+4:]), 0x8664, 0xaa64)
		}
	}
	return ""
}

func archOf[T comparable](goos string, machine, amd64, arm64 T) platform {
	switch machine {
	case amd64:
		return platform(goos + "-amd64")
	case arm64:
		return platform(goos + "-arm64")
	}
	return ""
}

// checkLibraryFile reports why the file cannot be the ONNX Runtime library of
// platform p, and the version it carries ("" when that cannot be read without
// loading it).
func checkLibraryFile(path string, p platform) (version string, err error) {
	info, err := os.Stat(path) // first: opening a pipe would wait
	if err != nil {
		return "", err
	}
	if info.IsDir() {
		return "", fmt.Errorf("%s is a folder; name the library file in it (%s)", path, strings.Join(p.libraryNames(), ", "))
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	switch got := filePlatform(firstBytes(f, headerSize)); got {
	case p:
	case "":
		return "", fmt.Errorf("%s is not a shared library of this platform (%s)", path, p)
	default:
		return "", fmt.Errorf("%s is a library for %s, this platform is %s", path, got, p)
	}
	if err := checkWhole(f, info.Size(), p); err != nil {
		return "", fmt.Errorf("%s is %w", path, err)
	}
	version = fileVersion(path, p)
	if version != "" && olderThan(version, Version) {
		return version, fmt.Errorf("%s is ONNX Runtime %s, needed is %s or newer", path, version, Version)
	}
	return version, nil
}

// fileVersion reads the ONNX Runtime version out of a library file without
// loading it: from the ELF version definition VERS_x.y.z, the Mach-O library
// identity or the Windows version resource. It returns "" when there is none.
func fileVersion(path string, p platform) string {
	switch p.os() {
	case "windows":
		return peVersion(path)
	case "darwin", "ios":
		return machoVersion(path)
	default:
		return elfVersion(path)
	}
}

func elfVersion(path string) string {
	f, err := elf.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	defs, err := f.DynamicVersions()
	if err != nil {
		return ""
	}
	for _, d := range defs {
		if v, ok := strings.CutPrefix(d.Name, "VERS_"); ok {
			return v
		}
	}
	return ""
}

func machoVersion(path string) string {
	f, err := macho.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	const loadIDDylib = 0xd // <mach-o/loader.h>: cmd, size, name, timestamp, current version
	for _, l := range f.Loads {
		if raw := l.Raw(); len(raw) >= 20 && f.ByteOrder.Uint32(raw) == loadIDDylib {
			v := f.ByteOrder.Uint32(raw[16:])
			return fmt.Sprintf("%d.%d.%d", v>>16, v>>8&0xff, v&0xff)
		}
	}
	return ""
}

func peVersion(path string) string {
	const maxDLL = 1 << 30
	data, err := tensor.ReadRegular(path, maxDLL)
	if err != nil {
		return ""
	}
	// VS_FIXEDFILEINFO: signature 0xFEEF04BD, structure version 1.0, then the
	// file version as two 32-bit words.
	i := bytes.Index(data, []byte("\xbd\x04\xef\xfe\x00\x00\x01\x00"))
	if i < 0 || i+16 > len(data) {
		return ""
	}
	ms, ls := binary.LittleEndian.Uint32(data[i+8:]), binary.LittleEndian.Uint32(data[i+12:])
	return fmt.Sprintf("%d.%d.%d", ms>>16, ms&0xffff, ls>>16)
}

// olderThan compares dotted versions number by number.
func olderThan(a, b string) bool {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := range max(len(x), len(y)) {
		if m, n := part(x, i), part(y, i); m != n {
			return m < n
		}
	}
	return false
}

func part(v []string, i int) int {
	if i >= len(v) {
		return 0
	}
	n, _ := strconv.Atoi(v[i])
	return n
}

// cacheFolder is where the library of this version lives under the cache root
// (os.UserCacheDir when root is ""); provider "cuda" has its own folder, so
// that either can be installed without touching the other.
func cacheFolder(root string, p platform, provider string) (string, error) {
	if root == "" {
		dir, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("ort: no per-user cache folder: %w", err)
		}
		root = dir
	}
	name := string(p)
	if provider == providerCUDA {
		name += "-" + providerCUDA
	}
	return filepath.Join(root, "zoo", "onnxruntime", Version, name), nil
}
