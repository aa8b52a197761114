package train

import (
	"fmt"
	"math"
	"slices"

	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/train/journal"
	"github.com/nopezoo/zoo/train/runfile"
)

// note takes an evaluation in. The best is as in Kazemnejad et al. 2023: the
// highest sequence accuracy, rounded to 4 digits; the first to reach it. Of running text it is
// the one of the fewest bits per byte, rounded likewise.
func note(p *runfile.Progress, e *journal.Evaluation, stopAfter int) {
	if e.Bits != nil {
		p.Evaluated = e.Step
		rank(p, e, -*e.Bits)
		return
	}
	if p.Evaluated == 0 {
		p.Fitted = new(0)
	}
	p.Evaluated, p.Prompts = e.Step, e.Prompts
	rank(p, e, *e.Sequence)
	if p.Perfect++; *e.Sequence < 1 {
		p.Perfect = 0
	}
	if p.Perfect > 0 && p.Fitted != nil && *p.Fitted == 0 {
		p.Fitted, e.Fitted = new(e.Step), true // a new number: clones of the checkpoint keep theirs
	}
	e.Stop = stopAfter > 0 && p.Perfect >= stopAfter
}

// rank takes note of an evaluation that is the best so far.
func rank(p *runfile.Progress, e *journal.Evaluation, score float64) {
	if score = math.Round(score*1e4) / 1e4; p.BestStep == 0 || score > p.BestScore {
		p.BestStep, p.BestScore, e.Best = e.Step, score, true
	}
}

// summarize adds results up, in and beyond the trained lengths.
func summarize(step int, d runfile.Data, results []journal.Result) (journal.Evaluation, error) {
	if d.Text {
		return summarizeText(step, d, results)
	}
	var in, beyond journal.Result
	for _, r := range results {
		trained := d.Lengths[max(0, slices.IndexFunc(d.Tasks, func(t task.Task) bool { return t.Name == r.Task }))]
		into := &beyond
		if trained.Contains(r.Length) {
			into = &in
		} else if r.Length < trained.Min {
			continue
		}
		into.N += r.N
		into.Correct += r.Correct
		into.SequenceCorrect += r.SequenceCorrect
	}
	if in.N == 0 {
		return journal.Evaluation{}, fmt.Errorf("train: evaluation at step %d: "+
			"no held-out samples at the trained lengths %s; give train.eval_lengths some that have any", step,
			d.Ranges)
	}
	ratio := func(a, n int) *float64 {
		if n == 0 {
			return nil
		}
		v := float64(a) / float64(n)
		return &v
	}
	return journal.Evaluation{Step: step, Lengths: results, Prompts: in.N, Accuracy: ratio(in.Correct, in.N),
		Sequence: ratio(in.SequenceCorrect, in.N), Beyond: ratio(beyond.Correct, beyond.N)}, nil
}

// summarizeText adds results on running text up: a mean over corpora, and over the lengths
// beyond the trained one.
func summarizeText(step int, d runfile.Data, results []journal.Result) (journal.Evaluation, error) {
	e := journal.Evaluation{Step: step, Lengths: results}
	mean := func(counted func(length int) bool) *float64 {
		sum, n := 0.0, 0
		for _, r := range results {
			if r.Bits != nil && counted(r.Length) {
				sum, n = sum+*r.Bits, n+1
			}
		}
		if n == 0 {
			return nil
		}
		return new(sum / float64(n))
	}
	e.Bits, e.Further = mean(d.Span.Contains), mean(func(n int) bool { return n > d.Span.Max })
	if e.Bits == nil {
		return e, fmt.Errorf("train: evaluation at step %d: fewer than %d validation documents are longer than a window of "+
			"%d tokens; lower train.lengths, take more text, or set train.eval_every=0", step, task.MinDocuments, d.Span.Max)
	}
	return e, nil
}
