package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/graph/tensor"
)

// answerPrompts answers every line.
func (a *app) answerPrompts(ctx context.Context, o dataOptions, t task.Task, w io.Writer) error {
	if t.Answer == nil {
		return fmt.Errorf("--answer: prompts of task %s cannot be answered; those of %s can", t.Name, tasksWith(func(t task.Task) bool { return t.Answer != nil }))
	}
	in := a.stdin
	if o.answer != "-" {
		file, _, err := tensor.OpenRegular(o.answer, math.MaxInt64) // read line by line
		if err != nil {
			return fmt.Errorf("--answer: %w", err)
		}
		defer file.Close()
		in = file
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<24)
	for number := 1; lines.Scan(); number++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		answer, err := t.Answer(lines.Text())
		if err != nil {
			return fmt.Errorf("%s: line %d: %w", o.answer, number, err)
		}
		if _, err := fmt.Fprintln(w, answer); err != nil {
			return err
		}
	}
	return lines.Err()
}

// maxOriginal is the largest file of original samples that is read, in bytes.
const maxOriginal = 1 << 30

// originalData writes the samples of the original files and says how many of
// their targets are ours.
func (a *app) originalData(ctx context.Context, o dataOptions, t task.Task, w io.Writer) error {
	if t.Read == nil || t.Answer == nil {
		return fmt.Errorf("--from: task %s has no original files; those that have: %s", t.Name, tasksWith(func(t task.Task) bool { return t.Read != nil }))
	}
	var files []io.Reader
	for _, path := range o.from {
		file, _, err := tensor.OpenRegular(path, maxOriginal)
		if err != nil {
			return fmt.Errorf("--from: %w", err)
		}
		defer file.Close()
		files = append(files, file)
	}
	samples, err := t.Read(files...)
	if err != nil {
		return fmt.Errorf("--from %s: %w", strings.Join(o.from, ","), err)
	}
	same := 0
	for _, s := range samples {
		if err := ctx.Err(); err != nil {
			return err
		}
		if answer, err := t.Answer(s.Prompt); err == nil && answer == s.Target {
			same++
		}
		if err := o.write(w, t, s, ""); err != nil {
			return err
		}
	}
	a.note("%d samples; %d have the target that we give them", len(samples), same)
	if same < len(samples) {
		return errors.New("the files and this program disagree")
	}
	return nil
}
