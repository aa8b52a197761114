package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/files"
	"github.com/nopezoo/zoo/internal/human"
)

// answerPrompts answers every line of a file, "-" being standard input.
func (a *app) answerPrompts(ctx context.Context, path string, t task.Task, w io.Writer) error {
	var in io.Reader
	if path == "-" {
		var stop func()
		in, stop = a.Input(ctx)
		defer stop()
	} else {
		file, _, err := files.OpenRegular(path, math.MaxInt64) // read line by line
		if err != nil {
			return fmt.Errorf("--answer: %w", err)
		}
		defer file.Close()
		in = file
	}
	for answer, err := range t.Answers(in) {
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(w, answer); err != nil {
			return err
		}
	}
	return nil
}

// maxOriginal is the largest file of original samples that is read, in bytes.
const maxOriginal = 1 << 30

// originalData writes the samples of the original files and says how many of their
// targets are ours.
func (a *app) originalData(o dataOptions, t task.Task, w io.Writer) error {
	var originals []io.Reader
	for _, path := range o.from {
		file, _, err := files.OpenRegular(path, maxOriginal)
		if err != nil {
			return fmt.Errorf("--from: %w", err)
		}
		defer file.Close()
		originals = append(originals, file)
	}
	samples, same, err := t.Published(originals...)
	if err != nil {
		return fmt.Errorf("--from %s: %w", strings.Join(o.from, ","), err)
	}
	for _, s := range samples {
		if err := t.Write(w, o.format, s, ""); err != nil {
			return err
		}
	}
	a.Note("%s; %d with the target that we give", human.Plural(len(samples), "sample", "samples"), same)
	if same < len(samples) {
		return errors.New("the files and this program disagree")
	}
	return nil
}
