package arguments

import (
	"strings"

	"github.com/nopezoo/zoo/internal/suggest"
	"github.com/spf13/cobra"
)

// CheckVerb refuses a command line without a known verb. Cobra would take its flags for
// zoo's own, and let --help answer.
func CheckVerb(root *cobra.Command, args []string) error {
	c, rest, _ := root.Find(args) // takes any arguments, so there is no error
	if c != root || len(rest) == 0 || rest[0] == cobra.ShellCompRequestCmd ||
		rest[0] == cobra.ShellCompNoDescRequestCmd {
		return nil
	}
	if !strings.HasPrefix(rest[0], "-") {
		return suggest.Unknown("verb", rest[0], verbNames(root))
	}
	if err := root.ParseFlags(rest); err != nil {
		return FlagError(root, err)
	}
	if words := root.Flags().Args(); len(words) > 0 {
		return suggest.Unknown("verb", words[0], verbNames(root))
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

// HelpVerb is --help in the place of a verb.
func HelpVerb() *cobra.Command {
	return &cobra.Command{
		Use:   "help [verb]",
		Short: "explain zoo, or a verb",
		Long:  "help explains a verb, as --help does, or zoo itself.",
		Args:  Between(0, 1, "a verb"),
		ValidArgsFunction: func(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			var words []string
			if len(args) == 0 {
				words = verbNames(c.Root())
			}
			return Complete(words, false)(c, args, typed)
		},
		RunE: func(c *cobra.Command, args []string) error {
			verb, rest, _ := c.Root().Find(args) // as in CheckVerb
			if len(rest) > 0 {
				return suggest.Unknown("verb", rest[0], verbNames(c.Root()))
			}
			verb.InitDefaultHelpFlag() // for the list of its flags
			return verb.Help()
		},
	}
}
