package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/machine"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/zoo"
	"github.com/nopezoo/zoo/zoo/find"
)

// scoreTolerance is how far the mean exact match at trained lengths may lie from the
// manifest's where the bits cannot be the same.
const scoreTolerance = 0.1

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
	hash, err := zoo.WeightsHash(again.Weights)
	if err != nil {
		return err
	}
	features := machine.This().Features
	slices.Sort(features)
	switch {
	case hash == m.WeightsSHA256:
		a.print("%s: the same bits", m.Name)
		return nil
	case slices.Equal(features, m.CPU):
		return fmt.Errorf("the weights have the hash %s, and %s in the manifest, on a processor with the same features", hash, m.WeightsSHA256)
	}
	return a.compareScores(ctx, m, again)
}

// retrain runs a manifest's command with a folder of its own for the run.
func (a *app) retrain(ctx context.Context, command, folder string) (modelfile.Model, error) {
	args, ok := strings.CutPrefix(command, "zoo train ")
	if !ok {
		return modelfile.Model{}, fmt.Errorf("the manifest's command is %q: want one that begins with zoo train", command)
	}
	self, err := os.Executable()
	if err != nil {
		return modelfile.Model{}, err
	}
	c := exec.CommandContext(ctx, self, append(append([]string{"train"}, strings.Fields(args)...), "--runs", folder)...)
	c.Env = settingFree(os.Environ())
	c.Stdout, c.Stderr = rawWriter(a.stderr), rawWriter(a.stderr) // it is zoo, too
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	if err := c.Run(); err != nil {
		return modelfile.Model{}, errors.Join(fmt.Errorf("training again: %w", err), ctx.Err())
	}
	runs, err := os.ReadDir(folder)
	if err != nil || len(runs) != 1 {
		return modelfile.Model{}, fmt.Errorf("%q made %d runs, want one (%v)", command, len(runs), err)
	}
	f, err := find.New(a.lookIn(folder))
	if err != nil {
		return modelfile.Model{}, err
	}
	s, err := f.Named(filepath.Join(folder, runs[0].Name()))
	if err != nil {
		return modelfile.Model{}, err
	}
	return s.Load()
}

// compareScores is for processors with other features than the manifest's.
func (a *app) compareScores(ctx context.Context, m zoo.Manifest, again modelfile.Model) error {
	was, err := meanTrained(m.Scores, m.Card)
	if err != nil {
		return fmt.Errorf("the manifest: %w", err)
	}
	var lengths []int
	n := 0
	for _, s := range m.Scores {
		lengths, n = append(lengths, s.Length), max(n, s.N) // some lengths have fewer prompts than were asked for
	}
	now, err := scores(ctx, again, lengths, n)
	if err != nil {
		return err
	}
	is, err := meanTrained(now, m.Card)
	if err != nil {
		return err
	}
	if math.Abs(was-is) > scoreTolerance {
		return fmt.Errorf("mean exact match at trained lengths is %.3f, and %.3f in the manifest", is, was)
	}
	a.print("%s: other bits, on a processor with other features; mean exact match at trained lengths %.3f, and %.3f in the manifest", m.Name, is, was)
	return nil
}

// meanTrained is the mean exact match at the lengths that a model was trained on.
func meanTrained(scores []zoo.Score, c card.Card) (float64, error) {
	sum, count := 0.0, 0
	for _, s := range scores {
		if s.N > 0 && s.Length >= c.Trained.Min && s.Length <= c.Trained.Max {
			sum += float64(s.Correct) / float64(s.N)
			count++
		}
	}
	if count == 0 {
		return 0, fmt.Errorf("there is no score at a trained length (%d to %d), so nothing to compare", c.Trained.Min, c.Trained.Max)
	}
	return sum / float64(count), nil
}
