package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/nopezoo/zoo/interop"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/zoo/find"
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
	c.Flags().StringVarP(&o.output, "output", "o", "",
		"`folder` to make (default: one of the same name among the runs)")
	return c
}

func (a *app) importFolder(dir string, o importOptions) error {
	if find.IsRun(dir) && !interop.IsFolder(dir) {
		if _, err := train.ReadConfig(dir); err == nil {
			return fmt.Errorf("%s is a run already, and needs no import", dir)
		}
	}
	m, err := interop.Read(dir)
	if err != nil {
		return err
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
	a.print("%s: %s, %d tensors, from %s", output, m.Config.Name(), len(m.Weights), dir)
	return nil
}
