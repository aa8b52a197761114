package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/arguments"
	"github.com/nopezoo/zoo/internal/tables"
	"github.com/nopezoo/zoo/zoo"
	"github.com/nopezoo/zoo/zoo/find"
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
		{"encodings", func(*app, listOptions) (any, [][]string, error) {
			values, lines := tables.Encodings()
			return values, lines, nil
		}, false},
		{"tasks", func(*app, listOptions) (any, [][]string, error) { return tables.Tasks() }, false},
		{"presets", func(*app, listOptions) (any, [][]string, error) { return tables.Presets() }, false},
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
	var kinds []string
	for _, l := range listings() {
		kinds = append(kinds, l.name)
	}
	c := &cobra.Command{
		Use:   "list [" + strings.Join(kinds, "|") + "] [PRESET]",
		Short: "list encodings, tasks, presets, models and runs",
		Args:  arguments.Between(0, 2, "a preset"),
		ValidArgsFunction: func(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			var words []string
			switch {
			case len(args) == 0:
				words = kinds
			case len(args) == 1 && args[0] == "presets":
				words = configs.Names()
			}
			return arguments.Complete(words, false)(c, args, typed)
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if err := o.check(args); err != nil {
				return err
			}
			if len(args) == 0 {
				return a.list(o, listings())
			}
			if err := arguments.OneOf("list", args[0], kinds...); err != nil {
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
	return find.CheckEncodings(o.encodings)
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
			a.Print("")
		}
		if len(kinds) > 1 {
			a.Print("%s", strings.ToUpper(l.name))
		}
		if err := a.Table(lines); err != nil {
			return err
		}
	}
	switch {
	case !o.asJSON:
		return nil
	case len(kinds) == 1:
		return a.JSON(all[kinds[0].name])
	}
	return a.JSON(all)
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
		return a.JSON(about)
	}
	_, err = io.WriteString(a.Out, about.Text)
	return err
}

func listModels(_ *app, o listOptions) (any, [][]string, error) {
	catalogue, err := zoo.List()
	values, lines := tables.Models(catalogue, o.takes)
	return values, lines, err
}

func listRuns(a *app, o listOptions) (any, [][]string, error) {
	runs, err := find.Runs(o.runs, a.warn)
	runs = slices.DeleteFunc(runs, func(r find.Run) bool { return !o.takes(r.Encoding, r.Task) })
	values, lines := tables.Runs(runs)
	return values, lines, err
}
