package tables

import (
	"strings"

	"github.com/nopezoo/zoo/cmd/zoo/internal/doctor"
)

// Provider says a report on a provider of ONNX Runtime, line by line: its needs, and the nodes of a model
// that ran on the CPU.
func Provider(say func(format string, args ...any), r doctor.ProviderReport) {
	say("provider %s", r.Provider)
	for _, s := range r.Steps {
		mark, text := "ok", s.Finding
		if s.Problem != "" {
			mark, text = "FAILS", s.Problem
		}
		say("  %-9s %-5s  %s", s.Name, mark, text)
	}
	for _, n := range r.Nodes {
		if n.OnCPU && n.Why != "" {
			say("    %s on the CPU: %s (%s)", n.Operator, strings.TrimPrefix(n.Name, "/"), n.Why)
		}
	}
}
