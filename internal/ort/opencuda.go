package ort

import (
	"errors"
	"fmt"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/internal/ort/library"
	"github.com/nopezoo/zoo/internal/wrap"
)

// CUDA says what the CUDA provider needs apart from ONNX Runtime, and what of it is here.
type CUDA struct {
	Version   string   // of CUDA that the provider is built for, "13"
	Places    []string // folders of the libraries of CUDA and cuDNN that it needs; the system's loader does not tell in which
	Missing   []string // names of the libraries that are nowhere or cannot be used
	Libraries error    // names what is missing of them and how to come by it; nil where nothing is
	Driver    error    // why NVIDIA's driver cannot be used; nil where it can
}

// cudaLibrary is a library of CUDA or cuDNN that the provider needs.
type cudaLibrary struct {
	name string
	path string // "" where the system's loader found it
	err  error  // why it cannot be used; errNotFound where none is there
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
	return wrap.Value(c, err, "ort")
}

// openCUDA opens what the provider next to a library needs, or says what is missing.
func openCUDA(lib Library) error {
	c, err := openCUDALibraries(filepath.Dir(lib.Path))
	if err != nil {
		return err
	}
	return c.err()
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
	complete := completePlace(places, names)
	libraries := lists.Map(names, func(name string) cudaLibrary { return openCUDALibrary(name, complete, places) })
	c.describe(libraries)
	return c, nil
}

// completePlace returns the first of the places that has all names.
func completePlace(places [][]string, names []string) []string {
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

func openCUDALibrary(name string, complete []string, places [][]string) cudaLibrary {
	if path := library.InPlace(complete, name); path != "" {
		_, err := openLibrary(path)
		return cudaLibrary{name, path, err}
	}
	_, err := openLibrary(name)
	if err == nil {
		return cudaLibrary{name: name}
	}
	for _, place := range places {
		if path := library.InPlace(place, name); path != "" {
			_, err := openLibrary(path)
			return cudaLibrary{name, path, err}
		}
	}
	if strings.HasPrefix(err.Error(), name+": cannot open") { // it, not one that it needs
		err = errNotFound
	}
	return cudaLibrary{name: name, err: err}
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

// describe says what the libraries are.
func (c *CUDA) describe(libraries []cudaLibrary) {
	var lacking []string
	for _, l := range libraries {
		place := "where the system's loader looks"
		if l.path != "" {
			place = filepath.Dir(l.path)
		}
		switch {
		case l.err == nil && !slices.Contains(c.Places, place):
			c.Places = append(c.Places, place)
		case l.err == nil:
		case errors.Is(l.err, errNotFound):
			c.Missing, lacking = append(c.Missing, l.name), append(lacking, l.name)
		default:
			c.Missing, lacking = append(c.Missing, l.name), append(lacking, fmt.Sprintf("%s (%v)", l.name, l.err))
		}
	}
	if len(lacking) > 0 {
		c.Libraries = fmt.Errorf("of CUDA %s and cuDNN these libraries are missing: %s; install both for the system, or run "+
			"zoo setup --provider cuda inside a Python environment that has them, or fetch them: %s",
			c.Version, strings.Join(lacking, ", "), fetchCUDA)
	}
}

// err names everything that is missing and how to come by it; nil where nothing is.
func (c CUDA) err() error {
	switch {
	case c.Driver == nil:
		return c.Libraries
	case c.Libraries == nil:
		return c.Driver
	}
	return fmt.Errorf("%w; and %w", c.Driver, c.Libraries)
}
