package summary

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
)

// InsideTask is the observations of models on one task.
type InsideTask struct {
	Name    string
	Summary string // one sentence on heads and probes; "" where nobody looked for either
	Lengths []int  // ascending
	Models  []InsideModel
}

// InsideModel is one model, or one step of its training.
type InsideModel struct {
	Name     string
	Encoding string // with what was changed after training, and the step where runs have several
	Changed  string // after training, "" for nothing; eval.Constructed
	Steps    int    // of training; 0 for the weights that the seed drew
	Trained  [2]int
	Right    []Number // share of the sequences, by InsideTask.Lengths
	Reasons  []string // why there is nothing at a length, "" where there is, or nobody looked
	Places   []insidePlace

	OnTheWay bool           // a step of training that others followed
	Init     *InsideModel   // of the last step of a run: the weights before training; nil where nobody looked
	Course   []*InsideModel // of the last step of a run: each step, these two included

	base  string // the encoding alone
	seeds card.Seeds
}

// insidePlace is one place of a model, with the observation at each length of the task, nil for none.
type insidePlace struct {
	place
	At    []*eval.Observation
	Roles []string // of attention: the role and its score
}

// place tells observations apart.
type place struct {
	Measure, Tokens string
	Layer, Head     int
	With            string // of eval.MeasureDivergence: the other model's encoding, with the seeds of both where these differ
}

// Inside puts observations together, encodings in the order given. Of several at one place and length the last counts.
func Inside(observations []eval.Observation, encodings []string) []InsideTask {
	var out []InsideTask
	for _, o := range observations {
		t := found(&out, func(t *InsideTask) bool { return t.Name == o.Task })
		t.Name, t.Lengths = o.Task, append(t.Lengths, o.Length)
	}
	for i := range out {
		t := &out[i]
		slices.Sort(t.Lengths)
		t.Lengths = slices.Compact(t.Lengths)
		for k := range observations {
			if observations[k].Task == t.Name {
				t.add(&observations[k])
			}
		}
		t.nameEncodings()
		slices.SortStableFunc(t.Models, func(a, b InsideModel) int {
			return cmp.Compare(placeIn(encodings, a.Encoding), placeIn(encodings, b.Encoding))
		})
		t.join()
		t.Summary = t.lead()
	}
	return out
}

// add sets an observation into its model, place and length.
func (t *InsideTask) add(o *eval.Observation) {
	seeds := card.Seeds{Weights: o.TrainSeed, Data: o.DataSeed}
	m := found(&t.Models, func(m *InsideModel) bool {
		return m.Name == o.Model && m.base == o.Encoding && m.Changed == o.Intervention && m.Steps == o.TrainSteps && m.seeds == seeds
	})
	if m.Right == nil {
		*m = InsideModel{Name: o.Model, Changed: o.Intervention, Steps: o.TrainSteps, Trained: [2]int{o.TrainMin, o.TrainMax},
			Right: slices.Repeat([]Number{Unknown}, len(t.Lengths)), Reasons: make([]string, len(t.Lengths)), base: o.Encoding, seeds: seeds}
	}
	length := slices.Index(t.Lengths, o.Length)
	if o.NA {
		m.Reasons[length] = o.Reason
		return
	}
	if correct := number(o, "correct"); correct.Known() {
		m.Right[length] = correct / Number(o.N)
	}
	where := place{Measure: o.Measure, Tokens: o.Tokens, Layer: o.Layer, Head: o.Head}
	if with := (card.Seeds{Weights: o.WithSeed, Data: o.WithDataSeed}); o.With != "" && with != seeds {
		where.With = fmt.Sprintf(" seed %v – %s seed %v", seeds, o.WithEncoding, with)
	} else if o.With != "" {
		where.With = " – " + o.WithEncoding
	}
	p := found(&m.Places, func(p *insidePlace) bool { return p.place == where })
	if p.At == nil {
		*p = insidePlace{where, make([]*eval.Observation, len(t.Lengths)), make([]string, len(t.Lengths))}
	}
	p.At[length], p.Roles[length] = o, roleText(o)
}

// nameEncodings names encodings with what was changed, and with the step where one encoding and seed has several.
func (t *InsideTask) nameEncodings() {
	for i := range t.Models {
		m := &t.Models[i]
		m.Encoding = withTrait(m.base, m.Changed)
		if slices.ContainsFunc(t.Models, func(o InsideModel) bool {
			return o.base == m.base && o.Changed == m.Changed && o.seeds == m.seeds && o.Steps != m.Steps
		}) {
			m.Encoding = withTrait(m.Encoding, fmt.Sprintf("step %d", m.Steps))
		}
	}
}

// found is an element of a list, or a new one at its end.
func found[T any](list *[]T, is func(*T) bool) *T {
	for i := range *list {
		if is(&(*list)[i]) {
			return &(*list)[i]
		}
	}
	*list = append(*list, *new(T))
	return &(*list)[len(*list)-1]
}

// join finds the steps of training runs, whose models were not changed afterwards.
func (t *InsideTask) join() {
	type run struct {
		name, encoding string
		seeds          card.Seeds
	}
	runs := map[run][]*InsideModel{}
	for i := range t.Models {
		if m := &t.Models[i]; m.Changed == "" {
			name, _, _ := strings.Cut(m.Name, "@") // behind it stands the step
			r := run{name, m.base, m.seeds}
			runs[r], m.OnTheWay = append(runs[r], m), m.Steps > 0
		}
	}
	for _, course := range runs {
		slices.SortStableFunc(course, func(a, b *InsideModel) int {
			return cmp.Or(cmp.Compare(a.Steps, b.Steps), cmp.Compare(len(a.Name), len(b.Name))) // the run before its checkpoint
		})
		course = slices.CompactFunc(course, func(a, b *InsideModel) bool { return a.Steps == b.Steps })
		last := course[len(course)-1]
		if last.Steps == 0 {
			continue
		}
		last.Course, last.OnTheWay = course, false
		if course[0].Steps == 0 {
			last.Init = course[0]
		}
	}
}

// Seen are the places of a measure with such tokens, and the index of the greatest trained length, or else the least, that one
// of them has; −1 for none.
func (m *InsideModel) Seen(measure, tokens string) (places []insidePlace, length int) {
	length = -1
	if m == nil {
		return nil, length
	}
	for _, p := range m.Places {
		if p.Measure == measure && p.Tokens == tokens {
			places = append(places, p)
		}
	}
	for i := range m.Right {
		k := slices.IndexFunc(places, func(p insidePlace) bool { return p.At[i] != nil })
		if k >= 0 && (length < 0 || places[k].At[i].Length <= m.Trained[1]) {
			length = i
		}
	}
	return places, length
}
