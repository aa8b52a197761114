package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/models/pe"
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
	return (len(o.encodings) == 0 || slices.Contains(o.encodings, encoding)) && (o.task == "" || task.Related(tasks, o.task))
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
		Example: example("zoo list", "zoo list encodings", "zoo list presets tiny", "zoo list models --task copy --pe rope,alibi", "zoo list models --json"),
		Args:    arguments(0, 2, "a preset"),
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
				return a.listAll(o)
			}
			if err := oneOf("list", args[0], kinds...); err != nil {
				return err
			}
			if len(args) == 2 {
				return a.showPreset(args, o.asJSON)
			}
			return a.listOne(args[0], o)
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

func (a *app) listAll(o listOptions) error {
	all := map[string]any{}
	for i, l := range listings() {
		value, lines, err := l.rows(a, o)
		if err != nil {
			return err
		}
		all[l.name] = value
		if o.asJSON {
			continue
		}
		if i > 0 {
			a.print("")
		}
		a.print("%s", strings.ToUpper(l.name))
		if err := a.table(lines); err != nil {
			return err
		}
	}
	if o.asJSON {
		return a.json(all)
	}
	return nil
}

func (a *app) listOne(name string, o listOptions) error {
	for _, l := range listings() {
		if l.name != name {
			continue
		}
		value, lines, err := l.rows(a, o)
		if err != nil {
			return err
		}
		if o.asJSON {
			return a.json(value)
		}
		return a.table(lines)
	}
	return nil
}

// table writes lines of cells with their columns aligned, and no spaces after the
// last, which would wrap in a terminal.
func (a *app) table(lines [][]string) error {
	if len(lines) == 0 {
		lines = [][]string{{"(none)"}}
	}
	var aligned strings.Builder
	w := tabwriter.NewWriter(&aligned, 0, 0, 2, ' ', 0)
	for _, line := range lines {
		fmt.Fprintln(w, strings.Join(line, "\t"))
	}
	w.Flush() // to memory
	var out strings.Builder
	for line := range strings.Lines(aligned.String()) {
		out.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	_, err := io.WriteString(a.stdout, out.String())
	return err
}

func listEncodings(*app, listOptions) (any, [][]string, error) {
	type entry struct {
		Name    string `json:"name"`
		Formula string `json:"formula"`
		Source  string `json:"source"`
	}
	list, lines := []entry{}, [][]string{}
	for _, r := range pe.Table() {
		list = append(list, entry{r.Name, r.Formula, r.Source})
		lines = append(lines, []string{r.Name, r.Formula, r.Source})
	}
	for _, a := range models.Architectures() {
		if a.Has("encoding") {
			continue
		}
		list = append(list, entry{a.Name, a.Formula, a.Source})
		lines = append(lines, []string{a.Name, a.Formula, a.Source})
	}
	return list, lines, nil
}

func listTasks(*app, listOptions) (any, [][]string, error) {
	type entry struct {
		Name        string   `json:"name"`
		Aliases     []string `json:"aliases"`
		Version     int      `json:"version"`
		Description string   `json:"description"`
		Train       string   `json:"train"`
		Beyond      string   `json:"beyond"`
		Lengths     string   `json:"lengths"`
		Chance      float64  `json:"chance"`     // at the longest trained length
		Scratchpad  bool     `json:"scratchpad"` // whether it can have one
		Prompt      string   `json:"prompt"`
		Target      string   `json:"target"`
	}
	list, lines := []entry{}, [][]string{{"task", "trained", "tested", "possible", "chance", "example"}}
	for _, t := range task.All() {
		s, err := t.Sample(rand.New(rand.NewPCG(1, 0)), max(2, t.Train.Min))
		if err != nil {
			return nil, nil, err
		}
		_, noScratchpad := task.Lookup(t.Name + "+full")
		list = append(list, entry{t.Name, append([]string{}, t.Aliases...), t.Version, t.Description, t.Train.String(), t.Beyond.String(),
			t.Lengths.String(), t.Chance(t.Train.Max), noScratchpad == nil, s.Prompt, s.Target})
		lines = append(lines, []string{t.Name, t.Train.String(), t.Beyond.String(), t.Lengths.String(),
			fmt.Sprintf("%.2g", t.Chance(t.Train.Max)), strings.TrimSpace(s.Prompt) + " ⏵ " + s.Target})
	}
	return list, lines, nil
}

func listRuns(a *app, o listOptions) (any, [][]string, error) {
	runs, err := find.Runs(o.runs, a.warn)
	if err != nil {
		return nil, nil, err
	}
	runs = slices.DeleteFunc(runs, func(r find.Run) bool { return !o.takes(r.Encoding, r.Task) })
	lines := [][]string{}
	for _, r := range runs {
		loss := ""
		if r.Loss != nil {
			loss = fmt.Sprintf("loss %.4g", *r.Loss)
		}
		lines = append(lines, []string{r.Dir, r.Encoding, r.Task, r.Lengths, r.State(), loss})
	}
	if len(runs) == 0 {
		runs = []find.Run{}
	}
	return runs, lines, nil
}
