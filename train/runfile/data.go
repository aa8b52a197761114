package runfile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/models/pe"
	"github.com/nopezoo/zoo/tokenizer"
)

// Data is what a run trains on: one task or several, each with its lengths,
// and the vocabulary of all of them.
type Data struct {
	Tasks   []task.Task
	Lengths []task.Range // by task
	Ranges  string       // the lengths, as train.lengths has them
	Span    task.Range   // the least range that holds all lengths
	Text    bool         // running text, of which a model learns every token
	Pieces  []string     // none where a pretrained model has a tokenizer of its own, Start.Tokenizer
	Seed    uint64       // of samples and position ids
}

// Data looks the tasks of a configuration up. Without lengths each task has its
// own; one range is for all of them.
func (c Config) Data() (Data, error) {
	d := Data{Seed: cmp.Or(c.Train.DataSeed, c.Train.Seed)}
	var err error
	if d.Tasks, err = task.LookupList(c.Train.Task); err != nil {
		return d, fmt.Errorf("train.task: %w", err)
	}
	given := strings.Split(c.Train.Lengths, ",")
	if n := len(given); n != 1 && n != len(d.Tasks) {
		return d, fmt.Errorf("train.lengths: %d ranges for %d tasks: give one, or one for each", n, len(d.Tasks))
	}
	for i, t := range d.Tasks {
		r := t.Train
		if text := given[min(i, len(given)-1)]; c.Train.Lengths != "" {
			if r, err = task.ParseRange(text); err != nil {
				return d, fmt.Errorf("train.lengths: %w", err)
			}
		}
		if err := checkRange(t, r); err != nil {
			return d, fmt.Errorf("train.lengths: %w", err)
		}
		d.Lengths = append(d.Lengths, r)
	}
	d.span()
	d.Text = d.Tasks[0].Corpus != nil
	if err := d.checkText(c.Train); err != nil {
		return d, err
	}
	if c.From.pretrained() != nil {
		return d, d.checkPretrained(c)
	}
	if d.Pieces, err = task.Vocabulary(c.Train.Tokenizer, d.Tasks...); err != nil {
		return d, fmt.Errorf("train.tokenizer: %w", err)
	}
	return d, nil
}

// checkRange wants both ends inside the task's lengths; a gap between them is
// passed over.
func checkRange(t task.Task, r task.Range) error {
	for _, n := range []int{r.Min, r.Max} {
		if !t.Lengths.Contains(n) {
			return t.CheckLength(task.At(n))
		}
	}
	if len(t.LengthsIn(r)) == 0 {
		return t.CheckLength(task.At(r.Min))
	}
	return nil
}

// span fills in what follows from the lengths.
func (d *Data) span() {
	var all []string
	d.Span = d.Lengths[0]
	for _, r := range d.Lengths {
		all = append(all, r.String())
		d.Span = task.Range{Min: min(d.Span.Min, r.Min), Max: max(d.Span.Max, r.Max)}
	}
	d.Ranges = strings.Join(all, ",")
}

// checkLength wants a length that some task has.
func (d Data) checkLength(n int) (err error) {
	for _, t := range d.Tasks {
		if err = t.CheckLength(task.At(n)); err == nil {
			return nil
		}
	}
	return err
}

// describe says what the examples of a run are drawn from: for a hash.
func (d Data) describe(r Recipe) string {
	parts := lists.Make(len(d.Tasks), func(i int) string {
		return fmt.Sprintf("%s v%d %s", d.Tasks[i].Name, d.Tasks[i].Version, d.Lengths[i])
	})
	s := fmt.Sprintf("%s seed %d split train", strings.Join(parts, ", "), d.Seed)
	if r.Examples > 0 {
		s += fmt.Sprintf(" examples %d", r.Examples)
	}
	return s
}

// fitted returns what models are fitted to.
func (d Data) fitted() (pe.Data, error) {
	if d.Text {
		return pe.Data{Longest: d.Span.Max, Pieces: d.Pieces}, nil
	}
	words, err := tokenizer.New(d.Pieces)
	if err != nil {
		return pe.Data{}, err
	}
	longest, err := task.TrainedTokens(words, d.Tasks, d.Lengths)
	return pe.Data{Longest: longest, Pieces: d.Pieces}, err
}

// checkText wants corpora with nothing else among them, and one length of windows.
func (d Data) checkText(r Recipe) error {
	corpora := slices.DeleteFunc(slices.Clone(d.Tasks), func(t task.Task) bool { return t.Corpus == nil })
	if len(corpora) == 0 {
		return nil
	}
	if len(corpora) < len(d.Tasks) {
		return fmt.Errorf("train.task %s: running text, of which a model learns every token, cannot be mixed with tasks "+
			"that have answers; name corpora alone", r.Task)
	}
	for _, l := range d.Lengths {
		if l != d.Lengths[0] || l.Min != l.Max {
			return fmt.Errorf("train.lengths %s: running text is cut into windows of one length; give one, such as %d..%d",
				d.Ranges, l.Max, l.Max)
		}
	}
	switch {
	case r.Examples > 0:
		return fmt.Errorf("train.examples %d: a corpus is a fixed set already; leave it out", r.Examples)
	case r.StopAfterPerfect > 0:
		return fmt.Errorf("train.stop_after_perfect %d: no model predicts running text without a mistake; leave it out",
			r.StopAfterPerfect)
	}
	return nil
}

// checkPretrained wants running text in the tokens of the model that the run goes on from.
func (d Data) checkPretrained(c Config) error {
	if !d.Text {
		return fmt.Errorf("train.task %s: %v has a tokenizer of its own, which only running text is cut by; name a corpus, such as "+
			"text:brown", c.Train.Task, c.From)
	}
	if c.Train.Tokenizer != "" {
		return fmt.Errorf("train.tokenizer %s: %v has a tokenizer of its own; leave it out", c.Train.Tokenizer, c.From)
	}
	return nil
}
