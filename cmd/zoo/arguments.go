package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// checkVerb refuses a command line without a verb that there is. Cobra would take
// the flags of such a line for those of zoo itself, and let --help answer.
func checkVerb(root *cobra.Command, args []string) error {
	c, rest, _ := root.Find(args) // takes any arguments, so there is no error
	if c != root || len(rest) == 0 || rest[0] == cobra.ShellCompRequestCmd || rest[0] == cobra.ShellCompNoDescRequestCmd {
		return nil
	}
	if !strings.HasPrefix(rest[0], "-") {
		return unknown("verb", rest[0], verbNames(root)) // whatever flags it may have
	}
	if err := root.ParseFlags(rest); err != nil {
		return flagError(root, err)
	}
	if words := root.Flags().Args(); len(words) > 0 {
		return unknown("verb", words[0], verbNames(root))
	}
	return nil
}

// verbNames lists the verbs that a command shows.
func verbNames(c *cobra.Command) []string {
	var names []string
	for _, verb := range c.Commands() {
		if verb.IsAvailableCommand() {
			names = append(names, verb.Name())
		}
	}
	return names
}

// helpVerb is --help in the place of a verb.
func helpVerb() *cobra.Command {
	return &cobra.Command{
		Use:   "help [verb]",
		Short: "explain zoo, or a verb",
		Long:  "help explains a verb, as --help does, or zoo itself.",
		Args:  cobra.MaximumNArgs(1),
		ValidArgsFunction: func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return verbNames(c.Root()), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			verb, rest, _ := c.Root().Find(args) // as in checkVerb
			if len(rest) > 0 {
				return unknown("verb", rest[0], verbNames(c.Root()))
			}
			verb.InitDefaultHelpFlag() // for the list of its flags
			return verb.Help()
		},
	}
}

// flagError words what is wrong with a flag.
func flagError(c *cobra.Command, err error) error {
	see := "see: " + c.CommandPath() + " --help"
	var missing *pflag.NotExistError
	if !errors.As(err, &missing) {
		return fmt.Errorf("%w; %s", err, see)
	}
	// A word after one dash is read as letters, each a flag; it may be meant as one.
	name, given := missing.GetSpecifiedName(), "--"+missing.GetSpecifiedName()
	if letters := missing.GetSpecifiedShortnames(); letters != "" {
		name, given = letters, "-"+letters
	}
	var known []string
	c.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
	if near := nearest(name, known); near != "" && len(name) > 1 {
		see = "did you mean --" + near + "? " + see
	}
	return fmt.Errorf("unknown flag %s; %s", given, see)
}
