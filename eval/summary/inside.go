package summary

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
)

// InsideTask is what observations say of models on one task.
type InsideTask struct {
	Name    string
	Lengths []int // ascending
	Models  []InsideModel
}

// InsideModel is one model, or one step of its training.
type InsideModel struct {
	Name     string
	Encoding string // with what was changed after training, and the step where runs have several
	Base     string // the encoding alone
	Changed  string // after training, "" for nothing; eval.Constructed
	Steps    int    // of training; 0 for the weights that the seed drew
	Seeds    card.Seeds
	Trained  [2]int
	Right    []Number // share of the sequences, by InsideTask.Lengths
	Reasons  []string // why there is nothing at a length, "" where there is, or nobody looked
	Places   []InsidePlace
}

// InsidePlace is one place of a model, with the observation at each length of the task, nil for none.
type InsidePlace struct {
	Measure, Tokens string
	Layer, Head     int
	Pair            string // of eval.MeasureDivergence: the encodings of both models, with their seeds where these differ
	At              []*eval.Observation
}

// Inside puts observations together. Encodings are in the order given; others follow as they come. Of several at one place and
// length the last counts.
func Inside(observations []eval.Observation, encodings []string) []InsideTask {
	var out []InsideTask
	byTask := map[string][]int{} // observations
	for k, o := range observations {
		if byTask[o.Task] == nil {
			out = append(out, InsideTask{Name: o.Task})
		}
		byTask[o.Task] = append(byTask[o.Task], k)
	}
	names := stepNames(observations)
	for i := range out {
		t := &out[i]
		for _, k := range byTask[t.Name] {
			t.Lengths = append(t.Lengths, observations[k].Length)
		}
		slices.Sort(t.Lengths)
		t.Lengths = slices.Compact(t.Lengths)
		for _, k := range byTask[t.Name] {
			t.add(&observations[k], names[k])
		}
		slices.SortStableFunc(t.Models, func(a, b InsideModel) int {
			return cmp.Compare(placeIn(encodings, a.Encoding), placeIn(encodings, b.Encoding))
		})
	}
	return out
}

func trainSeeds(o *eval.Observation) card.Seeds {
	return card.Seeds{Weights: o.TrainSeed, Data: o.DataSeed}
}

// stepNames names the encodings of models with what was changed, and with the step where one encoding and seed has several.
func stepNames(observations []eval.Observation) []string {
	type run struct {
		encoding, intervention, task string
		seeds                        card.Seeds
	}
	runOf := func(o *eval.Observation) run { return run{o.Encoding, o.Intervention, o.Task, trainSeeds(o)} }
	steps := map[run]map[int]bool{}
	for i := range observations {
		r := runOf(&observations[i])
		if steps[r] == nil {
			steps[r] = map[int]bool{}
		}
		steps[r][observations[i].TrainSteps] = true
	}
	return Each(observations, func(o eval.Observation) string {
		name := withTrait(o.Encoding, o.Intervention)
		if len(steps[runOf(&o)]) > 1 {
			name = withTrait(name, fmt.Sprintf("step %d", o.TrainSteps))
		}
		return name
	})
}

// add sets an observation into its model, place and length.
func (t *InsideTask) add(o *eval.Observation, encoding string) {
	model := InsideModel{Name: o.Model, Encoding: encoding, Base: o.Encoding, Changed: o.Intervention, Steps: o.TrainSteps,
		Seeds: trainSeeds(o), Trained: [2]int{o.TrainMin, o.TrainMax}}
	m := find(&t.Models, func(m *InsideModel) bool {
		return m.Name == model.Name && m.Encoding == encoding && m.Seeds == model.Seeds
	}, func() InsideModel {
		model.Right, model.Reasons = slices.Repeat([]Number{Unknown}, len(t.Lengths)), make([]string, len(t.Lengths))
		return model
	})
	length := slices.Index(t.Lengths, o.Length)
	if o.NA {
		m.Reasons[length] = o.Reason
		return
	}
	if correct, there := o.Values["correct"]; there && o.N > 0 {
		m.Right[length] = Number(correct) / Number(o.N)
	}
	place := InsidePlace{Measure: o.Measure, Tokens: o.Tokens, Layer: o.Layer, Head: o.Head}
	if with := (card.Seeds{Weights: o.WithSeed, Data: o.WithDataSeed}); o.With != "" && with != m.Seeds {
		place.Pair = fmt.Sprintf("%s seed %v – %s seed %v", encoding, m.Seeds, o.WithEncoding, with)
	} else if o.With != "" {
		place.Pair = encoding + " – " + o.WithEncoding
	}
	find(&m.Places, func(p *InsidePlace) bool {
		return p.Measure == place.Measure && p.Tokens == place.Tokens && p.Layer == place.Layer && p.Head == place.Head && p.Pair == place.Pair
	}, func() InsidePlace {
		place.At = make([]*eval.Observation, len(t.Lengths))
		return place
	}).At[length] = o
}

// find finds an element of a list, or appends a new one.
func find[T any](list *[]T, is func(*T) bool, made func() T) *T {
	for i := range *list {
		if is(&(*list)[i]) {
			return &(*list)[i]
		}
	}
	*list = append(*list, made())
	return &(*list)[len(*list)-1]
}

// Seen are the places of a measure with such tokens, and the index of the greatest trained length that one of them has, or else of the
// least one; −1 for none. No model has none.
func (m *InsideModel) Seen(measure, tokens string) (places []InsidePlace, length int) {
	if m == nil {
		return nil, -1
	}
	places, length = slices.Clone(m.Places), -1
	places = slices.DeleteFunc(places, func(p InsidePlace) bool { return p.Measure != measure || p.Tokens != tokens })
	for i := range m.Right {
		k := slices.IndexFunc(places, func(p InsidePlace) bool { return p.At[i] != nil })
		if k >= 0 && (length < 0 || places[k].At[i].Length <= m.Trained[1]) {
			length = i
		}
	}
	return places, length
}

// InsideRun is one training run on a task.
type InsideRun struct {
	Model  *InsideModel   // at the last step that was observed
	Init   *InsideModel   // the weights that its seed drew; nil where nobody looked
	Course []*InsideModel // each step, these two included
}

// Runs are the training runs of models that were not changed afterwards.
func (t *InsideTask) Runs() []InsideRun {
	name := func(m *InsideModel) string {
		before, _, _ := strings.Cut(m.Name, "@") // behind it stands the step
		return before
	}
	var out []InsideRun
	for i := range t.Models {
		if m := &t.Models[i]; m.Changed == "" {
			r := find(&out, func(r *InsideRun) bool {
				first := r.Course[0]
				return name(first) == name(m) && first.Base == m.Base && first.Seeds == m.Seeds
			}, func() InsideRun { return InsideRun{} })
			r.Course = append(r.Course, m)
		}
	}
	for i := range out {
		r := &out[i]
		slices.SortStableFunc(r.Course, func(a, b *InsideModel) int {
			return cmp.Or(cmp.Compare(a.Steps, b.Steps), cmp.Compare(len(a.Name), len(b.Name))) // the run before its checkpoint
		})
		r.Course = slices.CompactFunc(r.Course, func(a, b *InsideModel) bool { return a.Steps == b.Steps })
		r.Model = r.Course[len(r.Course)-1]
		if r.Course[0].Steps == 0 {
			r.Init = r.Course[0]
		}
	}
	return slices.DeleteFunc(out, func(r InsideRun) bool { return r.Model.Steps == 0 })
}

// Ends are the models but for steps on the way: a training run has its last step and the weights before training.
func (t *InsideTask) Ends() []InsideModel {
	last := map[string]bool{}
	for _, r := range t.Runs() {
		last[r.Model.Name] = true
	}
	return slices.DeleteFunc(slices.Clone(t.Models), func(m InsideModel) bool {
		return m.Changed == "" && m.Steps > 0 && !last[m.Name]
	})
}
