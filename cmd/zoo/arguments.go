package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nopezoo/zoo/eval/task"
)

// checkVerb refuses a command line without a verb that there is. Cobra would take
// the flags of such a line for those of zoo itself, and let --help answer.
func checkVerb(root *cobra.Command, args []string) error {
	c, rest, _ := root.Find(args) // takes any arguments, so there is no error
	if c != root || len(rest) == 0 || rest[0] == cobra.ShellCompRequestCmd || rest[0] == cobra.ShellCompNoDescRequestCmd {
		return nil
	}
	if !strings.HasPrefix(rest[0], "-") {
		return task.Unknown("verb", rest[0], verbNames(root)) // whatever flags it may have
	}
	if err := root.ParseFlags(rest); err != nil {
		return flagError(root, err)
	}
	if words := root.Flags().Args(); len(words) > 0 {
		return task.Unknown("verb", words[0], verbNames(root))
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
		Args:  arguments(0, 1, "a verb"),
		ValidArgsFunction: func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return verbNames(c.Root()), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			verb, rest, _ := c.Root().Find(args) // as in checkVerb
			if len(rest) > 0 {
				return task.Unknown("verb", rest[0], verbNames(c.Root()))
			}
			verb.InitDefaultHelpFlag() // for the list of its flags
			return verb.Help()
		},
	}
}

// flagError words what is wrong with a flag.
func flagError(c *cobra.Command, err error) error {
	see := "see: " + c.CommandPath() + " --help"
	var (
		missing *pflag.NotExistError
		value   *pflag.InvalidValueError
		none    *pflag.ValueRequiredError
		syntax  *pflag.InvalidSyntaxError
	)
	switch {
	case errors.As(err, &missing):
		return unknownFlag(c, missing, see)
	case errors.As(err, &value):
		return fmt.Errorf("--%s %s: want %s; %s", value.GetFlag().Name, strconv.Quote(value.GetValue()), wanted(value), see)
	case errors.As(err, &none):
		return fmt.Errorf("--%s lacks its value, %s; %s", none.GetFlag().Name, flagKind(none.GetFlag()), see)
	case errors.As(err, &syntax):
		return fmt.Errorf("%s is no flag; %s", syntax.GetSpecifiedFlag(), see)
	}
	return fmt.Errorf("%w; %s", err, see)
}

func unknownFlag(c *cobra.Command, missing *pflag.NotExistError, see string) error {
	// A word after one dash is read as letters, each a flag; it may be meant as one.
	name, given := missing.GetSpecifiedName(), "--"+missing.GetSpecifiedName()
	if letters := missing.GetSpecifiedShortnames(); letters != "" {
		name, given = letters, "-"+letters
	}
	var known []string
	c.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
	if near := task.Nearest(name, known); near != "" && len(name) > 1 {
		see = "did you mean --" + near + "? " + see
	}
	return fmt.Errorf("unknown flag %s; %s", given, see)
}

// wanted says what a flag takes that was given something else.
func wanted(e *pflag.InvalidValueError) string {
	if errors.Is(e, strconv.ErrRange) {
		return flagKind(e.GetFlag()) + " that is not so large"
	}
	return flagKind(e.GetFlag())
}

// flagKind says what a flag takes, in the words that settings have.
func flagKind(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "bool":
		return "true or false, or no value"
	case "int":
		return "a whole number"
	case "uint", "uint64":
		return "a whole number of 0 or more"
	case "float64":
		return "a number"
	case "intSlice":
		return "whole numbers with commas"
	case "uintSlice":
		return "whole numbers of 0 or more, with commas"
	case "stringSlice":
		return "words with commas"
	}
	return "text"
}

// arguments demands between least and most arguments, most < 0 being no bound, and
// says what they are.
func arguments(least, most int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return fmt.Errorf("%s lacks its argument, %s; see: %s --help", c.CommandPath(), what, c.CommandPath())
		case most == 0 && len(args) > 0:
			return fmt.Errorf("unexpected argument %q: %s takes flags only; see: %s --help", args[0], c.CommandPath(), c.CommandPath())
		case most > 0 && len(args) > most:
			return fmt.Errorf("unexpected argument %q after %s; see: %s --help", args[most], what, c.CommandPath())
		}
		return nil
	}
}

// noArguments is for verbs that take flags only.
var noArguments = arguments(0, 0, "")

// oneArgument demands exactly one argument and says what it is.
func oneArgument(what string) cobra.PositionalArgs { return arguments(1, 1, what) }

// exclusive refuses two of some flags together.
func exclusive(c *cobra.Command, names ...string) {
	c.MarkFlagsMutuallyExclusive(names...) // for completion; its error is never reached
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
			return fmt.Errorf("%s exclude each other; give one of them; see: %s --help", strings.Join(given, " and "), c.CommandPath())
		}
		return nil
	}
}
