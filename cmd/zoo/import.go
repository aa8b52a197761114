package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/interop"
	"github.com/nopezoo/zoo/train"
)

type importOptions struct {
	runs, output string
}

func importVerb(a *app) *cobra.Command {
	var o importOptions
	c := &cobra.Command{
		Use:   "import DIR",
		Short: "take in a model from a folder of safetensors and config.json",
		Long: `import reads a folder as Hugging Face tools keep models (config.json and
model.safetensors, whole or in shards, in 32 or 16 bits, and tokenizer.json if the
model has one), checks every tensor's name, shape and numbers against the model of
config.json, and puts it among the runs, where export, bench, generate, inspect and
list find it. zoo export --format safetensors writes such folders; what stands in
them is in the documentation of package interop, and models/NAMES.md lists the
tensors.`,
		Example: example(
			"zoo import copy-rope-hf                     # runs/copy-rope-hf",
			"zoo import downloads/mine -o runs/mine",
			"zoo bench runs/mine --lengths 20..200"),
		Args: oneArgument("a folder with config.json and model.safetensors"),
		RunE: func(_ *cobra.Command, args []string) error { return a.importFolder(args[0], o) },
	}
	c.Flags().StringVar(&o.runs, "runs", "runs", "`folder` of the runs")
	c.Flags().StringVarP(&o.output, "output", "o", "", "`folder` to make (default: one of the same name among the runs)")
	return c
}

func (a *app) importFolder(dir string, o importOptions) error {
	if isRun(dir) && !interop.IsFolder(dir) {
		if _, err := train.ReadConfig(dir); err == nil {
			return fmt.Errorf("%s is a run already, and needs no import", dir)
		}
	}
	m, err := interop.Read(dir)
	if err != nil {
		return withNearest(err)
	}
	output := o.output
	if output == "" {
		whole, err := filepath.Abs(dir) // "." has a name too
		if err != nil {
			return err
		}
		output = filepath.Join(o.runs, filepath.Base(whole))
		if _, err := os.Lstat(output); err == nil {
			return replaces(output, "-o "+output)
		}
	}
	if err := checkFolder(output, dir); err != nil {
		return err
	}
	if err := interop.Write(output, m); err != nil {
		return err
	}
	a.print("%s: %s, %d tensors, from %s", output, m.Config.Encoding, len(m.Weights), dir)
	return nil
}

// withNearest adds the nearest known name to a complaint about an unknown one.
func withNearest(err error) error {
	var u *interop.UnknownError
	if !errors.As(err, &u) {
		return err
	}
	if near := task.Nearest(u.Name, u.Known); near != "" {
		return fmt.Errorf("%w; did you mean %q instead of %q?", err, near, u.Name)
	}
	return err
}

// readFolder describes a folder of weights as a run that is finished.
func readFolder(dir string) (runInfo, error) {
	m, err := interop.Describe(dir)
	if err != nil {
		return runInfo{}, withNearest(err)
	}
	r := runInfo{Dir: dir, Encoding: m.Config.Encoding, Task: m.Card.Task, Seed: m.Card.Seed,
		Step: m.Card.Steps, Steps: m.Card.Steps, Loss: m.Card.Loss, Imported: true}
	if t := m.Card.Trained; t != (card.Lengths{}) {
		r.Lengths = fmt.Sprintf("%d..%d", t.Min, t.Max)
	}
	if info, err := os.Stat(dir); err == nil {
		r.Saved = info.ModTime()
	}
	return r, nil
}

// notTrained is the error for going on with training where there was none.
func notTrained(dir string) error {
	return fmt.Errorf("%s holds imported weights and no run: training cannot go on without the optimizer's state", dir)
}

// folderSource is the model of a folder of weights, which has no checkpoints.
func folderSource(r runInfo) source {
	return source{
		label: filepath.Base(r.Dir), from: fmt.Sprintf("folder %s (%s)", r.Dir, r.state()), encoding: r.Encoding, folder: r.Dir,
		load: func() (model, error) {
			m, err := interop.Read(r.Dir)
			return model{m.Config, m.Weights, m.Card}, withNearest(err)
		},
	}
}

// exportFolder writes a model as a folder that import reads.
func (a *app) exportFolder(s source, m model, o exportOptions) error {
	path := folderPath(o, m)
	if _, err := os.Lstat(path); err == nil && o.output == "" {
		return replaces(path, o.rename(path))
	}
	if err := cmp.Or(o.claim(path, s), checkFolder(path, s.folder)); err != nil {
		return err
	}
	if err := interop.Write(path, interop.Model{Config: m.cfg, Weights: m.weights, Card: m.card}); err != nil {
		return err
	}
	a.print("%s: safetensors, config.json and tokenizer from %s, %d tensors", path, s.from, len(m.weights))
	return nil
}

// folderPath is a folder named by the user, or one in the folder named.
func folderPath(o exportOptions, m model) string {
	name := m.name() + "-hf"
	switch {
	case o.output == "":
		return name
	case o.into:
		return filepath.Join(o.output, name)
	}
	return o.output
}
