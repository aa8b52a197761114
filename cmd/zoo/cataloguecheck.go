package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/machine"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/zoo"
	"github.com/nopezoo/zoo/zoo/upkeep"
)

// checkCatalogue trains models of the catalogue again and compares.
func (a *app) checkCatalogue(ctx context.Context, from zoo.Catalogue, names []string) error {
	for _, name := range names {
		m, err := from.Manifest(name)
		if err != nil {
			return err
		}
		if err := a.checkModel(ctx, m); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func (a *app) checkModel(ctx context.Context, m zoo.Manifest) error {
	folder, err := os.MkdirTemp("", "zoo-check-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	a.note("training %s again: %s", m.Name, m.Command)
	again, err := a.retrain(ctx, m.Command, folder)
	if err != nil {
		return err
	}
	c, err := upkeep.Compare(ctx, m, again, machine.This().Features)
	switch {
	case err != nil:
		return err
	case c.SameBits:
		a.print("%s: the same bits", m.Name)
	default:
		a.print("%s: other bits, on a processor with other features; mean exact match at trained lengths %.3f, and %.3f in the manifest", m.Name, c.Is, c.Was)
	}
	return nil
}

// retrain runs a manifest's command with a folder of its own for the run.
func (a *app) retrain(ctx context.Context, command, folder string) (modelfile.Model, error) {
	words, err := shellWords(command)
	if err != nil || len(words) < 2 || words[0] != "zoo" || words[1] != "train" {
		return modelfile.Model{}, errors.Join(fmt.Errorf("the manifest's command is %q: want one that begins with zoo train", command), err)
	}
	self, err := os.Executable()
	if err != nil {
		return modelfile.Model{}, err
	}
	c := exec.CommandContext(ctx, self, append(words[1:], "--runs", folder)...)
	c.Env = configs.WithoutSettings(os.Environ())
	c.Stdout, c.Stderr = rawWriter(a.stderr), rawWriter(a.stderr) // it is zoo, too
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	if err := c.Run(); err != nil {
		return modelfile.Model{}, errors.Join(fmt.Errorf("training again: %w", err), ctx.Err())
	}
	runs, err := os.ReadDir(folder)
	if err != nil || len(runs) != 1 {
		return modelfile.Model{}, fmt.Errorf("%q made %d runs, want one (%v)", command, len(runs), err)
	}
	run, err := a.lookIn(folder).Run(filepath.Join(folder, runs[0].Name()))
	if err != nil {
		return modelfile.Model{}, err
	}
	return run.Load()
}
