package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/nopezoo/zoo/cmd/zoo/internal/arguments"
	"github.com/nopezoo/zoo/cmd/zoo/internal/terminal"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/summary"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/experiment/analysis"
	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/runtime/engine"
	"github.com/nopezoo/zoo/zoo"
)

type analyzeOptions struct {
	analysis.Options
	interventionFlags
	encodings   []string
	task        string
	lengths     string
	seed        uint
	runs        string
	initial     bool
	checkpoints []string
	provider    string
	format      string
	output      string
}

// analyzeFormats are the ways to show observations.
var analyzeFormats = []string{"table", "md", "jsonl"}

func analyzeVerb(a *app) *cobra.Command {
	o := analyzeOptions{Options: analysis.Defaults()}
	c := &cobra.Command{
		Use:   "analyze [MODEL…]",
		Short: "look into models: what heads attend to at every length",
		RunE:  func(c *cobra.Command, args []string) error { return a.analyze(c.Context(), o, args) },
	}
	o.interventionFlags.add(c)
	f := c.Flags()
	f.StringSliceVar(&o.encodings, "pe", nil, "without a MODEL: the newest run of these encodings, else the catalogue's model; or all")
	f.StringVar(&o.task, "task", "", "task to read; without a MODEL it also chooses those trained on it "+
		"(default: what a MODEL was trained on)")
	f.StringVar(&o.lengths, "lengths", "", "lengths of the task (default: half of the greatest trained one, "+
		"that one, and 1.5 and 2 times as long)")
	f.IntVar(&o.Samples, "n", o.Samples, "different sequences at each length, 2 or more")
	f.UintVar(&o.seed, "seed", uint(o.Seed), "seed of the sequences")
	f.StringSliceVar(&o.Options.Tokens, "tokens", o.Options.Tokens, "what sequences are: task (prompts with their right "+
		"answers), random (their tokens, each drawn anew)")
	f.StringVar(&o.Divergence, "divergence", "", "also compare attention with models of this `encoding`")
	f.BoolVar(&o.Probe, "probe", false, "also read positions off hidden states, fitted at the greatest trained length")
	f.BoolVar(&o.Constructed, "constructed", false, "with --probe: also of the model of the paper's theorem 1")
	f.BoolVar(&o.Logits, "logits", false, "also fit attention logits by content and distance (theorem 2)")
	f.BoolVar(&o.Causal, "causal", false, "also take the position that a probe reads out of hidden states")
	f.BoolVar(&o.initial, "init", false, "also look into each model as it was before training")
	f.BoolVar(&o.Maps, "maps", false, "keep attention weights of one sequence of each length, to be drawn by zoo report")
	f.StringVar(&o.provider, "provider", engine.Go, "what computes: go alone, whose numbers are looked into on their way")
	f.StringVar(&o.runs, "runs", "runs", "`folder` of the runs")
	f.StringSliceVar(&o.checkpoints, "checkpoint", []string{zoo.Last},
		"checkpoints of each run: last, best, steps such as 1000, or all that are there")
	f.StringVar(&o.format, "format", "table", "table, md or jsonl")
	f.StringVarP(&o.output, "output", "o", "", "`file` to keep observations in as JSON lines: cells that it holds are not looked into again; - for standard output")
	return c
}

func (a *app) analyze(ctx context.Context, o analyzeOptions, args []string) error {
	if err := arguments.OneOf("format", o.format, analyzeFormats...); err != nil {
		return err
	}
	if o.provider != engine.Go {
		return fmt.Errorf("--provider %s: analyze looks into what pure Go computes, provider %s; leave the flag out", o.provider, engine.Go)
	}
	p, err := a.planAnalysis(o, args)
	if err != nil {
		return err
	}
	path := o.output
	if path == terminal.Stdout {
		path = ""
	}
	log, err := p.Resume(path)
	if err != nil {
		return err
	}
	defer log.Close()
	if log.Repaired != "" {
		a.Note("%s", log.Repaired)
	}
	if p.Done > 0 {
		a.Note("%d of %s in %s, not looked into again", p.Done, human.Plural(p.Cells, "cell is", "cells are"), o.output)
	}
	m := a.Meter("reading", p.Read, p.Sequences)
	observations, err := p.Run(ctx, log, m.Update)
	m.Close()
	if errors.Is(err, context.Canceled) {
		err = a.interrupted(p.Done, p.Cells, "looked into", path)
	}
	return cmp.Or(err, a.showObservations(o, observations)) // shown after an error, too
}

// showObservations prints tables, or lines of JSON.
func (a *app) showObservations(o analyzeOptions, observations []eval.Observation) error {
	if o.output == terminal.Stdout || o.format == "jsonl" {
		return eval.Write(a.Out, observations...)
	}
	var sections []summary.Section
	for _, t := range summary.Inside(observations, models.Encodings()) {
		sections = append(sections, t.Sections(true)...)
	}
	return summary.Write(a.Out, o.format, a.Width(), sections...)
}

// planAnalysis plans what the command line means.
func (a *app) planAnalysis(o analyzeOptions, args []string) (*analysis.Plan, error) {
	chosen := o.task
	if len(args) > 0 {
		chosen = ""
	}
	found, err := a.choose(o.runs, args, o.encodings, chosen)
	if err != nil {
		return nil, err
	}
	if o.lengths != "" {
		if o.Lengths, err = task.ParseLengths(o.lengths); err != nil {
			return nil, fmt.Errorf("--lengths: %w", err)
		}
	}
	if o.task != "" {
		if o.Tasks, err = task.LookupList(o.task); err != nil {
			return nil, err
		}
	}
	if found, err = atCheckpoints(found, o.checkpoints); err != nil {
		return nil, err
	}
	if found, err = o.interventionFlags.apply(found); err != nil {
		return nil, err
	}
	if o.Constructed && !o.Probe {
		return nil, errors.New("--constructed goes with probes; add --probe")
	}
	o.Seed, o.ToolVersion = uint64(o.seed), version()
	var opened []*analysis.Model
	for _, m := range found {
		if m.File != "" {
			return nil, fmt.Errorf("%s: an ONNX file does not give its attention weights; "+
				"name the run or the model of the catalogue that it was made from", m.From)
		}
		loaded, err := m.Load()
		if err != nil {
			return nil, err
		}
		read, err := analysis.NewModel(m.Label, loaded)
		if err != nil {
			return nil, err
		}
		opened = append(opened, read)
		if !o.initial {
			continue
		}
		if loaded, err = loaded.Untrained(); err == nil {
			read, err = analysis.NewModel(m.Label+"@0", loaded)
		}
		if err != nil {
			return nil, err
		}
		opened = append(opened, read)
	}
	return analysis.NewPlan(opened, o.Options)
}
