package terminal

import (
	"regexp"
	"strings"

	"github.com/rivo/uniseg"

	"github.com/nopezoo/zoo/internal/human"
)

// command is a command line that a message names. It stays on one line, to be copied.
var command = regexp.MustCompile(`: zoo [^;\n]*`)

// fold breaks lines wider than width between words, and indents what goes on below.
func fold(text string, width int) string {
	const hang, joint = "  ", "\ue000" // a character of private use, one column wide
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if uniseg.StringWidth(line) <= width {
			continue
		}
		words := strings.TrimLeft(line, " ")
		indent := line[:len(line)-len(words)]
		words = command.ReplaceAllStringFunc(words, func(c string) string {
			return ": " + strings.ReplaceAll(strings.TrimPrefix(c, ": "), " ", joint)
		})
		folded := human.Wrap(words, width-len(indent)-len(hang))
		folded = strings.ReplaceAll(strings.TrimSuffix(folded, "\n"), "\n", "\n"+indent+hang)
		lines[i] = indent + strings.ReplaceAll(folded, joint, " ")
	}
	return strings.Join(lines, "\n")
}

// cut makes a line printable and at most width columns wide.
func cut(line string, width int) string {
	text, _ := visible([]byte(line))
	line = string(text)
	if uniseg.StringWidth(line) <= width {
		return line
	}
	short, room := "", width-1 // for the ellipsis
	for g := uniseg.NewGraphemes(line); g.Next() && room >= g.Width(); room -= g.Width() {
		short += g.Str()
	}
	return short + "…"
}
