package main

import (
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/cmd/zoo/internal/arguments"
	"github.com/nopezoo/zoo/cmd/zoo/internal/find"
	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/corpora"
	"github.com/nopezoo/zoo/eval/report"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/experiment/analysis"
	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/internal/placement"
	"github.com/nopezoo/zoo/modelfile/precision"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/models/pe"
	"github.com/nopezoo/zoo/runtime/engine"
	"github.com/nopezoo/zoo/train/runfile"
	"github.com/nopezoo/zoo/zoo"
	"github.com/nopezoo/zoo/zoo/catalogue"
)

// completions write the scripts of shells.
var completions = map[string]func(root *cobra.Command, w io.Writer) error{
	"bash":       func(root *cobra.Command, w io.Writer) error { return root.GenBashCompletionV2(w, true) },
	"fish":       func(root *cobra.Command, w io.Writer) error { return root.GenFishCompletion(w, true) },
	"powershell": (*cobra.Command).GenPowerShellCompletionWithDesc,
	"zsh":        (*cobra.Command).GenZshCompletion,
}

func completionVerb(a *app) *cobra.Command {
	shells := slices.Sorted(maps.Keys(completions))
	return &cobra.Command{
		Use:       "completion " + strings.Join(shells, "|"),
		Short:     "write a script that lets a shell complete verbs, flags and values",
		Args:      arguments.One("a shell, one of " + strings.Join(shells, ", ")),
		ValidArgs: shells,
		RunE: func(c *cobra.Command, args []string) error {
			if err := arguments.OneOf("shell", args[0], shells...); err != nil {
				return err
			}
			return completions[args[0]](c.Root(), a.Out)
		},
	}
}

// flagValues are the completions of flags, by the flag's name, with the verb's before it where verbs differ.
func (a *app) flagValues() map[string]cobra.CompletionFunc {
	words := func(words ...string) cobra.CompletionFunc { return arguments.Complete(words, false) }
	return map[string]cobra.CompletionFunc{
		"pe":                 words(append(models.Encodings(), allEncodings)...),
		"generate pe":        words(models.Encodings()...),
		"task":               words(task.Known()...),
		"bench task":         words(append(task.Known(), allTasks)...),
		"preset":             words(configs.Names(configs.Presets)...),
		"devices":            words(placement.All),
		"profile":            words(card.Portable, card.Fused),
		"dtype":              words(precision.Types...),
		"provider":           words(engine.Providers()...),
		"set":                completeSettings,
		"rope":               words(scalings()...),
		"setup provider":     words("cpu", "cuda"),
		"analyze checkpoint": words(zoo.Last, zoo.Best, zoo.All),
		"analyze format":     words(analyzeFormats...),
		"analyze provider":   words(engine.Go),
		"analyze tokens":     words(analysis.Defaults().Tokens...),
		"divergence":         words(models.Encodings()...),
		"bench format":       words(report.Formats()...),
		"report format":      words(reportFormats...),
		"export format":      words(exportFormats...),
		"data format":        words("text", "jsonl"),
		"export checkpoint":  words([]string{zoo.Last, zoo.Best}...),
		"bench checkpoint":   words(zoo.Last, zoo.Best, zoo.All),
		"bench measure":      words(eval.MeasureAccuracy, eval.MeasureSpeed),
		"bench split":        words(string(task.Test), string(task.Whole)),
		"ranks":              words(ranksBy...),
		"scale":              words("log-n", "log-n=", "factor="),
		"data split":         words("train", "validation", "test", "whole"),
		"sweep config":       arguments.Complete(configs.Names(configs.Sweeps), true),
		"sweep executor":     words(local, "slurm", "array"),
		"run":                a.completeRuns,
		"runs":               arguments.Folders,
		"svg":                arguments.Folders,
		"png":                arguments.Folders,
		"pdf":                arguments.Folders,
		"into":               arguments.Folders,
		"serve log":          words(logFormats...),
	}
}

// verbArguments are the completions of arguments, by the verb.
func (a *app) verbArguments() map[string]cobra.CompletionFunc {
	return map[string]cobra.CompletionFunc{
		"analyze": a.completeModels, "bench": a.completeModels, "export": a.completeModels, "generate": a.completeModels,
		"inspect": a.completeModels, "serve": a.completeModels,
		"data": completeData, "train": a.completeRuns, "catalogue": a.completeRuns, "import": arguments.Folders,
	}
}

// addCompletions completes a verb's flags and arguments; values is flagValues.
func (a *app) addCompletions(c *cobra.Command, values map[string]cobra.CompletionFunc) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		complete := values[c.Name()+" "+f.Name]
		if complete == nil {
			complete = values[f.Name]
		}
		if complete == nil {
			return
		}
		if err := c.RegisterFlagCompletionFunc(f.Name, complete); err != nil {
			panic("zoo: " + err.Error()) // a flag of the verb, given once
		}
	})
	if complete := a.verbArguments()[c.Name()]; complete != nil {
		c.ValidArgsFunction = complete
	}
}

// scalings are the methods of --rope, before a factor.
func scalings() []string {
	return lists.Map(pe.ScalingMethods, func(method string) string { return method + ":" })
}

// completeSettings offers the keys of the configuration, and those of encodings.
func completeSettings(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	var keys []string
	for _, s := range configs.Settings(runfile.Config{}) {
		keys = append(keys, s.Key+"=")
	}
	for _, r := range pe.Table() {
		for _, s := range r.Make.Settings {
			keys = append(keys, "model.encoding_params."+s.Name+"=")
		}
	}
	slices.Sort(keys)
	keys = slices.DeleteFunc(slices.Compact(keys), func(key string) bool { return !strings.HasPrefix(key, typed) })
	return keys, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// completeData offers what data can do with an argument.
func completeData(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	switch {
	case c.Flags().Changed("text"):
		return nil, cobra.ShellCompDirectiveDefault // files
	case len(args) == 0:
		return arguments.Complete([]string{fetchWord}, false)(c, args, typed)
	case args[0] == fetchWord:
		var names []string
		for _, corpus := range corpora.Known() {
			names = append(names, corpus.Name)
		}
		return arguments.Complete(names, false)(c, args, typed)
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// completeRuns offers the folders of runs; others are for the shell to complete.
func (a *app) completeRuns(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	return arguments.Complete(a.runFolders(c), true)(c, args, typed)
}

// completeModels offers the models of the catalogue and the folders of runs; files
// are for the shell to complete.
func (a *app) completeModels(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	all, _ := catalogue.Embedded().List() // the verb reports a broken one
	names := lists.Map(all, func(m catalogue.Manifest) string { return m.Name })
	return arguments.Complete(append(names, a.runFolders(c)...), true)(c, args, typed)
}

// runFolders lists the runs in the folder that --runs names.
func (a *app) runFolders(c *cobra.Command) []string {
	root := c.Flag("runs")
	if root == nil {
		return nil
	}
	runs, _ := find.Runs(root.Value.String(), a.warn)
	return lists.Map(runs, func(r find.Run) string { return r.Dir })
}
