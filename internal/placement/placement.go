// Package placement says where runs are trained: by which provider, on which device. That is no part of what they are.
package placement

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/nopezoo/zoo/internal/ort"
	"github.com/nopezoo/zoo/internal/suggest"
	"github.com/nopezoo/zoo/runtime/engine"
)

// Key is the section of a sweep file.
const Key = "placement"

// Placement is the section, and flags of its names. What is "" is left open.
type Placement struct {
	Provider string
	Device   string // its number among the provider's
}

// Read reads the section of a sweep file, nil for none. Whether there is such a provider and device is not checked.
func Read(section any) (p Placement, err error) {
	keys, ok := section.(map[string]any)
	if !ok && section != nil {
		return p, fmt.Errorf("%s is %v: want a section, such as {provider: cuda, device: 1}", Key, section)
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		switch value := keys[key]; key {
		case "provider":
			if p.Provider, ok = value.(string); !ok || p.Provider == "" {
				return p, fmt.Errorf("%s.provider is %v: want a name, such as cuda", Key, value)
			}
		case "device":
			p.Device = fmt.Sprint(value)
		default:
			return p, fmt.Errorf("%s: %w", Key, suggest.Unknown("key", key, []string{"provider", "device"}))
		}
	}
	return p, nil
}

// Over returns what is given, with the rest from below.
func (p Placement) Over(below Placement) Placement {
	if p.Provider == "" {
		p.Provider = below.Provider
	}
	if p.Device == "" {
		p.Device = below.Device
	}
	return p
}

// Lister names the devices of a provider, as ort.Devices does.
type Lister func(provider string) ([]string, error)

// Options are those of a session that is to compute on the device. An unknown device is an error that begins with the key.
func (p Placement) Options(list Lister) (map[string]string, error) {
	if p.Device == "" {
		return nil, nil
	}
	n, err := strconv.Atoi(p.Device)
	if err != nil || n < 0 {
		return nil, fmt.Errorf("device %q: want a number, 0 or more", p.Device)
	}
	names, err := devices(p.Provider, list)
	if err == nil && names != nil && n >= len(names) {
		err = fmt.Errorf("provider %s has no such device here; there are: %s", p.Provider, numbered(names))
	}
	if err != nil {
		return nil, fmt.Errorf("device %d: %w", n, err)
	}
	if p.Provider == engine.CUDA {
		return map[string]string{ort.CUDADevice: strconv.Itoa(n)}, nil
	}
	return nil, nil // it is the one that the provider takes
}

// devices names those of a provider that can be chosen; nil where the system does not say.
func devices(provider string, list Lister) ([]string, error) {
	if !engine.OnDevice(provider) {
		return nil, fmt.Errorf("provider %s computes on none; leave it out, or choose provider cuda or webgpu", provider)
	}
	names, err := list(provider)
	switch {
	case errors.Is(err, ort.ErrNoNames) && provider == engine.WebGPU:
		return []string{"its own choice"}, nil
	case errors.Is(err, ort.ErrNoNames):
		return nil, nil
	case err == nil && provider == engine.WebGPU:
		names = names[:1] // the provider chooses
	}
	return names, err
}

func numbered(names []string) string {
	var out []string
	for i, name := range names {
		out = append(out, fmt.Sprintf("%d (%s)", i, name))
	}
	return strings.Join(out, ", ")
}
