// Package library knows ONNX Runtime's shared library as a file: for which platform
// and of which version it is, whether it is whole, and where the per-user cache
// keeps it. Nothing here loads it.
package library

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
)

// Version is the ONNX Runtime release that zoo installs, and the oldest one that its
// binding can use.
const Version = "1.29.0"

// Platform is an operating system and architecture in Go's words, "linux-amd64".
type Platform string

// Host is the platform of this program.
func Host() Platform { return Platform(runtime.GOOS + "-" + runtime.GOARCH) }

// OS is the operating system, in Go's words.
func (p Platform) OS() string {
	name, _, _ := strings.Cut(string(p), "-")
	return name
}

// Names lists the file names under which the library is installed, the
// one that installing writes first.
func (p Platform) Names() []string {
	switch p.OS() {
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

// IsCore reports whether a file of that name is the library itself.
func IsCore(name string) bool { return coreName.MatchString(name) }

// IsProvider reports whether a file of that name is one of the execution providers,
// which lie next to the library and are loaded by it.
func IsProvider(name string) bool { return providerName.MatchString(name) }

// HeaderSize is how much of a file PlatformOf has to see.
const HeaderSize = 1024

// PlatformOf tells from the first bytes of a file for which platform it is a
// shared library, or "" when it is none that we know.
func PlatformOf(head []byte) Platform {
	le := binary.LittleEndian
	switch {
	case len(head) >= 20 && bytes.HasPrefix(head, []byte("\x7fELF\x02\x01")):
		if le.Uint16(head[16:]) == elfShared {
			return archOf("linux", le.Uint16(head[18:]), 62, 183)
		}
	case len(head) >= 16 && le.Uint32(head) == machoMagic:
		if le.Uint32(head[12:]) == machoShared {
			return archOf("darwin", le.Uint32(head[4:]), 0x01000007, 0x0100000c)
		}
	case len(head) >= 0x40 && bytes.HasPrefix(head, []byte("MZ")):
		pe := uint64(le.Uint32(head[0x3c:]))
		const isDLL = 0x2000
		if pe+24 <= uint64(len(head)) && bytes.HasPrefix(head[pe:], []byte("PE\x00\x00")) &&
			le.Uint16(head[pe+22:])&isDLL != 0 {
			return archOf("windows", le.Uint16(head[pe+4:]), 0x8664, 0xaa64)
		}
	}
	return ""
}

func archOf[T comparable](goos string, machine, amd64, arm64 T) Platform {
	switch machine {
	case amd64:
		return Platform(goos + "-amd64")
	case arm64:
		return Platform(goos + "-arm64")
	}
	return ""
}

// Check reports why the file cannot be the ONNX Runtime library of
// platform p, and the version it carries ("" when that cannot be read without
// loading it).
func Check(path string, p Platform) (version string, err error) {
	info, err := os.Stat(path) // first: opening a pipe would wait
	if err != nil {
		return "", err
	}
	if info.IsDir() {
		return "", fmt.Errorf("%s is a folder; name the library file in it (%s)", path, strings.Join(p.Names(), ", "))
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	head := make([]byte, HeaderSize)
	n, _ := f.ReadAt(head, 0)
	switch got := PlatformOf(head[:n]); got {
	case p:
	case "":
		return "", fmt.Errorf("%s is not a shared library of this platform (%s)", path, p)
	default:
		return "", fmt.Errorf("%s is a library for %s, this platform is %s", path, got, p)
	}
	if err := checkWhole(f, info.Size(), p); err != nil {
		return "", fmt.Errorf("%s is %w", path, err)
	}
	version = VersionOf(path, p)
	if version != "" && olderThan(version, Version) {
		return version, fmt.Errorf("%s is ONNX Runtime %s, needed is %s or newer", path, version, Version)
	}
	return version, nil
}

// olderThan compares dotted versions number by number.
func olderThan(a, b string) bool {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := range max(len(x), len(y)) {
		if m, n := number(x, i), number(y, i); m != n {
			return m < n
		}
	}
	return false
}

func number(v []string, i int) int {
	if i >= len(v) {
		return 0
	}
	n, _ := strconv.Atoi(v[i])
	return n
}

// CacheFolder is where the library of this version lives under the cache root
// (os.UserCacheDir when root is ""); a build for CUDA has its own folder, so that
// either can be installed without touching the other.
func CacheFolder(root string, p Platform, cuda bool) (string, error) {
	if root == "" {
		dir, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("ort: no per-user cache folder: %w", err)
		}
		root = dir
	}
	name := string(p)
	if cuda {
		name += "-cuda"
	}
	return filepath.Join(root, "zoo", "onnxruntime", Version, name), nil
}
