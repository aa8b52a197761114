package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/train/journal"
)

// Evaluator measures a model by greedy generation on held-out samples, at the
// lengths of Config.EvalLengths. The weights are the run's own, by name: they
// are to be read only, and only until it returns. Equal weights must give equal
// results, or a resumed run is not exact.
type Evaluator func(ctx context.Context, step int, weights map[string]*tensor.Tensor) ([]journal.Result, error)

// progress is what a run knows beside weights and moments; checkpoints hold it.
type progress struct {
	Evaluated int     `json:"evaluated"`  // step of the last evaluation; 0 for none
	BestStep  int     `json:"best_step"`  // step of the best one; 0 for none
	BestScore float64 `json:"best_score"` // its sequence accuracy at trained lengths, rounded; of running text its negated bits per byte
	Perfect   int     `json:"perfect"`    // evaluations without a mistake, the last one backwards
	Watch     watch   `json:"watch"`
	// Fitted is the step of the first evaluation without a mistake, 0 for none so far; nil
	// before the first evaluation, and where it is not known (see recall).
	Fitted  *int `json:"fitted_step,omitempty"`
	Prompts int  `json:"prompts,omitempty"` // of the last evaluation, at trained lengths; 0 where not known
}

// done reports whether a run at a step has nothing left to do.
func (p progress) done(r Recipe, step int) bool {
	if r.evaluates(step) && p.Evaluated < step {
		return false
	}
	return step >= r.Steps || r.StopAfterPerfect > 0 && p.Perfect >= r.StopAfterPerfect
}

// evaluates reports whether an evaluation belongs to the end of a step.
func (r Recipe) evaluates(step int) bool {
	return r.EvalEvery > 0 && step > 0 && (step%r.EvalEvery == 0 || step >= r.Steps)
}

// note takes an evaluation in. The best is that of Kazemnejad et al. 2023: the
// highest sequence accuracy, rounded to 4 digits; the first to reach it. Of running text it is
// that of the fewest bits per byte, rounded likewise.
func (p *progress) note(e *journal.Evaluation, stopAfter int) {
	if e.Bits != nil {
		p.Evaluated = e.Step
		p.rank(e, -*e.Bits)
		return
	}
	if p.Evaluated == 0 {
		p.Fitted = new(0)
	}
	p.Evaluated, p.Prompts = e.Step, e.Prompts
	p.rank(e, *e.Sequence)
	if p.Perfect++; *e.Sequence < 1 {
		p.Perfect = 0
	}
	if p.Perfect > 0 && p.Fitted != nil && *p.Fitted == 0 {
		p.Fitted, e.Fitted = new(e.Step), true // a new number: clones of the checkpoint keep theirs
	}
	e.Stop = stopAfter > 0 && p.Perfect >= stopAfter
}

// rank takes note of an evaluation that is the best so far.
func (p *progress) rank(e *journal.Evaluation, score float64) {
	if score = math.Round(score*1e4) / 1e4; p.BestStep == 0 || score > p.BestScore {
		p.BestStep, p.BestScore, e.Best = e.Step, score, true
	}
}

// summarize adds results up, in and beyond the trained lengths.
func summarize(step int, m mixture, results []journal.Result) (journal.Evaluation, error) {
	if m.isText() {
		return summarizeText(step, m, results)
	}
	var in, beyond journal.Result
	for _, r := range results {
		trained := m.lengths[max(0, slices.IndexFunc(m.tasks, func(t task.Task) bool { return t.Name == r.Task }))]
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
			m.ranges())
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
func summarizeText(step int, m mixture, results []journal.Result) (journal.Evaluation, error) {
	e := journal.Evaluation{Step: step, Lengths: results}
	mean := func(of func(length int) bool) *float64 {
		sum, n := 0.0, 0
		for _, r := range results {
			if r.Bits != nil && of(r.Length) {
				sum, n = sum+*r.Bits, n+1
			}
		}
		if n == 0 {
			return nil
		}
		return new(sum / float64(n))
	}
	e.Bits, e.Further = mean(m.span().Contains), mean(func(n int) bool { return n > m.span().Max })
	if e.Bits == nil {
		return e, fmt.Errorf("train: evaluation at step %d: fewer than %d validation documents are longer than a window of "+
			"%d tokens; lower train.lengths, take more text, or set train.eval_every=0", step, task.MinDocuments, m.span().Max)
	}
	return e, nil
}

// resolveEvaluation fills in what and how much is evaluated, if anything is.
func (c *Config) resolveEvaluation(m mixture) error {
	r := &c.Train
	if r.EvalEvery == 0 {
		if r.StopAfterPerfect > 0 {
			return errors.New("train.stop_after_perfect: nothing is evaluated; set train.eval_every")
		}
		return nil
	}
	if r.EvalSamples == 0 {
		r.EvalSamples = 64
	}
	if r.EvalLengths == "" {
		span := m.span()
		lengths, err := m.trainedSamples(span)
		if err != nil {
			return err
		}
		r.EvalLengths = lengths
		for _, n := range []int{span.Max * 3 / 2, 2 * span.Max} {
			if n > span.Max && m.checkLength(n) == nil {
				r.EvalLengths += "," + strconv.Itoa(n)
			}
		}
	} else if err := m.checkEvaluated(r.EvalLengths); err != nil {
		return fmt.Errorf("train.eval_lengths %s: %w", r.EvalLengths, err)
	}
	return nil
}

// trainedSamples writes some lengths of a range, with a trained one of every task among
// them: the others of a mixture may be trained on so few that a choice by all misses them.
func (m mixture) trainedSamples(span task.Range) (string, error) {
	list := m.trainedSample(span)
	lengths, err := task.ParseLengths(list)
	if err != nil {
		return "", err
	}
	for i, t := range m.tasks {
		if !slices.ContainsFunc(lengths, func(n int) bool { return m.trainsOn(i, n) }) {
			list += "," + strconv.Itoa(slices.Max(t.LengthsIn(m.lengths[i])))
		}
	}
	return list, nil
}

// trainsOn reports whether task i is trained on a length.
func (m mixture) trainsOn(i, length int) bool {
	return m.lengths[i].Contains(length) && m.tasks[i].CheckLength(length) == nil
}

// trainedSample writes at most ten lengths of a range, the last among them: the range
// itself, unless it has gaps where a choice by it would fall.
func (m mixture) trainedSample(span task.Range) string {
	lacks := func(n int) bool { return m.checkLength(n) != nil }
	evenly, err := task.ParseLengths(span.String())
	if err != nil || !slices.ContainsFunc(evenly, lacks) {
		return span.String()
	}
	var all []int
	for i, t := range m.tasks {
		all = append(all, t.LengthsIn(m.lengths[i])...)
	}
	slices.Sort(all)
	var list []string
	for _, n := range task.Evenly(slices.Compact(all)) {
		list = append(list, strconv.Itoa(n))
	}
	return strings.Join(list, ",")
}

// checkEvaluated wants lengths that some task has, and among them trained ones
// of every task.
func (m mixture) checkEvaluated(list string) error {
	lengths, err := task.ParseLengths(list)
	if err != nil {
		return err
	}
	for _, n := range lengths {
		if err := m.checkLength(n); err != nil {
			return err
		}
	}
	for i, t := range m.tasks {
		if !slices.ContainsFunc(lengths, func(n int) bool { return m.trainsOn(i, n) }) {
			return fmt.Errorf("none is a trained length (%s) of %s, and the best checkpoint is chosen by those",
				m.lengths[i], t.Name)
		}
	}
	return nil
}

// EvalLengths returns the lengths to evaluate, as far as a task has them; none
// where train.eval_every is 0.
func (c Config) EvalLengths() ([]int, error) {
	if c.Train.EvalEvery == 0 {
		return nil, nil
	}
	return task.ParseLengths(c.Train.EvalLengths)
}
