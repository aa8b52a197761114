package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"time"

	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/tokenizer"
	"github.com/nopezoo/zoo/zoo/find"
)

// answer is a prompt and how a model continued it; a prompt drawn from a task has a
// right answer.
type answer struct {
	Task      string `json:"task,omitempty"`
	Length    int    `json:"length,omitempty"`
	Prompt    string `json:"prompt"`
	Expected  string `json:"expected,omitempty"`
	Generated string `json:"generated"`
	Correct   *bool  `json:"correct,omitempty"`

	task   task.Task
	maxNew int
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
	type input struct {
		text []byte
		err  error
	}
	read := make(chan input, 1)
	go func() { // Ctrl-C does not end a read
		text, err := io.ReadAll(io.LimitReader(a.stdin, mostPrompt+1))
		read <- input{text, err}
	}()
	slow := time.AfterFunc(2*time.Second, func() { a.note("waiting for a prompt on standard input; --prompt or --length would do without") })
	defer slow.Stop()
	var in input
	select {
	case in = <-read:
	case <-ctx.Done():
		return ctx.Err()
	}
	switch {
	case in.err != nil:
		return fmt.Errorf("read the prompt from standard input: %w", in.err)
	case len(in.text) > mostPrompt:
		return fmt.Errorf("the prompt on standard input is longer than %s", bytesText(mostPrompt))
	case len(in.text) == 0 && asked:
		return errors.New("--prompt -: there is nothing on standard input")
	}
	line := strings.TrimSuffix(strings.TrimSuffix(string(in.text), "\n"), "\r")
	o.prompt, o.hasPrompt = line, len(in.text) > 0
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

// questions returns what makes the prompts, one after another: the one that was given,
// or prompts of the model's tasks that no training run sees.
func (o generateOptions) questions(s *runtime.Session) (func(i int) (answer, error), error) {
	if o.hasPrompt {
		_, err := s.EncodePrompt(o.prompt)
		return func(int) (answer, error) { return answer{Prompt: o.prompt, maxNew: o.maxNew}, nil }, err
	}
	tasks, err := task.LookupList(s.Info().Card.Task)
	if err != nil {
		return nil, fmt.Errorf("the model's task: %w; use --prompt", err)
	}
	words, err := tokenizer.New(s.Info().Card.Tokenizer)
	if err != nil {
		return nil, err
	}
	for _, t := range tasks {
		if _, err := t.Sample(rand.New(rand.NewPCG(o.Seed, 0)), o.length); err != nil {
			return nil, fmt.Errorf("--length %d: %w", o.length, err)
		}
	}
	rng := rand.New(rand.NewPCG(o.Seed, 0))
	return func(i int) (answer, error) { return o.draw(tasks[i%len(tasks)], rng, words) }, nil
}

// room is how many tokens an answer may have beyond the right one's.
const room = 8

// draw makes a prompt of a task.
func (o generateOptions) draw(t task.Task, rng *rand.Rand, words *tokenizer.Tokenizer) (answer, error) {
	sample, err := task.SampleSplit(t, rng, o.length, task.Test)
	if errors.Is(err, task.ErrNoSplit) { // so short that there are few prompts
		sample, err = t.Sample(rng, o.length)
	}
	if err != nil {
		return answer{}, err
	}
	q := answer{Task: t.Name, Length: sample.Length, Prompt: sample.Prompt, Expected: sample.Target, task: t, maxNew: o.maxNew}
	if q.maxNew == 0 {
		ids, start, err := words.EncodePair(sample.Prompt, sample.Target)
		if err != nil {
			return answer{}, err
		}
		q.maxNew = len(ids) - start + 1 + room
	}
	return q, nil
}

// answerAll lets a model answer, and shows it as it goes or all of it as JSON.
func (a *app) answerAll(ctx context.Context, s *runtime.Session, from find.Model, o generateOptions, next func(i int) (answer, error)) error {
	shown, right := *a, 0
	if o.asJSON {
		shown.stdout = io.Discard
	}
	all := []answer{}
	for i := range o.n {
		q, err := next(i)
		if err != nil {
			return err
		}
		if err := shown.answer(ctx, s, &q, o.options(i, q.maxNew)); err != nil {
			return err
		}
		if q.Correct != nil && *q.Correct {
			right++
		}
		if o.asJSON {
			all = append(all, q)
		}
	}
	if o.asJSON {
		return a.json(struct {
			Model   string   `json:"model"`
			Answers []answer `json:"answers"`
		}{from.Label, all})
	}
	if o.n > 1 && !o.hasPrompt {
		a.print("%d of %d right", right, o.n)
	}
	return nil
}

// answer continues a prompt, which is shown when the model has begun: what a model
// refuses is an error and nothing else.
func (a *app) answer(ctx context.Context, s *runtime.Session, q *answer, opt runtime.GenerateOptions) error {
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
			return err
		}
		begin()
		text.WriteString(piece)
		fmt.Fprint(a.stdout, piece)
	}
	begin()
	a.print("")
	q.Generated = text.String()
	if q.Task == "" {
		return nil
	}
	ok := q.task.Correct(q.Expected, q.Generated)
	q.Correct = &ok
	a.print("%s\n", map[bool]string{true: "ok", false: "wrong"}[ok])
	return nil
}
