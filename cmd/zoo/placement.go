package main

import (
	"cmp"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/runtime/engine"
	"github.com/nopezoo/zoo/train"
)

// placement is where runs are trained, which is no part of what they are: not in their settings and their hash, and in
// their journals.
type placement struct {
	provider      string
	allowCPUNodes bool
}

// defaultProvider is what computes where no flag says it.
func defaultProvider() string { return cmp.Or(os.Getenv(configs.ProviderVariable), engine.CPU) }

func (p *placement) add(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&p.provider, "provider", defaultProvider(), "what trains: "+strings.Join(ortProviders, ", ")+"; bits are the same on one CPU only")
	f.BoolVar(&p.allowCPUNodes, "allow-cpu-nodes", false, allowCPUNodesHelp)
}

func (p placement) check() error {
	return cmp.Or(oneProvider(p.provider, ortProviders...), checkCPUNodes(p.allowCPUNodes, p.provider))
}

func (p placement) options() train.Options {
	return train.Options{Provider: p.provider, AllowCPUNodes: p.allowCPUNodes}
}

// command trains one run there, whose directory comes behind it.
func (p placement) command(self string) []string {
	out := []string{self, "train", "--resume", "--provider", p.provider}
	if p.allowCPUNodes {
		out = append(out, "--allow-cpu-nodes")
	}
	return out
}
