package eval

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// section is one part of the results as people read them: a heading, and blocks
// of one measure each.
type section struct {
	title   string
	blocks  []block
	closing string // what it says, in a sentence, or ""
}

// block is a table: the first line names its columns, and a line of empty cells
// parts the lines above it from those below.
type block struct {
	title string
	lines [][]string
	note  string // below it, or ""
}

// Table writes rows for people: for each task, a block for each measure with a
// line per length and a column per model. It states counts and marks trained
// lengths. Ranks weigh lengths as by says. Speed measured without a task follows in blocks of its own.
func Table(w io.Writer, rows []Row, by Weighting) error {
	var b strings.Builder
	for i, s := range sections(rows, by) {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%s\n", s.title)
		for _, block := range s.blocks {
			fmt.Fprintf(&b, "\n%s\n\n", block.title)
			for k, lines := range folded(block.lines) {
				if k > 0 {
					b.WriteString("\n")
				}
				if err := aligned(&b, lines); err != nil {
					return err
				}
			}
			if block.note != "" {
				fmt.Fprintf(&b, "\n%s\n", block.note)
			}
		}
		if s.closing != "" {
			fmt.Fprintf(&b, "\n%s\n", s.closing)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// mostColumns is how many models stand side by side: all encodings of one task.
const mostColumns = 8

// folded cuts lines of many columns into several tables, each with the lengths.
func folded(lines [][]string) [][][]string {
	var out [][][]string
	for from := 1; from == 1 || from < len(lines[0]); from += mostColumns {
		var part [][]string
		for _, line := range lines {
			part = append(part, append(line[:1:1], line[from:min(from+mostColumns, len(line))]...))
		}
		out = append(out, part)
	}
	return out
}

// Markdown writes what Table does as GitHub's tables.
func Markdown(w io.Writer, rows []Row, by Weighting) error {
	var b strings.Builder
	for i, s := range sections(rows, by) {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "### %s\n", markdown(s.title))
		for _, block := range s.blocks {
			fmt.Fprintf(&b, "\n%s\n\n", markdown(block.title))
			for k, line := range block.lines {
				markdownLine(&b, line)
				if k == 0 {
					b.WriteString("|" + strings.Repeat(" ---: |", len(line)) + "\n")
				}
			}
			if block.note != "" {
				fmt.Fprintf(&b, "\n%s\n", markdown(block.note))
			}
		}
		if s.closing != "" {
			fmt.Fprintf(&b, "\n%s\n", markdown(s.closing))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func markdownLine(b *strings.Builder, line []string) {
	if strings.TrimSpace(strings.Join(line, "")) == "" {
		return
	}
	b.WriteString("|")
	for _, cell := range line {
		b.WriteString(" " + markdown(strings.Join(strings.Fields(cell), " ")) + " |")
	}
	b.WriteString("\n")
}

// markdown keeps text from being taken for markup.
func markdown(s string) string {
	return strings.NewReplacer("*", `\*`, "|", `\|`, "<", "&lt;", ">", "&gt;", "_", `\_`, "\n", " ").Replace(s)
}

// Only returns the rows of one measure, in order.
func Only(measure string, rows []Row) []Row {
	var out []Row
	for _, r := range rows {
		if r.measure() == measure {
			out = append(out, r)
		}
	}
	return out
}

func sections(rows []Row, by Weighting) []section {
	var out []section
	groups := groupRows(Only(MeasureAccuracy, rows))
	for _, g := range groups {
		out = append(out, g.section())
	}
	if ranking, ok := rankingSection(groups, by); ok {
		out = append(out, ranking)
	}
	if speed := Only(MeasureSpeed, rows); len(speed) > 0 {
		out = append(out, speedSection(speed))
	}
	return out
}

// aligned writes lines of cells with columns flush right, and no space at the
// end of a line.
func aligned(w io.Writer, lines [][]string) error {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, line := range lines {
		if _, err := fmt.Fprintln(t, strings.Join(line, "\t")+"\t"); err != nil {
			return err
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	out := slices.Collect(strings.Lines(b.String()))
	for i, line := range out {
		out[i] = strings.TrimRight(line, " \n") + "\n"
	}
	_, err := io.WriteString(w, strings.Join(out, ""))
	return err
}
