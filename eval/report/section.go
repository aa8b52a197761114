package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/summary"
	"github.com/nopezoo/zoo/internal/human"
)

// Section is one part of the results as people read them: a heading, and tables
// of one measure each.
type Section struct {
	Task    string // that it is about, "" for several or none
	title   string
	blocks  []block
	closing string // what it says, in a sentence, or ""
}

// block is a table: the first line names its columns, and a line of empty cells
// parts the lines above it from those below.
type block struct {
	title string
	lines [][]string
	notes []string // below it
}

// DefaultWidth is how many characters wide tables are where nothing says more.
const DefaultWidth = 80

// Sections lays rows out for people: for each task, in order of first appearance,
// a section that has a table for each measure with a line per length and a column
// per model, states counts and marks trained lengths. Ranks over all tasks follow,
// which weigh lengths as by says, and speed measured without a task.
func Sections(rows []eval.Row, by summary.Weighting) ([]Section, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	s, err := summary.New(rows, summary.Options{Ranks: by})
	if err != nil {
		return nil, err
	}
	out := slices.Concat(summary.Each(s.Scored(), taskSection), summary.Each(s.Texts, textSection))
	if len(s.Ranks) > 0 {
		ranks := rankingSection(s)
		if len(out) == 1 { // what the one task says comes last
			ranks.closing, out[0].closing = out[0].closing, ""
		}
		out = append(out, ranks)
	}
	for _, t := range s.Tasks {
		if !t.Scored {
			out = append(out, speedSection(t))
		}
	}
	return out, nil
}

// Text writes the section with lines of at most width characters, where the names
// of models allow it: models that do not fit beside each other follow below.
func (s Section) Text(w io.Writer, width int) error {
	var b strings.Builder
	b.WriteString(human.Wrap(s.title, width))
	for _, block := range s.blocks {
		fmt.Fprintf(&b, "\n%s\n", human.Wrap(block.title, width))
		for k, lines := range folded(block.lines, width) {
			if k > 0 {
				b.WriteString("\n")
			}
			if err := aligned(&b, lines); err != nil {
				return err
			}
		}
		for i, note := range block.notes {
			if i == 0 {
				b.WriteString("\n")
			}
			b.WriteString(human.Wrap(note, width))
		}
	}
	if s.closing != "" {
		b.WriteString("\n" + human.Wrap(s.closing, width))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// columnGap is the space before a column.
const columnGap = 2

// folded cuts lines that are too wide into several tables, each with the first
// column and one other at least.
func folded(lines [][]string, width int) [][][]string {
	widths := make([]int, len(lines[0]))
	for _, line := range lines {
		for i, cell := range line {
			widths[i] = max(widths[i], columnGap+utf8.RuneCountInString(cell))
		}
	}
	var out [][][]string
	for from := 1; from == 1 || from < len(widths); {
		to, used := from, widths[0]
		for to < len(widths) && (to == from || used+widths[to] <= width) {
			used += widths[to]
			to++
		}
		var part [][]string
		for _, line := range lines {
			part = append(part, append(line[:1:1], line[from:to]...))
		}
		out = append(out, part)
		from = max(to, from+1)
	}
	return out
}

// aligned writes lines of cells with columns flush right, and no space at the
// end of a line.
func aligned(w io.Writer, lines [][]string) error {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, columnGap, ' ', tabwriter.AlignRight)
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

// Markdown writes the section with GitHub's tables, however wide.
func (s Section) Markdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s\n", markdown(s.title))
	for _, block := range s.blocks {
		fmt.Fprintf(&b, "\n%s\n\n", markdown(block.title))
		for k, line := range block.lines {
			markdownLine(&b, line)
			if k == 0 {
				b.WriteString("|" + strings.Repeat(" ---: |", len(line)) + "\n")
			}
		}
		for _, note := range block.notes {
			fmt.Fprintf(&b, "\n%s\n", markdown(note))
		}
	}
	if s.closing != "" {
		fmt.Fprintf(&b, "\n%s\n", markdown(s.closing))
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
