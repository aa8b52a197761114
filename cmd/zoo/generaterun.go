package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nopezoo/zoo/cmd/zoo/internal/arguments"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/runtime"
)

// completion is what a model wrote after a prompt. Without a task there is no right answer.
type completion struct {
	eval.Prompt
	Generated string `json:"generated"`
	Correct   *bool  `json:"correct,omitempty"`
}

// mostPrompt is the size of a prompt on standard input at most.
const mostPrompt = 1 << 20

// takePrompt takes the prompt from the command line, where it is --prompt or the second argument.
func (o *generateOptions) takePrompt(c *cobra.Command, args []string) error {
	o.hasPrompt = c.Flags().Changed("prompt")
	if len(args) < 2 {
		return nil
	}
	if other := arguments.Given(c.Flags(), "prompt", "length"); other != "" {
		return fmt.Errorf("--%s and the argument PROMPT exclude each other; give one of them; see: %s --help", other, c.CommandPath())
	}
	o.prompt, o.hasPrompt = args[1], true
	return nil
}

// readPrompt takes the prompt from standard input: for "-", and where something is piped in
// without a prompt and --length. The end of its last line is no part of it.
func (o *generateOptions) readPrompt(ctx context.Context, a *app, hasLength bool) error {
	asked := o.hasPrompt && o.prompt == "-"
	if !asked && (o.hasPrompt || hasLength || !a.IsPiped()) {
		return nil
	}
	text, err := a.ReadText(ctx, "the prompt", mostPrompt, "another prompt or --length would do without")
	if err != nil {
		return err
	}
	if len(text) == 0 && asked {
		return errors.New("the prompt is -, and there is nothing on standard input")
	}
	o.prompt = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
	o.hasPrompt = len(text) > 0
	return nil
}

// completeAll lets a model complete prompts, and shows the text as it is written, or all as JSON.
func (a *app) completeAll(
	ctx context.Context, s *runtime.Session, name string, o generateOptions, prompts iter.Seq2[eval.Prompt, error],
) error {
	shown, right := *a, 0
	if o.asJSON {
		shown.Out = io.Discard
	}
	all := []completion{}
	for p, err := range prompts {
		if err != nil {
			return err
		}
		completed, err := shown.complete(ctx, s, p, o.options(len(all), p.MaxNew))
		if err != nil {
			return err
		}
		if completed.Correct != nil && *completed.Correct {
			right++
		}
		if all = append(all, completed); len(all) == o.n {
			break
		}
	}
	if o.asJSON {
		return a.JSON(struct {
			Model   string       `json:"model"`
			Answers []completion `json:"answers"`
		}{name, all})
	}
	if o.n > 1 && !o.hasPrompt {
		a.Print("%d of %d right", right, o.n)
	}
	return nil
}

// complete completes a prompt, which is shown when the model has begun: a prompt that a model refuses is an error and
// nothing else.
func (a *app) complete(
	ctx context.Context, s *runtime.Session, p eval.Prompt, opt runtime.GenerateOptions,
) (completion, error) {
	started := false
	begin := func() {
		if !started && p.Task != "" {
			fmt.Fprintf(a.Out, "prompt     %s\nexpected   %s\ngenerated  ", p.Text, p.Expected) // texts stay whole
		}
		started = true
	}
	var text strings.Builder
	for step, err := range s.Stream(ctx, []runtime.Prompt{{Text: p.Text}}, opt) {
		if err != nil {
			if started {
				a.Print("")
			}
			return completion{}, err
		}
		if step.Text == "" {
			continue
		}
		begin()
		text.WriteString(step.Text)
		fmt.Fprint(a.Out, step.Text)
	}
	begin()
	a.Print("")
	completed := completion{Prompt: p, Generated: text.String()}
	if p.Task == "" {
		return completed, nil
	}
	completed.Correct = new(p.Correct(completed.Generated))
	a.Print("%s\n", map[bool]string{true: "ok", false: "wrong"}[*completed.Correct])
	return completed, nil
}
