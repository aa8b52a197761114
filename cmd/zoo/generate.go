package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/zoo/find"
)

type generateOptions struct {
	engineFlags
	runtime.Sampling
	encoding  string
	task      string
	runs      string
	prompt    string
	hasPrompt bool
	length    int
	n, maxNew int
	asJSON    bool
}

func generateVerb(a *app) *cobra.Command {
	var o generateOptions
	c := &cobra.Command{
		Use:   "generate [MODEL]",
		Short: "let a model continue a prompt",
		Long: `generate continues the prompt of --prompt ("-" reads standard input), or the one that
is piped to it, or prompts drawn from the model's own task at --length, and then says
whether the answer is right. Prompt and answer together are the text.

A MODEL is an ONNX file, a run directory or a model of the catalogue; without one it
is the newest run (of the encoding of --pe and the task of --task), else one of the
catalogue.`,
		Example: example(
			"zoo generate --pe rope --length 10",
			"zoo generate copy-rope.onnx --length 30 --n 5",
			`zoo generate copy-rope --prompt "Copy: 7 tree B [SEP] "`,
			`printf "Copy: 7 tree B [SEP] " | zoo generate copy-rope --json`,
			"zoo generate --temperature 0.8 --top-k 10 --seed 7"),
		Args: arguments(0, 1, "the model"),
		RunE: func(c *cobra.Command, args []string) error {
			o.hasPrompt = c.Flags().Changed("prompt")
			if err := o.check(); err != nil {
				return err
			}
			if err := o.readPrompt(c.Context(), a, c.Flags().Changed("length")); err != nil {
				return err
			}
			return a.generate(c.Context(), o, args)
		},
	}
	o.engineFlags.add(c)
	addAllow(c, &o.allow)
	f := c.Flags()
	f.StringVar(&o.encoding, "pe", "", "encoding: "+strings.Join(models.Encodings(), ", "))
	f.StringVar(&o.task, "task", "", "task that the model was trained on (default: that of the newest run, or copy)")
	f.StringVar(&o.runs, "runs", "runs", "`folder` of the runs")
	f.StringVar(&o.prompt, "prompt", "", "`text` to continue; - reads standard input")
	f.IntVar(&o.length, "length", 10, "length of the prompts to draw from the task")
	f.IntVar(&o.n, "n", 1, "how many answers")
	f.IntVar(&o.maxNew, "max-new", 0, "most new tokens; 0: what the answer needs and a few more, or 256")
	f.Float64Var(&o.Temperature, "temperature", 0, "0 takes the most probable token each time")
	f.IntVar(&o.TopK, "top-k", 0, "draw from the k most probable tokens only; 0: all")
	f.Float64Var(&o.TopP, "top-p", 0, "draw from the most probable tokens that sum up to p only; 0: all")
	f.Uint64Var(&o.Seed, "seed", 1, "seed of prompts and of sampling")
	f.BoolVar(&o.asJSON, "json", false, "write JSON")
	exclusive(c, "prompt", "length")
	return c
}

// check refuses flags before anything is read or loaded.
func (o generateOptions) check() error {
	if err := o.engineFlags.check(); err != nil {
		return err
	}
	for _, flag := range []struct {
		name      string
		is, least int
	}{{"n", o.n, 1}, {"length", o.length, 1}, {"max-new", o.maxNew, 0}} {
		if flag.is < flag.least {
			return fmt.Errorf("--%s %d: want %d or more", flag.name, flag.is, flag.least)
		}
	}
	return o.Sampling.Check()
}

func (a *app) generate(ctx context.Context, o generateOptions, args []string) error {
	s, err := a.generating(o, args)
	if err != nil {
		return err
	}
	if err := a.needProvider(ctx, o.provider); err != nil {
		return err
	}
	session, _, err := o.open(s)
	if err != nil {
		return err
	}
	defer session.Close()
	questions, err := o.questions(session)
	if err != nil {
		return fmt.Errorf("%s: %w", s.From, err)
	}
	a.note("model: %s", s.From)
	return a.answerAll(ctx, session, s.Label, o, questions)
}

// generating returns the model to use.
func (a *app) generating(o generateOptions, args []string) (find.Model, error) {
	f, err := find.New(a.lookIn(o.runs))
	if err != nil {
		return find.Model{}, err
	}
	switch {
	case len(args) > 0 && (o.encoding != "" || o.task != ""):
		return find.Model{}, fmt.Errorf(
			"--pe and --task choose among runs and catalogue, but %s is named; drop one of the two", args[0])
	case len(args) > 0:
		return f.Named(args[0])
	}
	if f, err = f.On(o.task); err != nil {
		return find.Model{}, err
	}
	switch {
	case o.encoding != "":
		if err := checkEncodings([]string{o.encoding}); err != nil {
			return find.Model{}, err
		}
		found, err := f.Of(o.encoding)
		if err != nil {
			return find.Model{}, err
		}
		return found[0], nil
	}
	return f.Newest()
}

// questions yields the prompt that was given, or prompts of the model's tasks, without end.
func (o generateOptions) questions(s *runtime.Session) (iter.Seq2[eval.Question, error], error) {
	if o.hasPrompt {
		_, err := s.EncodePrompt(o.prompt)
		return func(yield func(eval.Question, error) bool) {
			for yield(eval.Question{Prompt: o.prompt}, nil) {
			}
		}, err
	}
	questions, err := eval.Questions(s.Info().Card, o.length, o.Seed)
	switch {
	case errors.Is(err, task.ErrNoLength):
		return nil, fmt.Errorf("--length %d: %w", o.length, err)
	case err != nil:
		return nil, fmt.Errorf("%w; use --prompt", err)
	}
	return questions, nil
}

// options gives every answer its own stream of random numbers. An answer has the tokens that it needs unless
// --max-new says how many.
func (o generateOptions) options(i, needed int) runtime.GenerateOptions {
	sampling := o.Sampling
	sampling.Seed += uint64(i)
	return runtime.GenerateOptions{Sampling: sampling, MaxNew: cmp.Or(o.maxNew, needed)}
}
