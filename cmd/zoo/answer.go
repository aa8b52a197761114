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

// answer is a question and how a model continued it. A prompt that is of no task has no right answer.
type answer struct {
	eval.Question
	Generated string `json:"generated"`
	Correct   *bool  `json:"correct,omitempty"`
}

// mostPrompt is how much of standard input is taken for a prompt.
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

// readPrompt takes the prompt from standard input, where it is "-", and where
// neither a prompt nor --length says what to continue and something is piped in. The
// end of its last line is no part of it.
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

// answerAll lets a model answer, and shows it as it goes or all of it as JSON.
func (a *app) answerAll(
	ctx context.Context, s *runtime.Session, name string, o generateOptions, questions iter.Seq2[eval.Question, error],
) error {
	shown, right := *a, 0
	if o.asJSON {
		shown.Out = io.Discard
	}
	all := []answer{}
	for q, err := range questions {
		if err != nil {
			return err
		}
		given, err := shown.answer(ctx, s, q, o.options(len(all), q.MaxNew))
		if err != nil {
			return err
		}
		if given.Correct != nil && *given.Correct {
			right++
		}
		if all = append(all, given); len(all) == o.n {
			break
		}
	}
	if o.asJSON {
		return a.JSON(struct {
			Model   string   `json:"model"`
			Answers []answer `json:"answers"`
		}{name, all})
	}
	if o.n > 1 && !o.hasPrompt {
		a.Print("%d of %d right", right, o.n)
	}
	return nil
}

// answer continues a prompt, which is shown when the model has begun: what a model
// refuses is an error and nothing else.
func (a *app) answer(
	ctx context.Context, s *runtime.Session, q eval.Question, opt runtime.GenerateOptions,
) (answer, error) {
	begun := false
	begin := func() {
		if !begun && q.Task != "" {
			a.Print("prompt     %s", q.Prompt)
			a.Print("expected   %s", q.Expected)
			fmt.Fprint(a.Out, "generated  ")
		}
		begun = true
	}
	var text strings.Builder
	for piece, err := range s.Stream(ctx, q.Prompt, opt) {
		if err != nil {
			if begun {
				a.Print("")
			}
			return answer{}, err
		}
		begin()
		text.WriteString(piece)
		fmt.Fprint(a.Out, piece)
	}
	begin()
	a.Print("")
	given := answer{Question: q, Generated: text.String()}
	if q.Task == "" {
		return given, nil
	}
	given.Correct = new(q.Correct(given.Generated))
	a.Print("%s\n", map[bool]string{true: "ok", false: "wrong"}[*given.Correct])
	return given, nil
}
