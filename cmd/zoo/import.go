package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nopezoo/zoo/cmd/zoo/internal/arguments"
	"github.com/nopezoo/zoo/cmd/zoo/internal/terminal"
	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/modelfile/hf"
	"github.com/nopezoo/zoo/train/runfile"
)

type importOptions struct {
	runs, output string
}

func importVerb(a *app) *cobra.Command {
	var o importOptions
	c := &cobra.Command{
		Use:   "import DIR|FILE.gguf",
		Short: "take in a model: a folder of weights, or a GGUF file",
		Args:  arguments.One("a folder with config.json and model.safetensors, or a GGUF file"),
		RunE:  func(_ *cobra.Command, args []string) error { return a.importFolder(args[0], o) },
	}
	c.Flags().StringVar(&o.runs, "runs", "runs", "`folder` of the runs")
	c.Flags().StringVarP(&o.output, "output", "o", "",
		"`folder` to make (default: one of the same name among the runs)")
	return c
}

func (a *app) importFolder(dir string, o importOptions) error {
	if !hf.IsFolder(dir) {
		if _, err := runfile.ReadConfig(dir); err == nil {
			return fmt.Errorf("%s is a run already, and needs no import", dir)
		}
	}
	m, err := hf.Stored(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w; a model is a folder with config.json and model.safetensors, or a GGUF file", err)
	}
	if err != nil {
		return err
	}
	absolute, err := filepath.Abs(dir) // "." has a name too
	if err != nil {
		return err
	}
	name := filepath.Base(absolute)
	if hf.IsGGUF(name) {
		name = strings.TrimSuffix(name, filepath.Ext(name))
	}
	out := terminal.OutputOr(o.output, filepath.Join(o.runs, name))
	if err := out.CheckFolder(dir); err != nil {
		return err
	}
	if err := hf.Write(out.Path, m); err != nil {
		return err
	}
	a.Print("%s: %s, %s, from %s", out.Path, m.Config.Name(), human.Plural(len(m.Weights), "tensor", "tensors"), dir)
	return nil
}
