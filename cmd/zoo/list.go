package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nopezoo/zoo/cmd/zoo/internal/arguments"
	"github.com/nopezoo/zoo/cmd/zoo/internal/find"
	"github.com/nopezoo/zoo/cmd/zoo/internal/tables"
	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/zoo/catalogue"
)

// kinds are what list can show. --pe and --task choose among the last two.
var kinds = []string{"encodings", "tasks", "presets", "models", "runs"}

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
	c := &cobra.Command{
		Use:   "list [" + strings.Join(kinds, "|") + "] [NAME]",
		Short: "list encodings, tasks, presets, models and runs",
		Args:  arguments.Between(0, 2, "a preset or an encoding"),
		ValidArgsFunction: func(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			var words []string
			switch {
			case len(args) == 0:
				words = kinds
			case len(args) == 1 && args[0] == "presets":
				words = configs.Names(configs.Presets)
			case len(args) == 1 && args[0] == "encodings":
				words = models.Encodings()
			}
			return arguments.Complete(words, false)(c, args, typed)
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if err := o.check(args); err != nil {
				return err
			}
			if len(args) == 0 {
				return a.list(o, kinds)
			}
			if err := arguments.OneOf("list", args[0], kinds...); err != nil {
				if slices.Contains(models.Encodings(), args[0]) {
					err = fmt.Errorf("%q is no list but an encoding; show it: zoo list encodings %s", args[0], args[0])
				}
				return err
			}
			if len(args) == 2 {
				return a.showOne(args, o)
			}
			return a.list(o, args)
		},
	}
	c.Flags().StringSliceVar(&o.encodings, "pe", nil, "models and runs of these encodings only")
	c.Flags().StringVar(&o.task, "task", "", "models and runs trained on one of these tasks only")
	c.Flags().BoolVar(&o.asJSON, "json", false, "write JSON")
	c.Flags().StringVar(&o.runs, "runs", "runs", "`folder` of the runs")
	return c
}

// check refuses encodings and tasks that there are not, or that choose nothing, and replaces encodings by what
// models with them are called.
func (o *listOptions) check(args []string) (err error) {
	if len(o.encodings) == 0 && o.task == "" {
		return nil
	}
	if len(args) > 0 && slices.Contains(kinds[:3], args[0]) {
		return fmt.Errorf("--pe and --task choose among models and runs, not %s; leave them out", args[0])
	}
	if o.task != "" {
		if _, err := task.LookupList(o.task); err != nil {
			return err
		}
	}
	o.encodings, err = models.EncodingNames(o.encodings)
	return err
}

// list shows one kind of thing, or all of them under headings.
func (a *app) list(o listOptions, kinds []string) error {
	all := map[string]any{}
	for i, kind := range kinds {
		value, lines, err := a.listed(o, kind)
		if err != nil {
			return err
		}
		if all[kind] = value; o.asJSON {
			continue
		}
		if i > 0 {
			a.Print("")
		}
		if len(kinds) > 1 {
			a.Print("%s", strings.ToUpper(kind))
		}
		if err := a.Table(lines); err != nil {
			return err
		}
	}
	switch {
	case !o.asJSON:
		return nil
	case len(kinds) == 1:
		return a.JSON(all[kinds[0]])
	}
	return a.JSON(all)
}

// showOne writes what a name stands for.
func (a *app) showOne(args []string, o listOptions) error {
	if args[0] == "encodings" {
		return a.showEncoding(args[1], o.asJSON)
	}
	return a.showPreset(args, o.asJSON)
}

// showEncoding writes an encoding with its settings.
func (a *app) showEncoding(name string, asJSON bool) error {
	value, lines, settings, err := tables.Encoding(name)
	switch {
	case err != nil:
		return err
	case asJSON:
		return a.JSON(value)
	}
	if err := a.Table(lines); err != nil || len(settings) == 0 {
		return err
	}
	a.Print("\nset with --set model.encoding_params.NAME=VALUE:")
	return a.Table(settings)
}

// showPreset writes the preset of "presets NAME" as it is, with its comments.
func (a *app) showPreset(args []string, asJSON bool) error {
	if args[0] != "presets" {
		return fmt.Errorf("unexpected argument %q: zoo list %s takes no name; see: zoo list --help", args[1], args[0])
	}
	about, err := configs.Describe(configs.Presets, args[1])
	if err != nil {
		return err
	}
	if asJSON {
		return a.JSON(about)
	}
	_, err = io.WriteString(a.Out, about.Text)
	return err
}

// listed returns what to write as JSON of one kind, and the same as lines of cells.
func (a *app) listed(o listOptions, kind string) (values any, lines [][]string, err error) {
	switch kind {
	case "encodings":
		values, lines = tables.Encodings()
	case "tasks":
		values, lines, err = tables.Tasks()
	case "presets":
		values, lines, err = tables.Presets()
	case "models":
		var manifests []catalogue.Manifest
		manifests, err = catalogue.Embedded().List()
		values, lines = tables.Models(manifests, o.takes)
	case "runs":
		var runs []find.Run
		runs, err = find.Runs(o.runs, a.warn)
		values, lines = tables.Runs(slices.DeleteFunc(runs,
			func(r find.Run) bool { return !o.takes(r.Encoding, r.Task) }))
	}
	return values, lines, err
}
