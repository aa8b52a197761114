package main

import (
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// completions writes the script that lets a shell complete zoo's words.
var completions = map[string]func(root *cobra.Command, w io.Writer) error{
	"bash":       func(root *cobra.Command, w io.Writer) error { return root.GenBashCompletionV2(w, true) },
	"fish":       func(root *cobra.Command, w io.Writer) error { return root.GenFishCompletion(w, true) },
	"powershell": (*cobra.Command).GenPowerShellCompletionWithDesc,
	"zsh":        (*cobra.Command).GenZshCompletion,
}

func completionVerb(a *app) *cobra.Command {
	shells := slices.Sorted(maps.Keys(completions))
	return &cobra.Command{
		Use:   "completion " + strings.Join(shells, "|"),
		Short: "write the script that lets a shell complete verbs, flags and their values",
		Long: `completion writes a script for a shell. With it the Tab key completes verbs, flags,
and values: encodings, tasks, presets, formats, models and runs. To have it in
every session:

  bash         put this into ~/.bashrc:  source <(zoo completion bash)
  zsh          put this into ~/.zshrc, below compinit:  source <(zoo completion zsh)
  fish         zoo completion fish > ~/.config/fish/completions/zoo.fish
  powershell   zoo completion powershell | Out-String | Invoke-Expression

In bash it needs the package bash-completion.`,
		Example:   example("source <(zoo completion bash)", "zoo completion fish > ~/.config/fish/completions/zoo.fish"),
		Args:      oneArgument("a shell, one of " + strings.Join(shells, ", ")),
		ValidArgs: shells,
		RunE: func(c *cobra.Command, args []string) error {
			if err := oneOf("shell", args[0], shells...); err != nil {
				return err
			}
			return completions[args[0]](c.Root(), a.stdout)
		},
	}
}
