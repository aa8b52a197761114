// Package arguments adds to package cobra: errors that name the remedy, checks of arguments and flags, and the
// completion of lists.
package arguments

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/internal/suggest"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Between demands between least and most arguments, which what names; most < 0 is no bound.
func Between(least, most int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			verb := strings.TrimPrefix(c.CommandPath(), c.Root().Name()+" ") // errors begin with the program's name
			return fmt.Errorf("%s lacks its argument, %s; see: %s --help", verb, what, c.CommandPath())
		case most == 0 && len(args) > 0:
			return fmt.Errorf("unexpected argument %q: %s takes flags only; see: %s --help",
				args[0], c.CommandPath(), c.CommandPath())
		case most > 0 && len(args) > most:
			return fmt.Errorf("unexpected argument %q after %s; see: %s --help", args[most], what, c.CommandPath())
		}
		return nil
	}
}

// None refuses arguments: the verb takes flags only.
var None = Between(0, 0, "")

// One demands exactly one argument, which what names.
func One(what string) cobra.PositionalArgs { return Between(1, 1, what) }

// Exclusive refuses two of some flags together.
func Exclusive(c *cobra.Command, names ...string) {
	c.MarkFlagsMutuallyExclusive(names...) // for completion; the check below comes first
	before := c.PreRunE
	c.PreRunE = func(c *cobra.Command, args []string) error {
		if before != nil {
			if err := before(c, args); err != nil {
				return err
			}
		}
		var given []string
		for _, name := range names {
			if c.Flags().Changed(name) {
				given = append(given, "--"+name)
			}
		}
		if len(given) > 1 {
			return fmt.Errorf("%s exclude each other; give one of them; see: %s --help",
				strings.Join(given, " and "), c.CommandPath())
		}
		return nil
	}
}

// Given returns the first of some flags that was given, "" for none.
func Given(flags *pflag.FlagSet, names ...string) string {
	for _, name := range names {
		if flags.Changed(name) {
			return name
		}
	}
	return ""
}

// OneOf refuses a value that is none of the known words.
func OneOf(what, value string, known ...string) error {
	if slices.Contains(known, value) {
		return nil
	}
	return suggest.Unknown(what, value, known)
}

// AtLeast refuses a number below least.
func AtLeast(flag string, value, least int) error {
	if value < least {
		return fmt.Errorf("--%s %d: want %d or more", flag, value, least)
	}
	return nil
}
