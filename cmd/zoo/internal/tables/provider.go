package tables

import (
	"fmt"
	"io"
	"strings"

	"github.com/nopezoo/zoo/cmd/zoo/internal/doctor"
)

// Provider writes a report on a provider of ONNX Runtime: its needs, and the nodes of a model
// that ran on the CPU.
func Provider(w io.Writer, r doctor.ProviderReport) {
	fmt.Fprintf(w, "provider %s\n", r.Provider)
	for _, s := range r.Steps {
		mark, text := "ok", s.Finding
		if s.Problem != "" {
			mark, text = "FAILS", s.Problem
		}
		fmt.Fprintf(w, "  %-9s %-5s  %s\n", s.Name, mark, text)
	}
	for _, n := range r.Nodes {
		if n.OnCPU && n.Why != "" {
			fmt.Fprintf(w, "    %s on the CPU: %s (%s)\n", n.Operator, strings.TrimPrefix(n.Name, "/"), n.Why)
		}
	}
}
