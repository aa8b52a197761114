package ort

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/nopezoo/zoo/internal/wrap"
)

// env is the one ONNX Runtime environment that a process may have. Sessions and
// values hold it; the last one to go destroys it, unless the host program made it.
var env struct {
	mu     sync.Mutex
	users  int
	joined bool // the host program initialised it: never destroy it
	lib    Library
	api    *api // nil without users
}

// acquire starts the environment, or joins the running one, and returns the
// library it runs on and its functions. A running one is taken for any provider.
func acquire(provider, explicit string) (Library, *api, error) {
	if !linked {
		return Library{}, nil, ErrNoCgo
	}
	env.mu.Lock()
	defer env.mu.Unlock()
	if started() {
		if err := adopt(); err != nil {
			return Library{}, nil, err
		}
		if err := sameLibrary(explicit); err != nil {
			return Library{}, nil, errors.Join(err, settle())
		}
		env.users++
		return env.lib, env.api, nil
	}
	if env.users > 0 {
		return Library{}, nil, errors.New("ort: the host program destroyed the ONNX Runtime environment while " +
			"sessions were open; close them first")
	}
	lib, err := start(provider, explicit)
	if err != nil {
		return Library{}, nil, err
	}
	if env.api, err = loaded(lib.Version); err != nil {
		return Library{}, nil, errors.Join(err, unload())
	}
	if os.Getenv(disableTelemetry) == "1" {
		if err := env.api.do(disableTelemetryEvents, uintptr(env.api.env)); err != nil {
			env.api.close()
			return Library{}, nil, errors.Join(fmt.Errorf("ort: disable telemetry: %w", err), unload())
		}
	}
	env.users, env.joined, env.lib = 1, false, lib
	return lib, env.api, nil
}

// loaded returns the functions of the library that the binding has loaded.
func loaded(version string) (*api, error) {
	table := loadedTable(version)
	if table == 0 {
		return nil, fmt.Errorf("ort: ONNX Runtime %s is loaded, but its functions cannot be found", version)
	}
	a, err := newAPI(table)
	return wrap.Value(a, err, "ort")
}

// retain counts one more user of a running environment.
func retain() (*api, error) {
	if !linked {
		return nil, ErrNoCgo
	}
	env.mu.Lock()
	defer env.mu.Unlock()
	if !started() {
		return nil, errors.New("ort: ONNX Runtime is not loaded; open a session first")
	}
	if err := adopt(); err != nil {
		return nil, err
	}
	env.users++
	return env.api, nil
}

// adopt joins a running environment which nobody here uses: it is the host's.
func adopt() (err error) {
	if env.users > 0 {
		return nil
	}
	env.joined = true
	env.lib = Library{Source: FromHost, Version: loadedVersion()}
	env.api, err = loaded(env.lib.Version)
	return err
}

func release() error {
	env.mu.Lock()
	defer env.mu.Unlock()
	env.users--
	return settle()
}

// settle gives the environment back when nobody uses it any more.
func settle() error {
	if env.users > 0 || !started() {
		return nil
	}
	env.api.close()
	if env.joined {
		return nil
	}
	return unload()
}

// sameLibrary rejects a request for a library other than the one in use.
func sameLibrary(explicit string) error {
	if explicit == "" || explicit == env.lib.Path {
		return nil
	}
	if env.joined {
		return fmt.Errorf("ort: library %s was asked for, but the host program has already loaded ONNX Runtime %s "+
			"itself; name no library to use that one",
			explicit, env.lib.Version)
	}
	a, err := os.Stat(explicit)
	if err != nil {
		return fmt.Errorf("ort: %w given by %s: %w; %s", ErrNoRuntime, FromOption, err, remedyFor(FromOption))
	}
	if b, err := os.Stat(env.lib.Path); err != nil || !os.SameFile(a, b) {
		return fmt.Errorf("ort: library %s was asked for, but %s is in use; close every session before changing it",
			explicit, env.lib.Path)
	}
	return nil
}

const disableTelemetry = "ORT_DISABLE_TELEMETRY"

// start loads the library and makes an environment that does not write to
// standard error: all failures come back as errors.
func start(provider, explicit string) (Library, error) {
	lib, err := Find(provider, explicit)
	if err != nil {
		return Library{}, err
	}
	// A bare file name would make the system's loader search elsewhere.
	if lib.Path, err = filepath.Abs(lib.Path); err != nil {
		return Library{}, fmt.Errorf("ort: %w", err)
	}
	// Some official builds record events, with a device identifier, in the user's
	// cache and send them home unless this is set before they start; the call
	// below comes too late for that. Who wants it may set the variable to 0.
	if os.Getenv(disableTelemetry) == "" {
		if err := os.Setenv(disableTelemetry, "1"); err != nil {
			return Library{}, fmt.Errorf("ort: %w", err)
		}
	}
	if err := load(lib.Path); err != nil {
		return Library{}, loadError(lib, err)
	}
	lib.Version = loadedVersion()
	return lib, nil
}

// errTooOld reports a library that does not offer the functions of apiVersion.
var errTooOld = errors.New("it is too old")

// loadError names the library, its version and the remedy.
func loadError(lib Library, err error) error {
	version := "of unknown version"
	if lib.Version != "" {
		version = "version " + lib.Version
	}
	if errors.Is(err, errTooOld) {
		return fmt.Errorf("ort: %w: %s (%s, found by rule %q) is too old: it does not offer the API of %s; %s",
			ErrNoRuntime, lib.Path, version, lib.Source, Version, remedyFor(lib.Source))
	}
	return fmt.Errorf("ort: %w: cannot load %s (%s, found by rule %q; needed is %s or newer): %w; %s",
		ErrNoRuntime, lib.Path, version, lib.Source, Version, err, remedyFor(lib.Source))
}
