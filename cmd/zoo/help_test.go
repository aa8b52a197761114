package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestHelp checks that every verb explains itself, by a text of its own that fits into a terminal, and that there is
// no text without a verb.
func TestHelp(t *testing.T) {
	root := (&app{}).root()
	files := map[string]bool{}
	for _, c := range append(root.Commands(), root) {
		if c.Name() == "help" {
			continue // cobra's own
		}
		file := "help/" + c.Name() + ".txt"
		files[file] = true
		if c.Short == "" || c.Long == "" || c.Example == "" && c != root || c.RunE == nil {
			t.Errorf("%s lacks a summary, a description or examples in %s, or does nothing", c.Name(), file)
		}
		if strings.Contains(c.Long+c.Example, "{{") {
			t.Errorf("%s: nothing is known under a name in double braces", file)
		}
		narrow(t, file, c)
		oneDefault(t, c)
	}
	entries, err := texts.ReadDir("help")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !files["help/"+e.Name()] {
			t.Errorf("help/%s explains no verb", e.Name())
		}
	}
}

// narrow wants lines of at most 80 columns, except of examples, which are copied whole, and the list of settings.
func narrow(t *testing.T, file string, c *cobra.Command) {
	t.Helper()
	text := strings.NewReplacer(settings(), "", c.Example, "").Replace(c.Long + "\n" + c.UsageString())
	for line := range strings.Lines(text) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 {
			t.Errorf("%s: a line of %d columns, want at most 80: %s", file, n, line)
		}
	}
}

// oneDefault wants flags that say their default once.
func oneDefault(t *testing.T, c *cobra.Command) {
	t.Helper()
	c.Flags().VisitAll(func(f *pflag.Flag) {
		alone := pflag.NewFlagSet("", pflag.ContinueOnError)
		alone.AddFlag(f)
		if usage := alone.FlagUsages(); strings.Count(usage, "default") > 1 {
			t.Errorf("%s has two defaults: %s", c.Name(), usage)
		}
	})
}
