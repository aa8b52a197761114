package main

import (
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/report"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/zoo"
	"github.com/nopezoo/zoo/zoo/find"
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

// flagWords are the values of flags that take one or some of a few words, by the
// flag's name, with the verb's before it where verbs differ.
func flagWords() map[string][]string {
	tasks := each(task.All(), func(t task.Task) string { return t.Name })
	return map[string][]string{
		"pe":                models.Encodings(),
		"bench pe":          append(models.Encodings(), "all"),
		"task":              tasks,
		"bench task":        append(slices.Clone(tasks), "all"),
		"preset":            configs.Names(),
		"profile":           {card.Portable, card.Fused},
		"provider":          providers,
		"setup provider":    {"cpu", "cuda"},
		"bench format":      report.Formats(),
		"export format":     exportFormats,
		"data format":       dataFormats,
		"export checkpoint": exportCheckpoints,
		"bench measure":     {eval.MeasureAccuracy, eval.MeasureSpeed},
		"data split":        {"train", "validation", "test", "whole"},
		"sweep config":      configs.Sweeps(), // or a file
		"sweep executor":    {"local", "slurm"},
	}
}

// addCompletions gives a verb's flags and arguments the values that a shell offers.
func (a *app) addCompletions(c *cobra.Command) {
	words := flagWords()
	c.Flags().VisitAll(func(f *pflag.Flag) {
		list, ok := words[c.Name()+" "+f.Name]
		if !ok {
			list, ok = words[f.Name]
		}
		var complete cobra.CompletionFunc
		switch {
		case ok:
			complete = func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
				return lastOf(list, typed), filesToo(f.Name == "config")
			}
		case f.Name == "run":
			complete = a.completeRuns
		case f.Name == "runs" || f.Name == "svg" || f.Name == "png" || f.Name == "into":
			complete = completeFolders
		default:
			return
		}
		if err := c.RegisterFlagCompletionFunc(f.Name, complete); err != nil {
			panic("zoo: " + err.Error()) // a flag of the verb, given once
		}
	})
	switch c.Name() {
	case "bench", "export", "generate", "inspect":
		c.ValidArgsFunction = a.completeModels
	case "train", "catalogue":
		c.ValidArgsFunction = a.completeRuns
	case "import":
		c.ValidArgsFunction = completeFolders
	}
}

// lastOf completes the last of several words with commas.
func lastOf(words []string, typed string) []string {
	var out []string
	before := typed[:strings.LastIndex(typed, ",")+1]
	for _, w := range words {
		if strings.HasPrefix(before+w, typed) {
			out = append(out, before+w)
		}
	}
	return out
}

// filesToo says whether a shell offers files where no word fits.
func filesToo(yes bool) cobra.ShellCompDirective {
	if yes {
		return cobra.ShellCompDirectiveDefault
	}
	return cobra.ShellCompDirectiveNoFileComp
}

func completeFolders(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// completeRuns offers the folders of runs; others are for the shell to complete.
func (a *app) completeRuns(c *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	return lastOf(a.runFolders(c), typed), cobra.ShellCompDirectiveDefault
}

// completeModels offers the models of the catalogue and the folders of runs; files
// are for the shell to complete.
func (a *app) completeModels(c *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	catalogue, _ := zoo.List() // what is wrong with it is for the verb to say
	names := each(catalogue, func(m zoo.Manifest) string { return m.Name })
	return lastOf(append(names, a.runFolders(c)...), typed), cobra.ShellCompDirectiveDefault
}

func (a *app) runFolders(c *cobra.Command) []string {
	root := c.Flag("runs")
	if root == nil {
		return nil
	}
	runs, _ := find.Runs(root.Value.String(), a.warn)
	return each(runs, func(r find.Run) string { return r.Dir })
}
