package human

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// Table lays out lines of cells in columns, with no spaces after the
// last, which would wrap in a terminal.
func Table(lines [][]string) string {
	var padded, out strings.Builder
	w := tabwriter.NewWriter(&padded, 0, 0, 2, ' ', 0)
	for _, line := range lines {
		fmt.Fprintln(w, strings.Join(line, "\t"))
	}
	w.Flush() // to memory
	for line := range strings.Lines(padded.String()) {
		out.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return out.String()
}
