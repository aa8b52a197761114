package train

import (
	"fmt"
	"strings"

	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/models/pe"
	"github.com/nopezoo/zoo/tokenizer"
)

// mixture is what a run trains on: one task or several, each with its lengths,
// and the vocabulary of all of them.
type mixture struct {
	tasks   []task.Task
	lengths []task.Range // by task
	pieces  []string
}

// data returns the tasks of a configuration. Without lengths each task has its
// own; one range is for all of them.
func (c Config) data() (mixture, error) {
	var m mixture
	var err error
	if m.tasks, err = task.LookupList(c.Train.Task); err != nil {
		return m, fmt.Errorf("train.task: %w", err)
	}
	given := strings.Split(c.Train.Lengths, ",")
	if n := len(given); n != 1 && n != len(m.tasks) {
		return m, fmt.Errorf("train.lengths: %d ranges for %d tasks: give one, or one for each", n, len(m.tasks))
	}
	for i, t := range m.tasks {
		r := t.Train
		if text := given[min(i, len(given)-1)]; c.Train.Lengths != "" {
			if r, err = task.ParseRange(text); err != nil {
				return m, fmt.Errorf("train.lengths: %w", err)
			}
		}
		if err := checkRange(t, r); err != nil {
			return m, fmt.Errorf("train.lengths: %w", err)
		}
		m.lengths = append(m.lengths, r)
	}
	if err := m.checkText(c.Train); err != nil {
		return m, err
	}
	if m.pieces, err = task.Vocabulary(c.Train.Tokenizer, m.tasks...); err != nil {
		return m, fmt.Errorf("train.tokenizer: %w", err)
	}
	return m, nil
}

// checkRange wants both ends inside the task's lengths; a gap between them is
// passed over.
func checkRange(t task.Task, r task.Range) error {
	for _, n := range []int{r.Min, r.Max} {
		if !t.Lengths.Contains(n) {
			return t.CheckLength(n)
		}
	}
	if len(t.LengthsIn(r)) == 0 {
		return t.CheckLength(r.Min)
	}
	return nil
}

// ranges writes the lengths as data reads them.
func (m mixture) ranges() string {
	all := make([]string, len(m.lengths))
	for i, r := range m.lengths {
		all[i] = r.String()
	}
	return strings.Join(all, ",")
}

// span is the least range that holds all lengths.
func (m mixture) span() task.Range {
	s := m.lengths[0]
	for _, r := range m.lengths {
		s = task.Range{Min: min(s.Min, r.Min), Max: max(s.Max, r.Max)}
	}
	return s
}

// checkLength wants a length that some task has.
func (m mixture) checkLength(n int) (err error) {
	for _, t := range m.tasks {
		if err = t.CheckLength(n); err == nil {
			return nil
		}
	}
	return err
}

// describe says what the examples of a run are drawn from: for a hash.
func (m mixture) describe(r Recipe) string {
	var parts []string
	for i, t := range m.tasks {
		parts = append(parts, fmt.Sprintf("%s v%d %s", t.Name, t.Version, m.lengths[i]))
	}
	s := fmt.Sprintf("%s seed %d split train", strings.Join(parts, ", "), r.SampleSeed())
	if r.Examples > 0 {
		s += fmt.Sprintf(" examples %d", r.Examples)
	}
	return s
}

// listed returns what task i trains on where that is a list of different prompts
// (see task.Task.Listed), at its lengths; nil where it is not.
func (m mixture) listed(i int) []task.Sample {
	var out []task.Sample
	for _, s := range m.tasks[i].Listed() {
		if m.lengths[i].Contains(s.Length) {
			out = append(out, s)
		}
	}
	return out
}

// checkExamples wants a fixed set that is no larger than the lists of its tasks.
func (m mixture) checkExamples(n int) error {
	for i, t := range m.tasks {
		if n == 0 || t.Listed() == nil {
			continue
		}
		if have := len(m.listed(i)); (n-i+len(m.tasks)-1)/len(m.tasks) > have {
			return fmt.Errorf("train.examples %d: task %s has %d different ones at the lengths %s; give at most %d",
				n, t.Name, have, m.lengths[i], have*len(m.tasks))
		}
	}
	return nil
}

// fitted returns what models are fitted to.
func (m mixture) fitted() (pe.Data, error) {
	words, err := tokenizer.New(m.pieces)
	if err != nil {
		return pe.Data{}, err
	}
	longest, err := task.TrainedTokens(words, m.tasks, m.lengths)
	return pe.Data{Longest: longest, Pieces: m.pieces}, err
}
