package ort

import (
	"errors"
	"fmt"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/nopezoo/zoo/runtime/ort/internal/library"
)

// CUDA says what the CUDA provider needs in addition to ONNX Runtime, and what of it is here.
type CUDA struct {
	Version   string        // of CUDA that the provider is built for, "13"
	Libraries []CUDALibrary // of CUDA and cuDNN
	Driver    error         // why NVIDIA's driver cannot be used; nil where it can
}

// CUDALibrary is a library of CUDA or cuDNN that the provider needs.
type CUDALibrary struct {
	Name string
	Path string // "" where the system's loader found it
	Err  error  // why it cannot be used; errNotFound where none is there
}

var errNotFound = errors.New("not found")

const fetchCUDA = "zoo setup --provider cuda --with-cuda"

// OpenCUDA opens the libraries that the CUDA provider next to an ONNX Runtime library
// needs, so that the system's loader, which takes an open library for any other of its
// name, has them when the provider is loaded: where it looks by itself cannot be
// changed in a running process. They stay open. A place of library.CUDAPlaces that
// has all of them is taken before what the system has, for libraries of one version
// fit each other; otherwise each comes from the system, or from the first place that
// has it.
func OpenCUDA(lib Library) (CUDA, error) {
	if !linked {
		return CUDA{}, ErrNoCgo
	}
	c, err := openCUDALibraries(filepath.Dir(lib.Path))
	if err != nil {
		return CUDA{}, fmt.Errorf("ort: %w", err)
	}
	return c, nil
}

// openCUDA opens what the provider next to a library needs, or says what is missing.
func openCUDA(lib Library) error {
	c, err := openCUDALibraries(filepath.Dir(lib.Path))
	if err != nil {
		return err
	}
	return c.Err()
}

func openCUDALibraries(folder string) (CUDA, error) {
	p := library.Host()
	names, version, err := library.CUDANeeds(folder, p)
	if err != nil {
		return CUDA{}, err
	}
	places, err := library.CUDAPlaces(folder, p)
	if err != nil {
		return CUDA{}, err
	}
	c := CUDA{Version: version, Driver: checkDriver(version, p)}
	whole := wholePlace(places, names)
	for _, name := range names {
		c.Libraries = append(c.Libraries, openCUDALibrary(name, whole, places))
	}
	return c, nil
}

// wholePlace returns the first of the places that has all names.
func wholePlace(places [][]string, names []string) []string {
	for _, place := range places {
		all := true
		for _, name := range names {
			all = all && library.InPlace(place, name) != ""
		}
		if all {
			return place
		}
	}
	return nil
}

func openCUDALibrary(name string, whole []string, places [][]string) CUDALibrary {
	if path := library.InPlace(whole, name); path != "" {
		_, err := openLibrary(path)
		return CUDALibrary{name, path, err}
	}
	_, err := openLibrary(name)
	if err == nil {
		return CUDALibrary{Name: name}
	}
	for _, place := range places {
		if path := library.InPlace(place, name); path != "" {
			_, err := openLibrary(path)
			return CUDALibrary{name, path, err}
		}
	}
	if strings.HasPrefix(err.Error(), name+": cannot open") { // it, not one that it needs
		err = errNotFound
	}
	return CUDALibrary{Name: name, Err: err}
}

// checkDriver asks the driver for the newest CUDA that it runs: 1000 times the major
// version and 10 times the minor (cuDriverGetVersion). A driver runs every version of
// the major that it knows and of those before.
func checkDriver(version string, p library.Platform) error {
	knows, err := driverVersion(p.CUDADriver())
	if err != nil {
		return noDriver(err, version)
	}
	if major, err := strconv.Atoi(version); err == nil && knows/1000 < major {
		return fmt.Errorf("the NVIDIA driver runs CUDA up to %d.%d, the provider is built for CUDA %s: %s",
			knows/1000, knows%1000/10, version, driverFor(version))
	}
	return nil
}

// driverVersion asks NVIDIA's driver, the library of that name.
func driverVersion(name string) (int, error) {
	driver, err := openLibrary(name)
	if err != nil {
		return 0, err
	}
	get, err := symbol(driver, "cuDriverGetVersion")
	if err != nil {
		return 0, fmt.Errorf("%s: cuDriverGetVersion: %w", name, err)
	}
	var pin goruntime.Pinner
	defer pin.Unpin()
	version := new(int32)
	pin.Pin(version)
	if code := int32(callC(get, address(version))); code != 0 {
		return 0, fmt.Errorf("%s: cuDriverGetVersion returns %d", name, code)
	}
	return int(*version), nil
}

func noDriver(err error, version string) error {
	return fmt.Errorf("the NVIDIA driver cannot be used (%w): %s", err, driverFor(version))
}

// driverFor is the remedy for a driver that is missing or too old for a version of CUDA, ""
// for any.
func driverFor(version string) string {
	remedy := "install NVIDIA's driver"
	if version != "" {
		remedy += " for CUDA " + version + " or newer"
	}
	return remedy
}

// Missing lists the names of the libraries that are nowhere or cannot be used.
func (c CUDA) Missing() []string {
	var names []string
	for _, l := range c.Libraries {
		if l.Err != nil {
			names = append(names, l.Name)
		}
	}
	return names
}

// Places lists the folders that the libraries were found in; the system's loader does
// not tell in which.
func (c CUDA) Places() []string {
	var places []string
	for _, l := range c.Libraries {
		place := "where the system's loader looks"
		if l.Path != "" {
			place = filepath.Dir(l.Path)
		}
		if l.Err == nil && !slices.Contains(places, place) {
			places = append(places, place)
		}
	}
	return places
}

// LibrariesErr names the libraries that are missing and how to come by them; nil where
// none is.
func (c CUDA) LibrariesErr() error {
	var all []string
	for _, l := range c.Libraries {
		switch {
		case l.Err == nil:
		case errors.Is(l.Err, errNotFound):
			all = append(all, l.Name)
		default:
			all = append(all, fmt.Sprintf("%s (%v)", l.Name, l.Err))
		}
	}
	if len(all) == 0 {
		return nil
	}
	return fmt.Errorf("of CUDA %s and cuDNN these libraries are missing: %s; install both for the system, or run "+
		"zoo setup --provider cuda inside a Python environment that has them, or fetch them: %s",
		c.Version, strings.Join(all, ", "), fetchCUDA)
}

// Err names everything that is missing and how to come by it; nil where nothing is.
func (c CUDA) Err() error {
	libraries := c.LibrariesErr()
	switch {
	case c.Driver == nil:
		return libraries
	case libraries == nil:
		return c.Driver
	}
	return fmt.Errorf("%w; and %w", c.Driver, libraries)
}
