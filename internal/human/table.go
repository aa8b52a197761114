package human

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode/utf8"
)

// Table lays out lines of cells in columns, with no spaces at the ends of lines: they would wrap in
// a terminal.
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

// Fold wraps the last column of a table wider than width, between words: a cell goes on below itself. Lines stay as
// they are where the column would get fewer than 12 characters.
func Fold(lines [][]string, width int) [][]string {
	const gap, narrowest = 2, 12 // gap as Table has it
	last := 0
	for _, line := range lines {
		last = max(last, len(line)-1)
	}
	room := width
	for column := range last {
		widest := 0
		for _, line := range lines {
			if column < len(line)-1 {
				widest = max(widest, utf8.RuneCountInString(line[column]))
			}
		}
		room -= widest + gap
	}
	if room < narrowest {
		return lines
	}
	var out [][]string
	for _, line := range lines {
		if len(line)-1 < last || utf8.RuneCountInString(line[last]) <= room {
			out = append(out, line)
			continue
		}
		before := line[:last]
		for part := range strings.Lines(Wrap(line[last], room)) {
			out = append(out, append(slices.Clone(before), strings.TrimSuffix(part, "\n")))
			before = make([]string, last)
		}
	}
	return out
}
