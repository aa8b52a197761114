package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nopezoo/zoo/cmd/zoo/internal/arguments"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/tokenizer"
)

type generateOptions struct {
	engineFlags
	interventionFlags
	runtime.Sampling
	encoding  string
	task      string
	runs      string
	prompt    string
	hasPrompt bool
	length    int
	n, maxNew int
	stops     []string
	asJSON    bool
}

func generateVerb(a *app) *cobra.Command {
	var o generateOptions
	c := &cobra.Command{
		Use:   "generate [MODEL [PROMPT]]",
		Short: "let a model continue a prompt",
		Args:  arguments.Between(0, 2, "the prompt"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := o.takePrompt(c, args); err != nil {
				return err
			}
			if err := o.check(); err != nil {
				return err
			}
			if err := o.readPrompt(c.Context(), a, c.Flags().Changed("length")); err != nil {
				return err
			}
			return a.generate(c.Context(), o, args[:min(len(args), 1)])
		},
	}
	o.engineFlags.add(c)
	o.interventionFlags.add(c)
	o.addFiles(c)
	a.addLinks(c)
	f := c.Flags()
	f.StringVar(&o.encoding, "pe", "", "encoding: "+strings.Join(models.Encodings(), ", "))
	f.StringVar(&o.task, "task", "", "task that the model was trained on (default: the newest run's, or copy)")
	f.StringVar(&o.runs, "runs", "runs", "`folder` of the runs")
	f.StringVar(&o.prompt, "prompt", "", "`text` to continue; - reads standard input")
	f.IntVar(&o.length, "length", 10, "length of the prompts to draw from the task")
	f.IntVar(&o.n, "n", 1, "how many answers")
	f.IntVar(&o.maxNew, "max-new", 0, "most new tokens; 0: what the answer needs and a few more, or 256")
	f.StringArrayVar(&o.stops, "stop", nil, "`text` before which an answer ends; may be given several times")
	f.Float64Var(&o.Temperature, "temperature", 0, "0 takes the most probable token each time")
	f.IntVar(&o.TopK, "top-k", 0, "draw from the k most probable tokens only; 0: all")
	f.Float64Var(&o.TopP, "top-p", 0, "draw from the most probable tokens that sum up to p only; 0: all")
	f.Float64Var(&o.MinP, "min-p", 0, "draw from tokens at least p times as probable as the best only; 0: all")
	f.Float64Var(&o.RepetitionPenalty, "repetition-penalty", 1, "divide logits of prompt and answer tokens; 1: none")
	f.Float64Var(&o.FrequencyPenalty, "frequency-penalty", 0, "subtract from the logit for each time in the answer")
	f.Float64Var(&o.PresencePenalty, "presence-penalty", 0, "subtract from the logit of what is in the answer")
	f.Uint64Var(&o.Seed, "seed", 1, "seed of prompts and of sampling")
	f.BoolVar(&o.asJSON, "json", false, "write JSON")
	arguments.Exclusive(c, "prompt", "length")
	return c
}

// check refuses flags before anything is read or loaded.
func (o generateOptions) check() error {
	return cmp.Or(o.engineFlags.check(), arguments.AtLeast("n", o.n, 1), arguments.AtLeast("length", o.length, 1),
		arguments.AtLeast("max-new", o.maxNew, 0), o.options(0, 0).Check())
}

func (a *app) generate(ctx context.Context, o generateOptions, args []string) error {
	var encodings []string
	if o.encoding != "" {
		encodings = []string{o.encoding}
	}
	found, err := a.choose(o.runs, args, encodings, o.task)
	if err == nil {
		found, err = o.interventionFlags.apply(found)
	}
	if err != nil {
		return err
	}
	s := found[0]
	if err := a.needProvider(ctx, o.provider); err != nil {
		return err
	}
	session, err := o.open(s)
	if err != nil {
		return err
	}
	defer session.Close()
	prompts, err := o.prompts(ctx, session)
	if err != nil {
		return fmt.Errorf("%s: %w", s.From, err)
	}
	a.Note("model: %s", s.From)
	a.noteWarnings(s.From, session)
	err = a.completeAll(ctx, session, s.Label, o, prompts)
	if errors.Is(err, runtime.ErrTooLong) {
		for next := errors.Unwrap(err); errors.Is(next, runtime.ErrTooLong) && next != runtime.ErrTooLong; next = errors.Unwrap(next) {
			err = next // without the way to it
		}
		err = fmt.Errorf("%s: %w", s.From, err)
	}
	return err
}

// prompts yields the prompt that was given, or prompts of the model's tasks, without end.
func (o generateOptions) prompts(ctx context.Context, s *runtime.Session) (iter.Seq2[eval.Prompt, error], error) {
	if o.hasPrompt {
		err := o.readable(ctx, s)
		return func(yield func(eval.Prompt, error) bool) {
			for yield(eval.Prompt{Text: o.prompt}, nil) {
			}
		}, err
	}
	prompts, err := eval.Prompts(s.Info().Card, o.length, o.Seed)
	switch {
	case errors.Is(err, task.ErrNoLength):
		return nil, fmt.Errorf("--length %d: %w", o.length, err)
	case err != nil:
		return nil, fmt.Errorf("%w; give one with --prompt", err)
	}
	return prompts, nil
}

// readable refuses a prompt that the model cannot read, with one of its task that it can.
func (o generateOptions) readable(ctx context.Context, s *runtime.Session) error {
	ids, err := s.EncodePrompt(ctx, o.prompt)
	var unknown *tokenizer.UnknownError
	switch {
	case errors.As(err, &unknown):
		err = unknown // without the way to it
	case errors.Is(err, runtime.ErrInput):
		err = errors.Unwrap(err)
	case err == nil && len(ids) == 0:
		err = errors.New("the prompt is empty, and the model needs a token to begin with")
	}
	if err == nil || ctx.Err() != nil {
		return err
	}
	info := s.Info().Card
	if prompts, none := eval.Prompts(info, max(info.Trained.Min, 2), o.Seed); none == nil {
		for p, none := range prompts {
			if none == nil {
				return fmt.Errorf("%w; a prompt of its task: %s", err, strconv.Quote(p.Text))
			}
			break
		}
	}
	return err
}

// options gives every answer its own stream of random numbers. An answer has the tokens that it needs unless
// --max-new says how many.
func (o generateOptions) options(i, needed int) runtime.GenerateOptions {
	sampling := o.Sampling
	sampling.Seed += uint64(i)
	return runtime.GenerateOptions{Sampling: sampling, MaxNew: cmp.Or(o.maxNew, needed), StopStrings: o.stops}
}
