package task

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/internal/lists"
)

// Draw yields n samples of each length, in the order of the lengths, as Sample draws them. The same
// seed gives the same samples of a length, with any other lengths. An error is the last element; a length
// that the task does not have is one before the first sample.
//
// For n = 0 it yields every sample there is, of some lengths or for none of all. A task without Each is an error then.
func (t Task) Draw(lengths []int, n int, seed uint64, split Split) iter.Seq2[Sample, error] {
	if n == 0 {
		return t.list(lengths)
	}
	return func(yield func(Sample, error) bool) {
		err := split.check()
		for _, length := range lengths {
			err = cmp.Or(err, t.CheckLength(At(length)))
		}
		if err != nil {
			yield(Sample{}, err)
			return
		}
		for _, length := range lengths {
			rng := rand.New(rand.NewPCG(seed, uint64(length)))
			for range n {
				s, err := t.Sample(rng, length, split)
				if !yield(s, err) || err != nil {
					return
				}
			}
		}
	}
}

func (t Task) list(lengths []int) iter.Seq2[Sample, error] {
	return func(yield func(Sample, error) bool) {
		if t.Each == nil {
			can := tasksWith(func(t Task) bool { return t.Each != nil })
			yield(Sample{}, fmt.Errorf("the samples of task %s cannot be listed; those of %s can", t.Name, can))
			return
		}
		for s := range t.Each {
			if (len(lengths) == 0 || slices.Contains(lengths, s.Length)) && !yield(s, nil) {
				return
			}
		}
	}
}

// Answers yields the target of each line of prompts. An error is the last element, and names the line.
func (t Task) Answers(prompts io.Reader) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		if t.Answer == nil {
			can := tasksWith(func(t Task) bool { return t.Answer != nil })
			yield("", fmt.Errorf("prompts of task %s cannot be answered; those of %s can", t.Name, can))
			return
		}
		lines := bufio.NewScanner(prompts)
		lines.Buffer(nil, maxLine)
		for number := 1; lines.Scan(); number++ {
			text, err := lines.Text(), error(nil)
			if number == 1 {
				text, err = opening(text)
			}
			answer := ""
			if err == nil {
				answer, err = t.Answer(text)
			}
			if err != nil {
				err = fmt.Errorf("line %d: %w", number, err)
			}
			if !yield(answer, err) || err != nil {
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield("", err)
		}
	}
}

// Published reads the files in which the task was first published (see Read), and counts the samples whose target
// is the one that Answer gives.
func (t Task) Published(files ...io.Reader) (samples []Sample, same int, err error) {
	if t.Read == nil || t.Answer == nil {
		have := tasksWith(func(t Task) bool { return t.Read != nil })
		return nil, 0, fmt.Errorf("task %s has no original files; those that have: %s", t.Name, have)
	}
	samples, err = t.Read(files...)
	for _, s := range samples {
		if answer, err := t.Answer(s.Prompt); err == nil && answer == s.Target {
			same++
		}
	}
	return samples, same, err
}

// tasksWith names the tasks that have something.
func tasksWith(has func(Task) bool) string {
	with := lists.Filter(All(), has)
	return strings.ReplaceAll(Names(with), ",", ", ")
}
