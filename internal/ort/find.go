package ort

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/nopezoo/zoo/internal/ort/library"
	"github.com/nopezoo/zoo/runtime/engine"
)

// The rules of the search, in Find's order; FromHost is a library that the host program had
// loaded itself before zoo needed one.
const (
	FromOption     = "option"
	FromEnv        = EnvLibrary
	FromCache      = "cache"
	FromExecutable = "beside the executable"
	FromSystem     = "system"
	FromHost       = "host program"
)

// Library is an ONNX Runtime shared library on disk.
type Library struct {
	Path    string `json:"path"`
	Source  string `json:"rule"`    // the rule that found it
	Version string `json:"version"` // read from the file; "" when it does not say
}

// candidate is one place where Find looks.
type candidate struct {
	Library
	Err error // why it is not usable; fs.ErrNotExist (wrapped) when nothing is there
}

// Find returns the library to load for a provider: the explicit path when it is not "", else
// the one that the environment variable ZOO_ORT_LIB names, else the first
// usable one in the per-user cache (for cuda the CUDA build, which is another and has no
// WebGPU, before the other one; else after it), beside the executable, and in the system's library
// folders. A path that was asked for and is not usable is an error,
// never skipped. When there is none, the error is a NotFoundError. The library
// is inspected, not loaded.
func Find(provider, explicit string) (Library, error) {
	all := Candidates(provider, explicit)
	for _, c := range all {
		if c.Err == nil {
			return c.Library, nil
		}
		if c.Source == FromOption || c.Source == FromEnv {
			return Library{}, fmt.Errorf("ort: %w given by %s: %w; %s", ErrNoRuntime, c.Source, c.Err, remedyFor(c.Source))
		}
	}
	return Library{}, engine.Mark(&NotFoundError{Provider: provider, Searched: all}, ErrNoRuntime)
}

// elsewhere says that the library in use is not the one for a provider, which is another; ""
// where it is, or there is none.
func elsewhere(provider string, used Library) string {
	own, err := Find(provider, "")
	if err != nil || own.Path == used.Path || used.Path == "" {
		return ""
	}
	return fmt.Sprintf("; this process has loaded %s, and %s is for provider %s: use that in a process of its own",
		used.Path, own.Path, provider)
}

// setupFor is the command that installs a library with a provider.
func setupFor(provider string) string {
	if provider == engine.CUDA {
		return "zoo setup --provider cuda"
	}
	return "zoo setup"
}

// remedyFor says how to come by a library where the one that a rule found is unusable:
// installing one does not help while another is asked for.
func remedyFor(rule string) string {
	if rule == FromOption || rule == FromEnv {
		return "name a usable library there, or none and run: zoo setup"
	}
	return "to install it, run: zoo setup"
}

// NotFoundError is the error for no usable library anywhere, where none was asked for. Find's is ErrNoRuntime.
type NotFoundError struct {
	Provider string      // that the library is for
	Searched []candidate // none of them is usable
}

// Error lists everything searched, a line each.
func (e *NotFoundError) Error() string {
	text := fmt.Sprintf("ort: %v (%s or newer); searched:", ErrNoRuntime, Version)
	for _, c := range e.Searched {
		if errors.Is(c.Err, fs.ErrNotExist) {
			text += fmt.Sprintf("\n  %s: %s: not there", c.Source, c.Path)
		} else {
			text += fmt.Sprintf("\n  %s: %v", c.Source, c.Err)
		}
	}
	return text + "\nto install it, run: " + setupFor(e.Provider)
}

// Candidates lists every place that Find looks at, in order, with what was
// found there; it never fails. An explicit path or ZOO_ORT_LIB ends the search,
// so then it is the only candidate.
func Candidates(provider, explicit string) []candidate {
	p := library.Host()
	if explicit != "" {
		return []candidate{inspect(explicit, FromOption, p)}
	}
	if path := os.Getenv(EnvLibrary); path != "" {
		return []candidate{inspect(path, FromEnv, p)}
	}
	var all []candidate
	for _, cuda := range []bool{provider == engine.CUDA, provider != engine.CUDA} {
		if dir, err := library.CacheFolder("", p, cuda); err != nil {
			all = append(all, candidate{Library: Library{Source: FromCache}, Err: err})
		} else {
			// Package install writes only this one name.
			all = append(all, inspect(filepath.Join(dir, p.Names()[0]), FromCache, p))
		}
	}
	if exe, err := os.Executable(); err == nil {
		all = append(all, inFolder(filepath.Dir(exe), FromExecutable, p))
	}
	for _, dir := range systemFolders(p) {
		all = append(all, inFolder(dir, FromSystem, p))
	}
	return all
}

func inspect(path string, rule string, p library.Platform) candidate {
	version, err := library.Check(path, p)
	return candidate{Library{Path: path, Source: rule, Version: version}, err}
}

// inFolder returns the first usable library of a folder, else the reason why
// the last one present is not, else a candidate that says none is there.
func inFolder(dir string, rule string, p library.Platform) candidate {
	names := p.Names()
	missing := candidate{
		Library{Path: filepath.Join(dir, names[0]), Source: rule},
		&fs.PathError{Op: "open", Path: filepath.Join(dir, strings.Join(names, "|")), Err: fs.ErrNotExist},
	}
	found := missing
	for _, name := range names {
		c := inspect(filepath.Join(dir, name), rule, p)
		if c.Err == nil {
			return c
		}
		if !errors.Is(c.Err, fs.ErrNotExist) {
			found = c
		}
	}
	return found
}

// systemFolders lists where package managers put shared libraries. Windows has
// none: its own System32 carries an old ONNX Runtime.
func systemFolders(p library.Platform) []string {
	switch p.OS() {
	case "windows":
		return nil
	case "darwin", "ios":
		return []string{"/opt/homebrew/lib", "/usr/local/lib"}
	default:
		dirs := []string{"/usr/local/lib", "/usr/lib64", "/usr/lib"}
		triplet := map[library.Platform]string{"linux-amd64": "x86_64-linux-gnu", "linux-arm64": "aarch64-linux-gnu"}[p]
		if triplet != "" {
			dirs = append(dirs, "/usr/lib/"+triplet)
		}
		return append(dirs, "/opt/onnxruntime/lib")
	}
}
