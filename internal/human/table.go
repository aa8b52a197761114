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
func Table(lines [][]string) string { return columns(lines, 2, "", 0) }

// Numbers is Table with columns flush right, so many spaces apart.
func Numbers(lines [][]string, gap int) string {
	return columns(lines, gap, "\t", tabwriter.AlignRight)
}

func columns(lines [][]string, gap int, end string, flags uint) string {
	var padded, out strings.Builder
	w := tabwriter.NewWriter(&padded, 0, 0, gap, ' ', flags)
	for _, line := range lines {
		fmt.Fprintln(w, strings.Join(line, "\t")+end)
	}
	w.Flush() // to memory
	for line := range strings.Lines(padded.String()) {
		out.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return out.String()
}

// Fold lays out a table that is wider than width in lines of one cell each. The last cell of a line is wrapped between
// words, and goes on below itself; where it has room for fewer than 12 characters, or than a word, it stands below its line.
func Fold(lines [][]string, width int) [][]string {
	const gap, narrowest, indent = 2, 12, "  " // gap as Table has it
	columns := 1
	for i, line := range lines {
		if columns = max(columns, len(line)); len(line) == 0 {
			lines[i] = []string{""}
		}
	}
	from := make([]int, columns) // where columns begin
	for column := 1; column < columns; column++ {
		widest := 0
		for _, line := range lines {
			if column < len(line) {
				widest = max(widest, utf8.RuneCountInString(line[column-1]))
			}
		}
		from[column] = from[column-1] + widest + gap
	}
	room := func(line []string) int { return width - from[len(line)-1] }
	fits := func(line []string) bool { return utf8.RuneCountInString(line[len(line)-1]) <= max(room(line), 0) }
	if !slices.ContainsFunc(lines, func(line []string) bool { return !fits(line) }) {
		return lines
	}
	var out [][]string
	for _, line := range lines {
		last := len(line) - 1
		head, cell := "", line[last]
		for column, text := range line[:last] {
			head += text + strings.Repeat(" ", from[column+1]-from[column]-utf8.RuneCountInString(text))
		}
		switch {
		case fits(line):
			out = append(out, []string{head + cell})
			continue
		case room(line) < narrowest || longest(cell) > room(line):
			if head = strings.TrimRight(head, " "); head != "" {
				out = append(out, []string{head})
			}
			for part := range strings.Lines(Wrap(cell, width-len(indent))) {
				out = append(out, []string{indent + strings.TrimSuffix(part, "\n")})
			}
			continue
		}
		for part := range strings.Lines(Wrap(cell, room(line))) {
			out = append(out, []string{head + strings.TrimSuffix(part, "\n")})
			head = strings.Repeat(" ", from[last])
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
