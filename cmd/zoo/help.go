package main

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nopezoo/zoo/configs"
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

// known fills in the names in double braces of a text.
func known() *strings.Replacer {
	return strings.NewReplacer("{{onnxruntime}}", ort.Version, "{{settings}}", settings(),
		"{{sweeps}}", strings.Join(configs.Names(configs.Sweeps), " and "))
}

// wrapped is the template of usage with the flags in lines of 80 columns.
func wrapped(template string) string {
	return strings.NewReplacer(".LocalFlags.FlagUsages", ".LocalFlags.FlagUsagesWrapped 80",
		".InheritedFlags.FlagUsages", ".InheritedFlags.FlagUsagesWrapped 80").Replace(template)
}

// explain gives a verb its description and examples.
func explain(c *cobra.Command, known *strings.Replacer) {
	text, _ := texts.ReadFile("help/" + c.Name() + ".txt") // a test wants it to be there
	long, examples, _ := strings.Cut(strings.TrimSuffix(known.Replace(string(text)), "\n"), beginExamples)
	c.Long, c.Example = strings.TrimSuffix(long, "\n"), examples
}

// settings lists the keys of the configuration in four columns.
func settings() string {
	var lines []string
	for row := range slices.Chunk(configs.Settings(runfile.Config{}), 4) {
		line := ""
		for _, s := range row {
			line += fmt.Sprintf("  %-24s", s.Key)
		}
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return strings.Join(lines, "\n")
}
