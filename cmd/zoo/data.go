package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/nopezoo/zoo/cmd/zoo/internal/arguments"
	"github.com/nopezoo/zoo/cmd/zoo/internal/terminal"
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
	text       []string
	separator  string
	format     string
	output     string
}

// fetchWord is the argument that names of corpora follow.
const fetchWord = "fetch"

func dataVerb(a *app) *cobra.Command {
	var o dataOptions
	c := &cobra.Command{
		Use:   "data [" + fetchWord + " [CORPUS…]]",
		Short: "print samples of a task; make or fetch corpora of running text",
		Args:  cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case len(o.text) > 0:
				return a.makeCorpus(o, append(o.text, args...))
			case len(args) > 0 && args[0] == fetchWord:
				return a.fetchCorpora(c.Context(), o, args[1:])
			case len(args) > 0:
				return fmt.Errorf("data takes no argument but %q, and files after --text; you gave %q", fetchWord, args[0])
			case o.separator != "":
				return errors.New("--separator cuts the files of --text, and there is none")
			}
			return a.data(c.Context(), o)
		},
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
	f.StringSliceVar(&o.text, "text", nil, "plain text `files` to make a corpus of")
	f.StringVar(&o.separator, "separator", "", "with --text: the `line` between documents (default: a file is one)")
	f.StringVar(&o.format, "format", "text", "text or jsonl")
	f.StringVarP(&o.output, "output", "o", "", "`file` to write instead of standard output")
	arguments.Exclusive(c, "all", "answer", "from", "n")
	arguments.Exclusive(c, "all", "answer", "from", "seed")
	arguments.Exclusive(c, "all", "answer", "from", "split")
	arguments.Exclusive(c, "answer", "from", "lengths")
	return c
}

// tasks returns the tasks with the options that flags add to their names.
func (o dataOptions) tasks() ([]task.Task, error) {
	if err := arguments.OneOf("prefix", o.prefix, "words", "none"); err != nil {
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
	if err := cmp.Or(arguments.OneOf("format", o.format, "text", "jsonl"),
		arguments.AtLeast("n", o.n, 1)); err != nil {
		return err
	}
	tasks, err := o.tasks()
	if err != nil {
		return err
	}
	inputs := o.from
	if o.answer != "" {
		inputs = []string{o.answer}
	}
	return a.Write(terminal.Output{Path: cmp.Or(o.output, terminal.Stdout), Inputs: inputs}, func(w io.Writer) error {
		buffered := bufio.NewWriter(w)
		for _, t := range tasks {
			if err := a.dataOf(ctx, o, t, buffered); err != nil {
				return err
			}
		}
		return buffered.Flush()
	})
}

// lengthsOf returns the lengths of the samples. The paper's lengths are picked from the task's: a range of them may have
// gaps.
func (o dataOptions) lengthsOf(t task.Task) ([]int, error) {
	if o.lengths != "" {
		return task.ParseLengths(o.lengths)
	} else if o.all {
		return nil, nil
	}
	lengths, err := task.ParseLengths(t.Train.String())
	if slices.ContainsFunc(lengths, func(n int) bool { return t.CheckLength(task.At(n)) != nil }) {
		return task.Evenly(t.LengthsIn(t.Train)), nil
	}
	return lengths, err
}

func (a *app) dataOf(ctx context.Context, o dataOptions, t task.Task, w io.Writer) error {
	switch {
	case o.answer != "":
		return a.answerPrompts(ctx, o.answer, t, w)
	case len(o.from) > 0:
		return a.originalData(o, t, w)
	}
	split, n := task.Split(o.split), o.n
	if o.all {
		split, n = "", 0
	}
	lengths, err := o.lengthsOf(t)
	if err != nil {
		return err
	}
	for s, err := range t.Draw(lengths, n, o.seed, split) {
		if err != nil && o.all {
			return fmt.Errorf("--all: %w", err)
		}
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		if err := t.Write(w, o.format, s, split); err != nil {
			return err
		}
	}
	return nil
}
