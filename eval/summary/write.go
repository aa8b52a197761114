package summary

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/internal/lists"
)

// Write writes sections as text ("table"), Markdown ("md") or LaTeX ("latex"). Columns of text that do not fit into width
// characters stand below.
func Write(w io.Writer, format string, width int, sections ...Section) error {
	write := map[string]func(*strings.Builder, Section){"md": writeMarkdown, "latex": writeLaTeX,
		"table": func(b *strings.Builder, s Section) { writeText(b, s, width) }}[format]
	if write == nil {
		return fmt.Errorf("summary: no tables as %q; known: table, md, latex", format)
	}
	var b strings.Builder
	if format == "latex" {
		b.WriteString(latexHead)
	}
	for i, s := range sections {
		if i > 0 {
			b.WriteString("\n")
			if format == "latex" {
				b.WriteString("\\clearpage % LaTeX keeps a few dozen tables that have no place yet\n")
			}
		}
		write(&b, s)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writeText(b *strings.Builder, s Section, width int) {
	b.WriteString(human.Wrap(s.Title, width))
	for _, t := range s.Tables {
		fmt.Fprintf(b, "\n%s\n", human.Wrap(t.Title, width))
		for k, lines := range folded(t.texts(" "), width) {
			if k > 0 {
				b.WriteString("\n")
			}
			b.WriteString(human.Numbers(lines, columnGap))
		}
		for i, note := range t.Notes {
			if i == 0 {
				b.WriteString("\n")
			}
			b.WriteString(human.Wrap(note, width))
		}
	}
	if s.Summary != "" {
		b.WriteString("\n" + human.Wrap(s.Summary, width))
	}
}

// columnGap is the space before a column.
const columnGap = 2

// folded cuts wide lines into several tables, each with the first column and another at least.
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
		part := lists.Map(lines, func(line []string) []string { return append(line[:1:1], line[from:to]...) })
		const narrowest = 12
		if room := width - widths[0] - columnGap; used > width && room >= narrowest {
			part = wrapped(part, room)
		}
		out = append(out, part)
		from = max(to, from+1)
	}
	return out
}

// wrapped has the texts of a second column go on below themselves, flush left.
func wrapped(lines [][]string, room int) (out [][]string) {
	for _, line := range lines {
		first := line[0]
		for text := range strings.Lines(human.Wrap(line[1], room)) {
			out = append(out, []string{first, fmt.Sprintf("%-*s", room, strings.TrimSuffix(text, "\n"))})
			first = ""
		}
	}
	return out
}

// writeMarkdown writes GitHub's tables, however wide.
func writeMarkdown(b *strings.Builder, s Section) {
	fmt.Fprintf(b, "### %s\n", markdown(s.Title))
	for _, t := range s.Tables {
		fmt.Fprintf(b, "\n%s\n\n", markdown(t.Title))
		for k, line := range t.texts("") {
			if isEmpty(line) {
				continue
			}
			fmt.Fprintf(b, "| %s |\n", strings.Join(lists.Map(line, markdown), " | "))
			if k == 0 {
				b.WriteString("|" + strings.Repeat(" ---: |", len(line)) + "\n")
			}
		}
		for _, note := range t.Notes {
			fmt.Fprintf(b, "\n%s\n", markdown(note))
		}
	}
	if s.Summary != "" {
		fmt.Fprintf(b, "\n%s\n", markdown(s.Summary))
	}
}

func isEmpty(line []string) bool {
	return !slices.ContainsFunc(line, func(cell string) bool { return strings.TrimSpace(cell) != "" })
}

var markdownEscapes = strings.NewReplacer("*", `\*`, "|", `\|`, "<", "&lt;", ">", "&gt;", "_", `\_`)

// markdown keeps text from being taken for markup.
func markdown(s string) string { return markdownEscapes.Replace(strings.Join(strings.Fields(s), " ")) }

// latexHead makes tables that are wider than the text as wide as it.
const latexHead = `% in the preamble: \usepackage{booktabs,graphicx}
\providecommand{\zootable}[1]{\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{#1}}
`

// writeLaTeX writes tables with the rules of the package booktabs.
func writeLaTeX(b *strings.Builder, s Section) {
	fmt.Fprintf(b, "%% %s\n", strings.Join(strings.Fields(s.Title), " "))
	for _, t := range s.Tables {
		columns := "l"
		for i := range t.Head[1:] {
			if len(t.Lines) > 0 && t.Lines[0][1+i].Words {
				columns += "l"
			} else {
				columns += "r"
			}
		}
		fmt.Fprintf(b, "\\begin{table}\n\\centering\n\\caption{%s}\n\\zootable{\\begin{tabular}{%s}\n\\toprule\n%s \\\\\n\\midrule\n",
			latex(t.Title), columns, strings.Join(lists.Map(t.Head, latex), " & "))
		for _, line := range t.Lines {
			if isEmpty(lists.Map(line, func(c Cell) string { return c.Text })) {
				b.WriteString("\\midrule\n")
				continue
			}
			fmt.Fprintf(b, "%s \\\\\n", strings.Join(lists.Map(line, func(c Cell) string {
				if c.Mark != "" {
					return latex(c.Text) + `\textsuperscript{` + latex(c.Mark) + "}"
				}
				return latex(c.Text)
			}), " & "))
		}
		b.WriteString("\\bottomrule\n\\end{tabular}}\n")
		for _, note := range t.Notes {
			fmt.Fprintf(b, "\\par %s\n", latex(note))
		}
		b.WriteString("\\end{table}\n")
	}
	if s.Summary != "" {
		fmt.Fprintf(b, "%s\n", latex(s.Summary))
	}
}

var latexEscapes = strings.NewReplacer(`\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`, "_", `\_`, "{", `\{`,
	"}", `\}`, "~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "<", "$<$", ">", "$>$", "≥", `$\geq$`, "≤", `$\leq$`,
	"×", `$\times$`, "±", `$\pm$`, "−", "$-$", "–", "--", "†", `\dag{}`, "²", `$^2$`, "\u00a0", "~")

// latex keeps text from being taken for commands, and writes signs as commands that every engine has.
func latex(s string) string { return latexEscapes.Replace(strings.Join(strings.Fields(s), " ")) }
