package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"
	"time"

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

// readPrompt takes the prompt from standard input, where --prompt says so, and where
// neither --prompt nor --length says what to continue and something is piped in. The
// end of its last line is no part of it.
func (o *generateOptions) readPrompt(ctx context.Context, a *app, hasLength bool) error {
	asked := o.hasPrompt && o.prompt == "-"
	if !asked && (o.hasPrompt || hasLength || !a.isPiped()) {
		return nil
	}
	slow := time.AfterFunc(2*time.Second, func() {
		a.note("waiting for a prompt on standard input; --prompt or --length would do without")
	})
	defer slow.Stop()
	text, err := a.input(ctx, func(r io.Reader) ([]byte, error) { return io.ReadAll(io.LimitReader(r, mostPrompt+1)) })
	switch {
	case err != nil:
		return fmt.Errorf("read the prompt from standard input: %w", err)
	case len(text) > mostPrompt:
		return fmt.Errorf("the prompt on standard input is longer than %s", bytesText(mostPrompt))
	case len(text) == 0 && asked:
		return errors.New("--prompt -: there is nothing on standard input")
	}
	o.prompt = strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r")
	o.hasPrompt = len(text) > 0
	return nil
}

// isPiped reports whether standard input is a pipe or a file, as opposed to a
// terminal or nothing.
func (a *app) isPiped() bool {
	f, ok := a.stdin.(*os.File)
	if !ok {
		return a.stdin != nil
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice == 0
}

// answerAll lets a model answer, and shows it as it goes or all of it as JSON.
func (a *app) answerAll(
	ctx context.Context, s *runtime.Session, name string, o generateOptions, questions iter.Seq2[eval.Question, error],
) error {
	shown, right := *a, 0
	if o.asJSON {
		shown.stdout = io.Discard
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
		return a.json(struct {
			Model   string   `json:"model"`
			Answers []answer `json:"answers"`
		}{name, all})
	}
	if o.n > 1 && !o.hasPrompt {
		a.print("%d of %d right", right, o.n)
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
			a.print("prompt     %s", q.Prompt)
			a.print("expected   %s", q.Expected)
			fmt.Fprint(a.stdout, "generated  ")
		}
		begun = true
	}
	var text strings.Builder
	for piece, err := range s.Stream(ctx, q.Prompt, opt) {
		if err != nil {
			if begun {
				a.print("")
			}
			return answer{}, err
		}
		begin()
		text.WriteString(piece)
		fmt.Fprint(a.stdout, piece)
	}
	begin()
	a.print("")
	given := answer{Question: q, Generated: text.String()}
	if q.Task == "" {
		return given, nil
	}
	given.Correct = new(q.Correct(given.Generated))
	a.print("%s\n", map[bool]string{true: "ok", false: "wrong"}[*given.Correct])
	return given, nil
}
