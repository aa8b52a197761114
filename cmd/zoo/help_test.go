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
	t.Setenv("COLUMNS", "")
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
		narrow(t, c, 80)
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

// TestNarrowHelp: a narrow terminal gets help that fits, but for words in the quotes of examples.
func TestNarrowHelp(t *testing.T) {
	t.Setenv("COLUMNS", "60")
	root := (&app{}).root()
	for _, c := range append(root.Commands(), root) {
		c.Example = ""
		narrow(t, c, 60)
	}
}

// narrow wants lines of at most so many columns, but for words that are wider.
func narrow(t *testing.T, c *cobra.Command, width int) {
	t.Helper()
	for line := range strings.Lines(c.Long + "\n" + c.UsageString()) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width && strings.Contains(strings.TrimSpace(line), " ") {
			t.Errorf("%s: a line of %d columns, want at most %d: %s", c.Name(), n, width, line)
		}
	}
}

// TestReflow: paragraphs that fit stay as they are, and what stands beside a label stays there.
func TestReflow(t *testing.T) {
	const text = "one two\nthree\n\nfour five six\nseven:\n  --a X   first second last\n          third\n  --bb Y  last\n  a long label   texts below"
	want := "one two\nthree\n\nfour five six seven:\n  --a X   first second\n          last third\n  --bb Y  last\n" +
		"  a long label\n    texts below"
	if got := reflow(text, 22); got != want {
		t.Errorf("in 22 columns:\n%s\nwant\n%s", got, want)
	}
	if got := reflow(text, 40); got != text {
		t.Errorf("in 40 columns:\n%s\nwant\n%s", got, text)
	}
}

// TestContinued: a command line breaks where a shell goes on, and neither in quotes nor between a flag and its value.
func TestContinued(t *testing.T) {
	const text = "  zoo a --b c\n  zoo train --pe \"a b\" --set c=d e  # why"
	want := "  zoo a --b c\n  # why\n  zoo train \\\n      --pe \"a b\" \\\n      --set c=d e"
	if got := continued(text, 20); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
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
