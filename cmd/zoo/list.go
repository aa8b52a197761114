package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/eval/task"
)

// listing is one kind of thing that list can show.
type listing struct {
	name string
	// rows returns what to write as JSON, and the same as lines of cells.
	rows func(a *app, o listOptions) (any, [][]string, error)
	// chosen says whether --pe and --task choose among them.
	chosen bool
}

func listings() []listing {
	return []listing{
		{"encodings", listEncodings, false},
		{"tasks", listTasks, false},
		{"presets", listPresets, false},
		{"models", listModels, true},
		{"runs", listRuns, true},
	}
}

type listOptions struct {
	encodings []string
	task      string
	runs      string
	asJSON    bool
}

// takes reports whether a model is among those chosen.
func (o listOptions) takes(encoding, tasks string) bool {
	return (len(o.encodings) == 0 || slices.Contains(o.encodings, encoding)) &&
		(o.task == "" || task.Related(tasks, o.task))
}

func listVerb(a *app) *cobra.Command {
	var o listOptions
	kinds := each(listings(), func(l listing) string { return l.name })
	c := &cobra.Command{
		Use:   "list [" + strings.Join(kinds, "|") + "] [PRESET]",
		Short: "list encodings, tasks, presets, models and runs",
		Long: `list shows what there is: positional encodings, tasks, presets of settings, the
trained models of the catalogue, and the runs made here. Without a name it shows
everything; with that of a preset it shows the preset and its comments. --pe and --task choose among models and runs.

Of a model it shows the trained lengths, the mean exact match inside them, and the
effective length, the largest length measured up to which all measured ones have an
exact match of 90 %, as their manifests have it.`,
		Example: example(
			"zoo list", "zoo list encodings", "zoo list presets tiny",
			"zoo list models --task copy --pe rope,alibi", "zoo list models --json"),
		Args: arguments(0, 2, "a preset"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			switch {
			case len(args) == 0:
				return lastOf(kinds, typed), cobra.ShellCompDirectiveNoFileComp
			case len(args) == 1 && args[0] == "presets":
				return lastOf(configs.Names(), typed), cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if err := o.check(args); err != nil {
				return err
			}
			if len(args) == 0 {
				return a.list(o, listings())
			}
			if err := oneOf("list", args[0], kinds...); err != nil {
				return err
			}
			if len(args) == 2 {
				return a.showPreset(args, o.asJSON)
			}
			return a.list(o, slices.DeleteFunc(listings(), func(l listing) bool { return l.name != args[0] }))
		},
	}
	c.Flags().StringSliceVar(&o.encodings, "pe", nil, "models and runs of these encodings only")
	c.Flags().StringVar(&o.task, "task", "", "models and runs trained on one of these tasks only")
	c.Flags().BoolVar(&o.asJSON, "json", false, "write JSON")
	c.Flags().StringVar(&o.runs, "runs", "runs", "`folder` of the runs")
	return c
}

// check refuses encodings and tasks that there are not, or that choose nothing.
func (o listOptions) check(args []string) error {
	if len(o.encodings) == 0 && o.task == "" {
		return nil
	}
	for _, l := range listings() {
		if len(args) > 0 && l.name == args[0] && !l.chosen {
			return fmt.Errorf("--pe and --task choose among models and runs, not %s; leave them out", l.name)
		}
	}
	if o.task != "" {
		if _, err := task.LookupList(o.task); err != nil {
			return err
		}
	}
	return checkEncodings(o.encodings)
}

// list shows one kind of thing, or all of them under headings.
func (a *app) list(o listOptions, kinds []listing) error {
	all := map[string]any{}
	for i, l := range kinds {
		value, lines, err := l.rows(a, o)
		if err != nil {
			return err
		}
		if all[l.name] = value; o.asJSON {
			continue
		}
		if i > 0 {
			a.print("")
		}
		if len(kinds) > 1 {
			a.print("%s", strings.ToUpper(l.name))
		}
		if err := a.table(lines); err != nil {
			return err
		}
	}
	switch {
	case !o.asJSON:
		return nil
	case len(kinds) == 1:
		return a.json(all[kinds[0].name])
	}
	return a.json(all)
}

// showPreset writes the preset of "presets NAME" as it is, with its comments.
func (a *app) showPreset(args []string, asJSON bool) error {
	if args[0] != "presets" {
		return fmt.Errorf("unexpected argument %q: zoo list %s takes no name; see: zoo list --help", args[1], args[0])
	}
	about, err := configs.Describe(args[1])
	if err != nil {
		return err
	}
	if asJSON {
		return a.json(about)
	}
	_, err = io.WriteString(a.stdout, about.Text)
	return err
}

// table writes lines of cells with their columns aligned, and no spaces after the
// last, which would wrap in a terminal.
func (a *app) table(lines [][]string) error {
	if len(lines) == 0 {
		lines = [][]string{{"(none)"}}
	}
	_, err := io.WriteString(a.stdout, aligned(lines))
	return err
}

// aligned lays out lines of cells in columns.
func aligned(lines [][]string) string {
	var padded, out strings.Builder
	w := tabwriter.NewWriter(&padded, 0, 0, 2, ' ', 0)
	for _, line := range lines {
		fmt.Fprintln(w, strings.Join(line, "\t"))
	}
	w.Flush() // to memory
	for line := range strings.Lines(padded.String()) {
		out.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return out.String()
}
