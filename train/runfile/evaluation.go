package runfile

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/lists"
)

// resolveEvaluation fills in what and how much is evaluated, if anything is.
func (c *Config) resolveEvaluation(d Data) error {
	r := &c.Train
	if r.EvalEvery == 0 {
		if r.StopAfterPerfect > 0 {
			return errors.New("train.stop_after_perfect: nothing is evaluated; set train.eval_every")
		}
		return nil
	}
	r.EvalSamples = cmp.Or(r.EvalSamples, 64)
	if r.EvalLengths == "" {
		span := d.Span
		lengths, err := d.trainedSamples(span)
		if err != nil {
			return err
		}
		r.EvalLengths = lengths
		for _, n := range []int{span.Max * 3 / 2, 2 * span.Max} {
			if n > span.Max && d.checkLength(n) == nil {
				r.EvalLengths += "," + strconv.Itoa(n)
			}
		}
	} else if err := d.checkEvaluated(r.EvalLengths); err != nil {
		return fmt.Errorf("train.eval_lengths %s: %w", r.EvalLengths, err)
	}
	return nil
}

// trainedSamples writes some lengths of a range, with a trained one of every task among
// them: the others of a Data may be trained on so few that a choice by all misses them.
func (d Data) trainedSamples(span task.Range) (string, error) {
	list := d.trainedSample(span)
	lengths, err := task.ParseLengths(list)
	if err != nil {
		return "", err
	}
	for i, t := range d.Tasks {
		if !slices.ContainsFunc(lengths, func(n int) bool { return d.trainsOn(i, n) }) {
			list += "," + strconv.Itoa(slices.Max(t.LengthsIn(d.Lengths[i])))
		}
	}
	return list, nil
}

// trainsOn reports whether task i is trained on a length.
func (d Data) trainsOn(i, length int) bool {
	return d.Lengths[i].Contains(length) && d.Tasks[i].CheckLength(task.At(length)) == nil
}

// trainedSample writes at most ten lengths of a range, the last among them: the range
// itself, unless it has gaps where a choice by it would fall.
func (d Data) trainedSample(span task.Range) string {
	lacks := func(n int) bool { return d.checkLength(n) != nil }
	evenly, err := task.ParseLengths(span.String())
	if err != nil || !slices.ContainsFunc(evenly, lacks) {
		return span.String()
	}
	var all []int
	for i, t := range d.Tasks {
		all = append(all, t.LengthsIn(d.Lengths[i])...)
	}
	slices.Sort(all)
	list := lists.Map(task.Evenly(slices.Compact(all)), strconv.Itoa)
	return strings.Join(list, ",")
}

// checkEvaluated wants lengths that some task has, and among them trained ones
// of every task.
func (d Data) checkEvaluated(list string) error {
	lengths, err := task.ParseLengths(list)
	if err != nil {
		return err
	}
	for _, n := range lengths {
		if err := d.checkLength(n); err != nil {
			return err
		}
	}
	for i, t := range d.Tasks {
		if !slices.ContainsFunc(lengths, func(n int) bool { return d.trainsOn(i, n) }) {
			return fmt.Errorf("none is a trained length (%s) of %s, and the best checkpoint is chosen by those",
				d.Lengths[i], t.Name)
		}
	}
	return nil
}

// evalLengths returns the lengths to evaluate, as far as a task has them; none
// where train.eval_every is 0.
func (c Config) evalLengths() ([]int, error) {
	if c.Train.EvalEvery == 0 {
		return nil, nil
	}
	return task.ParseLengths(c.Train.EvalLengths)
}
