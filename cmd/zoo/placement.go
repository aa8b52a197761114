package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/internal/placement"
	"github.com/nopezoo/zoo/runtime/engine"
	"github.com/nopezoo/zoo/train"
)

// placed are the flags that say where runs are trained.
type placed struct {
	placement.Placement
	engine map[string]string // options of sessions on the device
}

// defaultProvider is what computes where no flag and no sweep file says it.
func defaultProvider() string { return cmp.Or(os.Getenv(configs.ProviderVariable), engine.CPU) }

const deviceHelp = "number of the `device`, where the provider has several (default: 0)"

func (p *placed) add(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&p.Provider, "provider", defaultProvider(), "what trains: "+strings.Join(ortProviders, ", ")+"; bits are the same on one CPU only")
	f.StringVar(&p.Device, "device", "", deviceHelp)
	f.BoolVar(&p.AllowCPUNodes, "allow-cpu-nodes", false, allowCPUNodesHelp)
}

// addSpread adds the flags of verbs that train several runs.
func (p *placed) addSpread(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&p.Devices, "devices", "", "spread runs over `devices`: all, or numbers such as 0,1")
	f.IntVar(&p.PerDevice, "per-device", 0, "runs at a time on each of --devices (default 1)")
}

// spread is settle for runs in processes of their own, workers of them on each device that is named; without one devices is nil.
func (p *placed) spread(flags *pflag.FlagSet, file placement.Placement, m placement.Machine, workers *int) (devices []placement.Device, err error) {
	switch {
	case flags.Changed("device") && flags.Changed("devices"):
		return nil, errors.New("--device and --devices: choose one")
	case flags.Changed("per-device") && p.PerDevice < 1:
		return nil, fmt.Errorf("--per-device %d: want at least 1", p.PerDevice)
	}
	if err := cmp.Or(givenEmpty(flags, "devices"), p.settle(flags, file, nil)); err != nil {
		return nil, err
	}
	switch {
	case flags.Changed("per-device") && p.Devices == "":
		return nil, errors.New("--per-device is of --devices, and none are given; add --devices all")
	case flags.Changed("workers") && p.Devices != "":
		return nil, errors.New("--workers means nothing to devices, which have --per-device; leave one of them out")
	case m.List == nil:
		return nil, nil
	}
	if devices, err = p.Spread(m); err != nil || devices == nil {
		return nil, flagError(err)
	}
	if p.Devices != "" {
		*workers = max(p.PerDevice, 1)
	}
	first := placement.Placement{Provider: p.Provider, Device: strconv.Itoa(devices[0].Number)} // for what is tried in this process
	p.engine, err = first.Options(m.List)
	return devices, flagError(err)
}

// flagError is an error that begins with the name of a flag.
func flagError(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("--%w", err)
}

// settle fills in what flags and variables leave to the section of a sweep file, and refuses what cannot be. list names the
// devices of this machine; without it runs are trained elsewhere, or not at all.
func (p *placed) settle(flags *pflag.FlagSet, file placement.Placement, list placement.Lister) error {
	if err := givenEmpty(flags, "provider", "device"); err != nil {
		return err
	}
	given := p.Placement
	if !flags.Changed("provider") {
		given.Provider = os.Getenv(configs.ProviderVariable)
	}
	p.Placement = given.Over(file).Over(placement.Placement{Provider: engine.CPU})
	if err := cmp.Or(oneProvider(p.Provider, ortProviders...), checkCPUNodes(p.AllowCPUNodes, p.Provider)); err != nil {
		return err
	}
	if list == nil {
		return nil
	}
	return p.choose(list)
}

// choose looks for the device.
func (p *placed) choose(list placement.Lister) (err error) {
	p.engine, err = p.Options(list)
	return flagError(err)
}

// givenEmpty refuses flags that are given without a value: an unset variable of a script is not a wish for the default.
func givenEmpty(flags *pflag.FlagSet, names ...string) error {
	for _, name := range names {
		if flags.Changed(name) && strings.Trim(flags.Lookup(name).Value.String(), "[]") == "" {
			return fmt.Errorf("--%s is empty; give it a value, or leave it out for the default", name)
		}
	}
	return nil
}

func (p placed) options() train.Options {
	return train.Options{Provider: p.Provider, ProviderOptions: p.engine, AllowCPUNodes: p.AllowCPUNodes}
}

// command trains one run there, whose directory comes behind it. Which device, its environment says.
func (p placed) command(self string) []string {
	out := []string{self, "train", "--resume", "--provider", p.Provider}
	if p.AllowCPUNodes {
		out = append(out, "--allow-cpu-nodes")
	}
	return out
}

// onDevice are the options of sessions on the device of bench's providers, one of which may have several.
func (o benchFlags) onDevice(list placement.Lister) (map[string]string, error) {
	if o.device == "" {
		return nil, nil
	}
	p := placed{Placement: placement.Placement{Provider: o.Providers[0], Device: o.device}}
	for _, provider := range o.Providers {
		switch {
		case !engine.OnDevice(provider) || provider == p.Provider:
		case engine.OnDevice(p.Provider):
			return nil, fmt.Errorf("--device %s: providers %s and %s number devices in their own ways; name one of them",
				o.device, p.Provider, provider)
		default:
			p.Provider = provider
		}
	}
	err := p.choose(list)
	return p.engine, err
}
