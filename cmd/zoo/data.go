package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/nopezoo/zoo/eval/task"
)

type dataOptions struct {
	task       string
	lengths    string
	n          int
	seed       uint64
	split      string
	scratchpad string
	prefix     string
	all        bool
	answer     string
	from       []string
	format     string
	output     string
}

var dataFormats = []string{"text", "jsonl"}

func dataVerb(a *app) *cobra.Command {
	var o dataOptions
	c := &cobra.Command{
		Use:   "data",
		Short: "print samples of a task",
		Long: `data prints what models are trained and measured on: prompt, tab and target on
each line, or JSON lines.

A task is named with its options, as in addition+full or copy+noprefix, or has them
from --scratchpad and --prefix. The lengths are those the paper trains on unless
--lengths says otherwise, in the forms of zoo bench.

--all prints every sample of a task that can be listed (scan). --answer reads
prompts, one on each line ("-" reads standard input), and prints the target of each
(scan, pcfg). --from reads the files in which a task was first published, prints
their samples in our form, and counts those whose target is ours too:

  scan   one file of lines "IN: jump twice OUT: I_JUMP I_JUMP"
  pcfg   two files, prompts and answers: --from test.src,test.tgt`,
		Example: example(
			"zoo data --task addition --lengths 1..8 --n 5",
			"zoo data --task addition --lengths 3 --scratchpad full --format jsonl",
			"zoo data --task scan --all -o scan.tsv",
			"zoo data --task pcfg --answer prompts.txt"),
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return a.data(c.Context(), o) },
	}
	f := c.Flags()
	f.StringVar(&o.task, "task", "copy", "task, or several with commas; see: zoo list tasks")
	f.StringVar(&o.lengths, "lengths", "", "lengths (default: those the paper trains on)")
	f.IntVar(&o.n, "n", 1, "samples at each length")
	f.Uint64Var(&o.seed, "seed", 1, "seed of the samples")
	f.StringVar(&o.split, "split", "whole", "train, validation, test or whole")
	f.StringVar(&o.scratchpad, "scratchpad", "none", "none, full, minimal or parts such as i1c1o1v1r0")
	f.StringVar(&o.prefix, "prefix", "words", "constant first words of the prompt: words or none")
	f.BoolVar(&o.all, "all", false, "every sample there is")
	f.StringVar(&o.answer, "answer", "", "`file` of prompts to answer")
	f.StringSliceVar(&o.from, "from", nil, "original `files` to read")
	f.StringVar(&o.format, "format", "text", "text or jsonl")
	f.StringVarP(&o.output, "output", "o", "", "`file` to write instead of standard output")
	exclusive(c, "all", "answer", "from", "n")
	exclusive(c, "all", "answer", "from", "seed")
	exclusive(c, "all", "answer", "from", "split")
	exclusive(c, "answer", "from", "lengths")
	return c
}

// tasks returns the tasks with the options that flags add to their names.
func (o dataOptions) tasks() ([]task.Task, error) {
	if err := oneOf("prefix", o.prefix, "words", "none"); err != nil {
		return nil, err
	}
	var options []string
	if o.scratchpad != "none" {
		options = append(options, o.scratchpad)
	}
	if o.prefix == "none" {
		options = append(options, "noprefix")
	}
	return task.LookupList(o.task, options...)
}

func (a *app) data(ctx context.Context, o dataOptions) error {
	if err := oneOf("format", o.format, dataFormats...); err != nil {
		return err
	}
	if o.n < 1 {
		return fmt.Errorf("--n %d: want 1 or more", o.n)
	}
	tasks, err := o.tasks()
	if err != nil {
		return err
	}
	inputs := o.from
	if o.answer != "" {
		inputs = []string{o.answer}
	}
	return a.write(output{path: cmp.Or(o.output, stdoutName), inputs: inputs}, func(w io.Writer) error {
		buffered := bufio.NewWriter(w)
		for _, t := range tasks {
			if err := a.dataOf(ctx, o, t, buffered); err != nil {
				return err
			}
		}
		return buffered.Flush()
	})
}

func (a *app) dataOf(ctx context.Context, o dataOptions, t task.Task, w io.Writer) error {
	switch {
	case o.answer != "":
		return a.answerPrompts(ctx, o.answer, t, w)
	case len(o.from) > 0:
		return a.originalData(o, t, w)
	}
	split, err := task.ParseSplit(o.split)
	if err != nil {
		return err
	}
	var lengths []int
	if o.lengths != "" || !o.all {
		if lengths, err = task.ParseLengths(cmp.Or(o.lengths, t.Train.String())); err != nil {
			return err
		}
	}
	samples := t.Draw(lengths, o.n, o.seed, split)
	if o.all {
		samples, split = t.List(lengths), 0
	}
	for s, err := range samples {
		if err != nil && o.all {
			return fmt.Errorf("--all: %w", err)
		}
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		if err := o.write(w, t, s, split); err != nil {
			return err
		}
	}
	return nil
}

// write writes one sample; split is what it was drawn from, 0 if it was not drawn.
func (o dataOptions) write(w io.Writer, t task.Task, s task.Sample, split task.Split) error {
	if o.format == "text" {
		_, err := fmt.Fprintf(w, "%s\t%s\n", s.Prompt, s.Target)
		return err
	}
	from := ""
	if split.Valid() {
		from = t.SplitAt(s.Length, split).String()
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(struct {
		Task   string `json:"task"`
		Length int    `json:"length"`
		Split  string `json:"split,omitempty"`
		Prompt string `json:"prompt"`
		Target string `json:"target"`
	}{t.Name, s.Length, from, s.Prompt, s.Target})
}
