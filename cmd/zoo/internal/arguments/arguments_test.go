package arguments_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/nopezoo/zoo/cmd/zoo/internal/arguments"
)

// program is one with a verb that takes a file and some flags.
func program() *cobra.Command {
	root := &cobra.Command{Use: "program", Args: cobra.ArbitraryArgs, SilenceErrors: true, SilenceUsage: true,
		RunE: func(*cobra.Command, []string) error { return nil }}
	root.SetFlagErrorFunc(arguments.FlagError)
	verb := &cobra.Command{Use: "show FILE", Args: arguments.One("a file"),
		RunE: func(*cobra.Command, []string) error { return nil }}
	verb.Flags().Int("lines", 1, "")
	verb.Flags().Bool("json", false, "")
	verb.Flags().Bool("text", false, "")
	arguments.Exclusive(verb, "json", "text")
	root.AddCommand(verb)
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetHelpCommand(arguments.HelpVerb())
	root.InitDefaultHelpCmd()
	root.InitDefaultHelpFlag()
	return root
}

func TestErrors(t *testing.T) {
	for _, test := range []struct{ line, want string }{
		{"show x --lines 3 --json", ""},
		{"shw x", `unknown verb "shw"; did you mean "show"? known: show`},
		{"--hepl", "unknown flag --hepl; did you mean --help? see: program --help"},
		{"show", "show lacks its argument, a file; see: program show --help"},
		{"show x y", `unexpected argument "y" after a file; see: program show --help`},
		{"show x --line 3", "unknown flag --line; did you mean --lines? see: program show --help"},
		{"show x --out y", "unknown flag --out; see: program show --help"},
		{"show x --length 3", "unknown flag --length; see: program show --help"}, // lengths, as others call it, is no flag here
		{"show x --lines many", `--lines "many": want a whole number; see: program show --help`},
		{"show x --lines", "--lines lacks its value, a whole number; see: program show --help"},
		{"show x --json --text", "--json and --text exclude each other; give one of them; see: program show --help"},
		{"help shw", `unknown verb "shw"; did you mean "show"? known: show`},
	} {
		root, args := program(), strings.Fields(test.line)
		root.SetArgs(args)
		err := arguments.CheckVerb(root, args)
		if err == nil {
			err = root.Execute()
		}
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s:\ngot  %s\nwant %s", test.line, got, test.want)
		}
	}
}

func TestChecks(t *testing.T) {
	if err := arguments.AtLeast("n", 0, 1); err == nil || err.Error() != "--n 0: want 1 or more" {
		t.Errorf("too few: %v", err)
	}
	if err := arguments.AtLeast("n", 1, 1); err != nil {
		t.Error(err)
	}
	if err := arguments.OneOf("shell", "bsh", "bash", "zsh"); err == nil || !strings.Contains(err.Error(), `"bash"`) {
		t.Errorf("a slip: %v", err)
	}
	verb, _, err := program().Find([]string{"show"})
	if err != nil {
		t.Fatal(err)
	}
	if err := verb.ParseFlags([]string{"--text", "--json"}); err != nil {
		t.Fatal(err)
	}
	if got := arguments.Given(verb.Flags(), "lines", "json", "text"); got != "json" {
		t.Errorf("given: %q", got)
	}
}

func TestComplete(t *testing.T) {
	complete := arguments.Complete([]string{"nope", "rope"}, true)
	got, otherwise := complete(nil, nil, "rope,n")
	if !slices.Equal(got, []string{"rope,nope"}) || otherwise != cobra.ShellCompDirectiveDefault {
		t.Errorf("%v, %v", got, otherwise)
	}
}
