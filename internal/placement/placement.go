// Package placement says where runs are trained: by which provider, on which device. That is no part of what they are.
package placement

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/internal/ort"
	"github.com/nopezoo/zoo/internal/suggest"
	"github.com/nopezoo/zoo/internal/wrap"
	"github.com/nopezoo/zoo/runtime/engine"
)

// Key is the section of a sweep file.
const Key = "placement"

// Placement is the section, and flags of its names. What is "" or 0 is left open.
type Placement struct {
	Provider      string `json:"provider"`
	Device        string `json:"device,omitempty"`     // its number among the provider's
	Devices       string `json:"devices,omitempty"`    // All, or numbers with commas: runs are spread over them
	PerDevice     int    `json:"per_device,omitempty"` // runs at a time on each
	AllowCPUNodes bool   `json:"allow_cpu_nodes,omitempty"`
}

// All are all devices.
const All = "all"

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
		case "allow_cpu_nodes":
			if p.AllowCPUNodes, ok = value.(bool); !ok {
				return p, fmt.Errorf("%s.allow_cpu_nodes is %v: want true or false", Key, value)
			}
		case "device":
			p.Device = fmt.Sprint(value)
		case "devices":
			p.Devices = listed(value)
		case "per_device":
			if p.PerDevice, ok = value.(int); !ok || p.PerDevice < 1 {
				return p, fmt.Errorf("%s.per_device is %v: want a whole number of 1 or more", Key, value)
			}
		default:
			return p, fmt.Errorf("%s: %w", Key, suggest.Unknown("key", key, []string{"provider", "device", "devices", "per_device", "allow_cpu_nodes"}))
		}
	}
	switch {
	case p.Device != "" && p.Devices != "":
		return p, fmt.Errorf("%s has device and devices; leave one of them out", Key)
	case p.PerDevice > 0 && p.Devices == "":
		return p, fmt.Errorf("%s.per_device is of devices, and none are given; add devices: all", Key)
	}
	return p, nil
}

// listed writes a list as flags have it: [0, 1] as "0,1".
func listed(value any) string {
	values, ok := value.([]any)
	if !ok {
		return fmt.Sprint(value)
	}
	words := lists.Map(values, func(v any) string { return fmt.Sprint(v) })
	return strings.Join(words, ",")
}

// Over returns what is given, with the rest from below. Devices of another provider are none of its.
func (p Placement) Over(below Placement) Placement {
	if p.Provider != "" && below.Provider != "" && p.Provider != below.Provider {
		return p
	}
	p.Provider = cmp.Or(p.Provider, below.Provider)
	p.AllowCPUNodes = p.AllowCPUNodes || below.AllowCPUNodes
	if p.Device == "" && p.Devices == "" {
		p.Device, p.Devices = below.Device, below.Devices
	}
	if p.Devices != "" {
		p.PerDevice = cmp.Or(p.PerDevice, below.PerDevice)
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
	n, err := p.numbers("device", p.Device, list)
	if err != nil {
		return nil, err
	}
	if p.Provider == engine.CUDA {
		return map[string]string{ort.CUDADevice: strconv.Itoa(n[0])}, nil
	}
	return nil, nil // it is the one that the provider takes
}

// Device is where a worker of a sweep trains.
type Device struct {
	Number  int
	Name    string
	Environ []string // variables for the process that trains there
	Free    int64    // bytes of its memory; 0: not known
}

// Machine is what Spread asks of a machine.
type Machine struct {
	List    Lister
	Free    func(device int) (int64, error) // bytes of memory that CUDA has free on one
	Visible string                          // what VisibleVariable holds: those that numbers count; "" for all
}

// VisibleVariable says which devices CUDA has in a process.
const VisibleVariable = "CUDA_VISIBLE_DEVICES"

// Spread returns Device or Devices; none where both are open. An unknown device is an error that begins with the key.
func (p Placement) Spread(m Machine) ([]Device, error) {
	key, text := "devices", p.Devices
	if text == "" {
		key, text = "device", p.Device
	}
	if text == "" {
		return nil, nil
	}
	numbers, err := p.numbers(key, text, m.List)
	if err != nil {
		return nil, err
	}
	var out []Device
	for _, n := range numbers {
		d := Device{Number: n, Name: fmt.Sprintf("%s:%d", p.Provider, n)}
		if p.Provider == engine.CUDA {
			shown := strconv.Itoa(n)
			if list := strings.Split(m.Visible, ","); m.Visible != "" && n < len(list) {
				shown = strings.TrimSpace(list[n])
			}
			d.Environ = []string{VisibleVariable + "=" + shown}
			if d.Free, err = m.Free(n); err != nil && !errors.Is(err, ort.ErrNoNames) {
				return nil, fmt.Errorf("%s %s: device %d: %w", key, text, n, err)
			}
		}
		out = append(out, d)
	}
	return out, nil
}

// numbers reads the number of a device, or a list.
func (p Placement) numbers(key, text string, list Lister) (out []int, err error) {
	words, want := []string{text}, "a number, 0 or more"
	if key == "devices" {
		words, want = strings.Split(text, ","), "numbers such as 0,1, or "+All
	}
	names, err := devices(p.Provider, list)
	if key == "devices" && text == All {
		words = nil
		if err == nil && names == nil {
			err = errors.New("this system does not say how many there are; list their numbers")
		}
		out = lists.Make(len(names), func(n int) int { return n })
	}
	for _, word := range words {
		n, bad := strconv.Atoi(strings.TrimSpace(word))
		switch {
		case bad != nil || n < 0:
			return nil, fmt.Errorf("%s %q: want %s", key, text, want)
		case slices.Contains(out, n):
			return nil, fmt.Errorf("%s %s: %d is there twice; leave one out", key, text, n)
		case err == nil && names != nil && n >= len(names):
			err = fmt.Errorf("provider %s has no such device here; there are: %s", p.Provider, numbered(names))
		}
		out = append(out, n)
	}
	return wrap.Value(out, err, "%s %s", key, text)
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
	return strings.Join(lists.Make(len(names), func(i int) string { return fmt.Sprintf("%d (%s)", i, names[i]) }), ", ")
}
