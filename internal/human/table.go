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
// words, and goes on below itself; where it has room for fewer than 12 characters, or than a word, it stands below its line,
// with the cells before it that have no room either.
func Fold(lines [][]string, width int) [][]string {
	const gap, narrowest, indent = 2, 12, "  " // gap as Table has it
	columns := 1
	for _, line := range lines {
		columns = max(columns, len(line))
	}
	from := make([]int, columns+1) // where columns begin
	for column := range columns {
		widest := 0
		for _, line := range lines {
			if column < len(line)-1 {
				widest = max(widest, utf8.RuneCountInString(line[column]))
			}
		}
		from[column+1] = from[column] + widest + gap
	}
	aligned := func(cells []string) string {
		out := ""
		for column, cell := range cells {
			out += strings.Repeat(" ", from[column]-utf8.RuneCountInString(out)) + cell
		}
		return strings.TrimRight(out, " ")
	}
	fits := func(line []string) bool { return utf8.RuneCountInString(aligned(line)) <= width }
	if !slices.ContainsFunc(lines, func(line []string) bool { return !fits(line) }) {
		return lines
	}
	var out [][]string
	for _, line := range lines {
		if fits(line) {
			out = append(out, []string{aligned(line)})
			continue
		}
		last := len(line) - 1
		if room := width - from[last]; room >= narrowest && longest(line[last]) <= room {
			for i, part := range strings.Split(strings.TrimSuffix(Wrap(line[last], room), "\n"), "\n") {
				before := make([]string, last)
				if i == 0 {
					copy(before, line)
				}
				out = append(out, []string{aligned(append(before, part))})
			}
			continue
		}
		above := last
		for above > 1 && from[above]-gap > width {
			above--
		}
		if head := aligned(line[:above]); head != "" {
			out = append(out, []string{head})
		}
		for part := range strings.Lines(Wrap(strings.Join(line[above:], "  "), width-len(indent))) {
			out = append(out, []string{indent + strings.TrimSuffix(part, "\n")})
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
