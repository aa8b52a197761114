package human

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/rivo/uniseg"
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

// Fold lays out a table that is wider than width in lines of one cell each. The last column is wrapped between words, and
// a cell goes on below itself; where the column is narrower than 12 characters, or than a word, the cell stands below its line.
func Fold(lines [][]string, width int) [][]string {
	const gap, narrowest, indent = 2, 12, "  " // gap as Table has it
	last := 0
	for _, line := range lines {
		last = max(last, len(line)-1)
	}
	room, widest := width, make([]int, last)
	for column := range last {
		for _, line := range lines {
			if column < len(line)-1 {
				widest[column] = max(widest[column], utf8.RuneCountInString(line[column]))
			}
		}
		room -= widest[column] + gap
	}
	fits := func(line []string) bool {
		return len(line) <= last || utf8.RuneCountInString(line[last]) <= room
	}
	if !slices.ContainsFunc(lines, func(line []string) bool { return !fits(line) }) {
		return lines
	}
	var out [][]string
	for _, line := range lines {
		head, cell := "", ""
		for column, text := range line {
			if column == len(line)-1 {
				cell = text
				break
			}
			head += text + strings.Repeat(" ", widest[column]+gap-utf8.RuneCountInString(text))
		}
		switch {
		case fits(line):
			out = append(out, []string{head + cell})
			continue
		case room < narrowest || longest(cell) > room:
			if head = strings.TrimRight(head, " "); head != "" {
				out = append(out, []string{head})
			}
			for part := range strings.Lines(Wrap(cell, width-len(indent))) {
				out = append(out, []string{indent + strings.TrimSuffix(part, "\n")})
			}
			continue
		}
		for part := range strings.Lines(Wrap(cell, room)) {
			out = append(out, []string{head + strings.TrimSuffix(part, "\n")})
			head = strings.Repeat(" ", width-room)
		}
	}
	return out
}

// longest is the width of a text's longest word.
func longest(text string) (n int) {
	for _, word := range words(text) {
		n = max(n, uniseg.StringWidth(word))
	}
	return n
}
