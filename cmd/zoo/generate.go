package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/tokenizer"
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
}

func generateVerb(a *app) *cobra.Command {
	var o generateOptions
	c := &cobra.Command{
		Use:   "generate [MODEL]",
		Short: "let a model continue a prompt",
		Long: `generate continues the prompt of --prompt, or prompts drawn from the model's own
task at --length, and then says whether the answer is right. A MODEL is an ONNX
file, a run directory or a model of the catalogue; without one it is the newest
run (of the encoding of --pe and the task of --task), else one of the catalogue.`,
		Example: example(
			"zoo generate --pe rope --length 10",
			"zoo generate copy-rope.onnx --length 30 --n 5",
			`zoo generate copy-rope --prompt "Copy: 7 tree B [SEP] "`,
			"zoo generate --temperature 0.8 --top-k 10 --seed 7"),
		Args: arguments(0, 1, "the model"),
		RunE: func(c *cobra.Command, args []string) error {
			o.hasPrompt = c.Flags().Changed("prompt")
			return a.generate(c.Context(), o, args)
		},
	}
	o.engineFlags.add(c)
	f := c.Flags()
	f.StringVar(&o.encoding, "pe", "", "encoding: "+strings.Join(encodingNames(), ", "))
	f.StringVar(&o.task, "task", "", "task that the model was trained on (default: that of the newest run, or copy)")
	f.StringVar(&o.runs, "runs", "runs", "`folder` of the runs")
	f.StringVar(&o.prompt, "prompt", "", "`text` to continue")
	f.IntVar(&o.length, "length", 10, "length of the prompts to draw from the task")
	f.IntVar(&o.n, "n", 1, "how many answers")
	f.IntVar(&o.maxNew, "max-new", 0, "most new tokens; 0: what the answer needs and a few more, or 256")
	f.Float64Var(&o.Temperature, "temperature", 0, "0 takes the most probable token each time")
	f.IntVar(&o.TopK, "top-k", 0, "draw from the k most probable tokens only; 0: all")
	f.Float64Var(&o.TopP, "top-p", 0, "draw from the most probable tokens that sum up to p only; 0: all")
	f.Uint64Var(&o.Seed, "seed", 1, "seed of prompts and of sampling")
	exclusive(c, "prompt", "length")
	return c
}

func (a *app) generate(ctx context.Context, o generateOptions, args []string) error {
	if err := o.engineFlags.check(); err != nil {
		return err
	}
	if o.n < 1 {
		return fmt.Errorf("--n %d: want 1 or more", o.n)
	}
	s, err := a.generating(o, args)
	if err != nil {
		return err
	}
	session, _, err := o.open(s)
	if err != nil {
		return err
	}
	defer session.Close()
	a.note("model: %s", s.from)
	if o.hasPrompt {
		return a.continuePrompt(ctx, session, o)
	}
	return a.answerTask(ctx, session, o)
}

// generating returns the model to use.
func (a *app) generating(o generateOptions, args []string) (source, error) {
	f, err := a.newFinder(o.runs)
	if err != nil {
		return source{}, err
	}
	switch {
	case len(args) > 0 && (o.encoding != "" || o.task != ""):
		return source{}, fmt.Errorf("--pe and --task choose among runs and catalogue, but %s is named; drop one of the two", args[0])
	case len(args) > 0:
		return f.named(args[0])
	}
	if f, err = f.on(o.task); err != nil {
		return source{}, err
	}
	switch {
	case o.encoding != "":
		if err := checkEncodings([]string{o.encoding}); err != nil {
			return source{}, err
		}
		found, err := f.of(o.encoding)
		if err != nil {
			return source{}, err
		}
		return found[0], nil
	case len(f.runs) > 0:
		return runSource(a, f.runs[0]), nil
	}
	found, err := f.all()
	if err != nil {
		return source{}, err
	}
	return found[0], nil
}

func (a *app) continuePrompt(ctx context.Context, s *runtime.Session, o generateOptions) error {
	for i := range o.n {
		if _, err := a.stream(ctx, s, o.prompt, o.options(i, o.maxNew)); err != nil {
			return err
		}
	}
	return nil
}

// options gives every answer its own stream of random numbers.
func (o generateOptions) options(i, maxNew int) runtime.GenerateOptions {
	sampling := o.Sampling
	sampling.Seed += uint64(i)
	return runtime.GenerateOptions{Sampling: sampling, MaxNew: maxNew}
}

// answerTask draws prompts that no training run sees and checks the answers.
func (a *app) answerTask(ctx context.Context, s *runtime.Session, o generateOptions) error {
	tasks, err := task.LookupList(s.Info().Card.Task)
	if err != nil {
		return fmt.Errorf("the model's task: %w; use --prompt", err)
	}
	rng := rand.New(rand.NewPCG(o.Seed, 0))
	right := 0
	for i := range o.n {
		t := tasks[i%len(tasks)]
		sample, err := task.SampleSplit(t, rng, o.length, task.Test)
		if errors.Is(err, task.ErrNoSplit) { // so short that there are few prompts
			sample, err = t.Sample(rng, o.length)
		}
		if err != nil {
			return err
		}
		ok, err := a.answer(ctx, s, t, sample, o, i)
		if err != nil {
			return err
		}
		if ok {
			right++
		}
	}
	if o.n > 1 {
		a.print("%d of %d right", right, o.n)
	}
	return nil
}

// room is how many tokens an answer may have beyond the right one's.
const room = 8

func (a *app) answer(ctx context.Context, s *runtime.Session, t task.Task, sample task.Sample, o generateOptions, i int) (bool, error) {
	maxNew := o.maxNew
	if maxNew == 0 {
		tok, err := tokenizer.New(s.Info().Card.Tokenizer)
		if err != nil {
			return false, err
		}
		ids, start, err := tok.EncodePair(sample.Prompt, sample.Target)
		if err != nil {
			return false, err
		}
		maxNew = len(ids) - start + 1 + room
	}
	a.print("prompt     %s", sample.Prompt)
	a.print("expected   %s", sample.Target)
	fmt.Fprint(a.stdout, "generated  ")
	text, err := a.stream(ctx, s, sample.Prompt, o.options(i, maxNew))
	if err != nil {
		return false, err
	}
	ok := t.Correct(sample.Target, text)
	a.print("%s\n", map[bool]string{true: "ok", false: "wrong"}[ok])
	return ok, nil
}

// stream writes the continuation of a prompt token by token and returns it.
func (a *app) stream(ctx context.Context, s *runtime.Session, prompt string, opt runtime.GenerateOptions) (string, error) {
	if _, err := s.EncodePrompt(prompt); err != nil {
		return "", err // before anything is written
	}
	var all strings.Builder
	defer fmt.Fprintln(a.stdout)
	for piece, err := range s.Stream(ctx, prompt, opt) {
		if err != nil {
			return "", err
		}
		all.WriteString(piece)
		fmt.Fprint(a.stdout, piece)
	}
	return all.String(), nil
}
