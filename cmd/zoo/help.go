package main

import (
	"embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/nopezoo/zoo/cmd/zoo/internal/terminal"
	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/internal/ort"
	"github.com/nopezoo/zoo/train/runfile"
)

// texts are the help of verbs, a file for each, and zoo.txt for zoo itself: a description, and examples after
// beginExamples.
//
//go:embed help/*.txt
var texts embed.FS

// beginExamples is the line between a description and the examples.
const beginExamples = "\nExamples:\n"

// helpWidth is how many columns help takes: texts are written for 80.
func (a *app) helpWidth() int { return min(a.Width(), 80) }

// known fills in the names in double braces of a text.
func known(width int) *strings.Replacer {
	return strings.NewReplacer("{{onnxruntime}}", ort.Version, "{{settings}}", settings(width),
		"{{sweeps}}", strings.Join(configs.Names(configs.Sweeps), " and "))
}

// wrapped is the template of usage in lines of some columns.
func wrapped(template string, width int) string {
	cobra.AddTemplateFunc("fold", terminal.Fold)
	fold := func(format, value string) string {
		return fmt.Sprintf(`{{fold (printf %q %s) %d}}`, format, value, width)
	}
	return strings.NewReplacer(".LocalFlags.FlagUsages", fmt.Sprint(".LocalFlags.FlagUsagesWrapped ", width),
		".InheritedFlags.FlagUsages", fmt.Sprint(".InheritedFlags.FlagUsagesWrapped ", width),
		"  {{rpad .Name .NamePadding }} {{.Short}}", fold("  %s %s", "(rpad .Name .NamePadding) .Short"),
		"  {{.UseLine}}", fold("  %s", ".UseLine"),
		`Use "{{.CommandPath}} [command] --help" for more information about a command.`,
		fold(`Use "%s [command] --help" for more information about a command.`, ".CommandPath")).Replace(template)
}

// explain gives a verb its description and examples.
func explain(c *cobra.Command, known *strings.Replacer, width int) {
	text, _ := texts.ReadFile("help/" + c.Name() + ".txt") // a test wants it to be there
	long, examples, _ := strings.Cut(strings.TrimSuffix(known.Replace(string(text)), "\n"), beginExamples)
	c.Long, c.Example = reflow(strings.TrimSuffix(long, "\n"), width), continued(examples, width)
}

// settings lists the keys of the configuration in columns.
func settings(width int) string {
	all := configs.Settings(runfile.Config{})
	widest := 0
	for _, s := range all {
		widest = max(widest, len(s.Key))
	}
	var lines []string
	for row := range slices.Chunk(all, max(1, width/(widest+2))) {
		line := ""
		for _, s := range row {
			line += fmt.Sprintf("  %-*s", widest, s.Key)
		}
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return strings.Join(lines, "\n")
}

// reflow breaks anew those paragraphs of a text that are wider than width.
func reflow(text string, width int) string {
	paragraphs := strings.Split(text, "\n\n")
	for i, p := range paragraphs {
		if lines := strings.Split(p, "\n"); slices.ContainsFunc(lines, func(l string) bool { return utf8.RuneCountInString(l) > width }) {
			paragraphs[i] = ""
			for _, item := range items(lines) {
				if strings.HasPrefix(item, " ") {
					paragraphs[i] += terminal.Fold(item, width) + "\n"
				} else {
					paragraphs[i] += human.Wrap(item, width)
				}
			}
			paragraphs[i] = strings.TrimSuffix(paragraphs[i], "\n")
		}
	}
	return strings.Join(paragraphs, "\n\n")
}

// label is the beginning of a line with a label, up to its text.
var label = regexp.MustCompile(`^ *\S.*? {2,}`)

// items joins the lines of one text: those without indentation, and those below the text of a label.
func items(lines []string) []string {
	var out []string
	below := "" // what a line of the same text begins with
	for _, line := range lines {
		words := strings.TrimLeft(line, " ")
		indent := line[:len(line)-len(words)]
		if len(out) > 0 && indent == below {
			out[len(out)-1] += " " + words
			continue
		}
		out = append(out, line)
		below = strings.Repeat(" ", utf8.RuneCountInString(label.FindString(line)))
	}
	return out
}

// word is a word of a command line with what is quoted in it, or a flag with its value.
var word = regexp.MustCompile(`(?:--?[a-z-]+ )?(?:[^\s"']|"[^"]*"|'[^']*')+`)

// continued breaks command lines that are wider than width so that a shell goes on with them, and puts a comment above.
func continued(text string, width int) string {
	var out []string
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if utf8.RuneCountInString(line) <= width {
			out = append(out, line)
			continue
		}
		command, comment, is := strings.Cut(line, "  #")
		if is {
			out = append(out, "  #"+comment)
		}
		at := " "
		for i, w := range word.FindAllString(command, -1) {
			if i > 0 && utf8.RuneCountInString(at+" "+w+" \\") > width {
				out = append(out, at+" \\")
				at = "     "
			}
			at += " " + w
		}
		out = append(out, at)
	}
	return strings.Join(out, "\n")
}
