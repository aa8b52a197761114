package summary

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
)

// InsideTask is what findings (eval.Finding) say of models on one task.
type InsideTask struct {
	Name    string
	Lengths []int // ascending
	Models  []InsideModel
	Pairs   []Pair
}

// InsideModel is one model, at each length of its task.
type InsideModel struct {
	Name     string // its own
	Encoding string // with what was changed after training, and the step where runs have several
	Base     string // the encoding alone
	Changed  string // after training, "" for nothing; eval.Constructed
	Steps    int    // of training; 0 for the weights that the seed drew
	Seeds    card.Seeds
	Trained  [2]int
	Right    []Number // share of the sequences, by InsideTask.Lengths
	Reasons  []string // why there is nothing at a length, "" where there is, or nobody looked
	Heads    []InsideHead
	Probes   []InsideProbe // by tokens, and by layers before the states
	Logits   []InsideLogits
	Causal   []InsideCausal
}

// InsideLogits is how far the logits of a head are content and distance, at each length.
type InsideLogits struct {
	Layer, Head int
	At          []*eval.LogitFit
}

// InsideCausal is what becomes of the task without the position in hidden states, at each length.
type InsideCausal struct {
	Layers int // before the states
	At     []*eval.Causal
	N      []int // sequences
}

// InsideProbe is what hidden states tell of positions, at each length.
type InsideProbe struct {
	Tokens string // eval.TaskTokens or eval.RandomTokens
	Layers int    // before the states
	At     []*eval.Probe
}

// InsideHead is one head, at each length.
type InsideHead struct {
	Layer, Head int
	Task        []*eval.Attention // on the task's sequences; nil where nobody looked
	Random      []*eval.Attention // on random tokens
}

// Pair is how far the attention of two models is apart at one length, in nats.
type Pair struct {
	Model, Other             string // encodings, with seeds where those differ
	Length                   int
	Layers                   []int
	JensenShannon, Published []Number // by Layers
	Null                     []Number
}

// Inside puts findings together. Encodings are in the order given; others follow as they come.
// Where the same was looked at twice, the last counts.
func Inside(findings []eval.Finding, encodings []string) []InsideTask {
	var out []InsideTask
	for _, f := range findings {
		at := slices.IndexFunc(out, func(t InsideTask) bool { return t.Name == f.Task })
		if at < 0 {
			at, out = len(out), append(out, InsideTask{Name: f.Task})
		}
		if !slices.Contains(out[at].Lengths, f.Length) {
			out[at].Lengths = append(out[at].Lengths, f.Length)
			slices.Sort(out[at].Lengths)
		}
	}
	named := labels(findings)
	for i := range out {
		t := &out[i]
		for k, f := range findings {
			if f.Task != t.Name {
				continue
			}
			if f.Measure == eval.FindDivergence {
				t.addPair(f, named[k])
			} else {
				t.add(f, named[k])
			}
		}
		slices.SortStableFunc(t.Models, func(a, b InsideModel) int {
			return cmp.Compare(placeIn(encodings, a.Encoding), placeIn(encodings, b.Encoding))
		})
	}
	return out
}

// labels are the encodings of models with what was changed, and with the step of models that were looked into
// along their training: one encoding and seed has several then.
func labels(findings []eval.Finding) []string {
	type run struct {
		encoding, intervention, task string
		seeds                        card.Seeds
	}
	of := func(f eval.Finding) run { return run{f.Encoding, f.Intervention, f.Task, f.TrainSeeds()} }
	steps := map[run][]int{}
	for _, f := range findings {
		if !slices.Contains(steps[of(f)], f.TrainSteps) {
			steps[of(f)] = append(steps[of(f)], f.TrainSteps)
		}
	}
	return Each(findings, func(f eval.Finding) string {
		name := withTrait(f.Encoding, f.Intervention)
		if len(steps[of(f)]) > 1 {
			name = withTrait(name, fmt.Sprintf("step %d", f.TrainSteps))
		}
		return name
	})
}

// modelOf finds the model of a finding, or begins it.
func (t *InsideTask) modelOf(f eval.Finding, encoding string) *InsideModel {
	at := slices.IndexFunc(t.Models, func(m InsideModel) bool {
		return m.Name == f.Model && m.Encoding == encoding && m.Seeds == f.TrainSeeds()
	})
	if at < 0 {
		m := InsideModel{Name: f.Model, Encoding: encoding, Base: f.Encoding, Changed: f.Intervention, Steps: f.TrainSteps,
			Seeds: f.TrainSeeds(), Trained: [2]int{f.TrainMin, f.TrainMax},
			Right: slices.Repeat([]Number{Unknown}, len(t.Lengths)), Reasons: make([]string, len(t.Lengths))}
		at, t.Models = len(t.Models), append(t.Models, m)
	}
	return &t.Models[at]
}

func (t *InsideTask) add(f eval.Finding, encoding string) {
	m, length := t.modelOf(f, encoding), slices.Index(t.Lengths, f.Length)
	if f.NA {
		m.Reasons[length] = f.Reason
		return
	}
	if f.Correct != nil && f.N > 0 {
		m.Right[length] = Number(*f.Correct) / Number(f.N)
	}
	if f.Probe != nil {
		m.probeOf(f, len(t.Lengths)).At[length] = f.Probe
		return
	}
	if f.Logits != nil {
		m.logitsOf(f, len(t.Lengths)).At[length] = f.Logits
		return
	}
	if f.Causal != nil {
		c := m.causalOf(f, len(t.Lengths))
		c.At[length], c.N[length] = f.Causal, f.N
		return
	}
	at := slices.IndexFunc(m.Heads, func(h InsideHead) bool { return h.Layer == f.Layer && h.Head == f.Attention.Head })
	if at < 0 {
		at = len(m.Heads)
		m.Heads = append(m.Heads, InsideHead{f.Layer, f.Attention.Head, make([]*eval.Attention, len(t.Lengths)),
			make([]*eval.Attention, len(t.Lengths))})
	}
	into := m.Heads[at].Task
	if f.Tokens == eval.RandomTokens {
		into = m.Heads[at].Random
	}
	into[length] = f.Attention
}

// probeOf finds the probe of a finding, or begins it.
func (m *InsideModel) probeOf(f eval.Finding, lengths int) *InsideProbe {
	at := slices.IndexFunc(m.Probes, func(p InsideProbe) bool { return p.Tokens == f.Tokens && p.Layers == f.Layer })
	if at < 0 {
		at, m.Probes = len(m.Probes), append(m.Probes, InsideProbe{f.Tokens, f.Layer, make([]*eval.Probe, lengths)})
	}
	return &m.Probes[at]
}

// logitsOf finds the head of a finding, or begins it.
func (m *InsideModel) logitsOf(f eval.Finding, lengths int) *InsideLogits {
	at := slices.IndexFunc(m.Logits, func(l InsideLogits) bool { return l.Layer == f.Layer && l.Head == f.Logits.Head })
	if at < 0 {
		at, m.Logits = len(m.Logits), append(m.Logits, InsideLogits{f.Layer, f.Logits.Head, make([]*eval.LogitFit, lengths)})
	}
	return &m.Logits[at]
}

// causalOf finds the place of a finding, or begins it.
func (m *InsideModel) causalOf(f eval.Finding, lengths int) *InsideCausal {
	at := slices.IndexFunc(m.Causal, func(c InsideCausal) bool { return c.Layers == f.Layer })
	if at < 0 {
		at, m.Causal = len(m.Causal), append(m.Causal, InsideCausal{f.Layer, make([]*eval.Causal, lengths), make([]int, lengths)})
	}
	return &m.Causal[at]
}

func (t *InsideTask) addPair(f eval.Finding, encoding string) {
	if f.NA {
		return
	}
	a, b := encoding, f.Divergence.Encoding
	other := card.Seeds{Weights: f.Divergence.Seed, Data: f.Divergence.DataSeed}
	if f.TrainSeeds() != other {
		a, b = fmt.Sprintf("%s seed %v", a, f.TrainSeeds()), fmt.Sprintf("%s seed %v", b, other)
	}
	at := slices.IndexFunc(t.Pairs, func(p Pair) bool { return p.Model == a && p.Other == b && p.Length == f.Length })
	if at < 0 {
		at, t.Pairs = len(t.Pairs), append(t.Pairs, Pair{Model: a, Other: b, Length: f.Length})
	}
	p := &t.Pairs[at]
	published := Unknown
	if f.Divergence.Published != nil {
		published = Number(*f.Divergence.Published)
	}
	js, null := Number(f.Divergence.JensenShannon), Number(f.Divergence.Null)
	if i := slices.Index(p.Layers, f.Layer); i >= 0 {
		p.JensenShannon[i], p.Null[i], p.Published[i] = js, null, published
		return
	}
	p.Layers = append(p.Layers, f.Layer)
	p.JensenShannon, p.Null = append(p.JensenShannon, js), append(p.Null, null)
	p.Published = append(p.Published, published)
}

// Mean is the mean of numbers, unknown where one of them is.
func Mean(numbers []Number) Number {
	sum := Number(0)
	for _, n := range numbers {
		sum += n
	}
	if len(numbers) == 0 {
		return Unknown
	}
	return sum / Number(len(numbers))
}

// Longest is the greatest length that the model was trained on of those where something was found, or else the
// least one; −1 where nothing was. found is for InsideHead.Task or Random.
func (m *InsideModel) Longest(lengths []int, of func(InsideHead) []*eval.Attention) int {
	return m.within(lengths, func(i int) bool { return len(m.Heads) > 0 && of(m.Heads[0])[i] != nil })
}

// within is the greatest length that the model was trained on of those that there is something at, or else the
// least one; −1 where there is nothing.
func (m *InsideModel) within(lengths []int, there func(i int) bool) int {
	best := -1
	for i, length := range lengths {
		if there(i) && (best < 0 || length <= m.Trained[1]) {
			best = i
		}
	}
	return best
}

// LogitsWithin and ProbesWithin are such lengths of InsideModel.Logits, and of those of Probes that have these tokens.
func (m *InsideModel) LogitsWithin(lengths []int) int {
	return m.within(lengths, func(i int) bool {
		return slices.ContainsFunc(m.Logits, func(l InsideLogits) bool { return l.At[i] != nil })
	})
}

func (m *InsideModel) ProbesWithin(lengths []int, tokens string) int {
	return m.within(lengths, func(i int) bool {
		return slices.ContainsFunc(m.Probes, func(p InsideProbe) bool { return p.Tokens == tokens && p.At[i] != nil })
	})
}

// CausalWithin is such a length of InsideModel.Causal.
func (m *InsideModel) CausalWithin(lengths []int) int {
	return m.within(lengths, func(i int) bool {
		return slices.ContainsFunc(m.Causal, func(c InsideCausal) bool { return c.At[i] != nil })
	})
}

// InsideRun is one training run on a task.
type InsideRun struct {
	Model  *InsideModel   // at the last step that was looked into
	Init   *InsideModel   // the weights that its seed drew; nil where nobody looked into them
	Course []*InsideModel // each step that was looked into, these two included
}

// Runs are the training runs of models that were not changed afterwards.
func (t *InsideTask) Runs() []InsideRun {
	name := func(m *InsideModel) string {
		before, _, _ := strings.Cut(m.Name, "@") // behind it stands the step
		return before
	}
	var out []InsideRun
	for i := range t.Models {
		m := &t.Models[i]
		if m.Changed != "" {
			continue
		}
		at := slices.IndexFunc(out, func(r InsideRun) bool {
			of := r.Course[0]
			return name(of) == name(m) && of.Base == m.Base && of.Seeds == m.Seeds
		})
		if at < 0 {
			at, out = len(out), append(out, InsideRun{})
		}
		out[at].Course = append(out[at].Course, m)
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

// Ends are the models without those of steps on the way: of a training run stay the last step that was looked into
// and the weights before training.
func (t *InsideTask) Ends() []InsideModel {
	last := map[string]bool{}
	for _, r := range t.Runs() {
		last[r.Model.Name] = true
	}
	return slices.DeleteFunc(slices.Clone(t.Models), func(m InsideModel) bool {
		return m.Changed == "" && m.Steps > 0 && !last[m.Name]
	})
}

// OnTask and OnRandom choose what a head did on.
func OnTask(h InsideHead) []*eval.Attention   { return h.Task }
func OnRandom(h InsideHead) []*eval.Attention { return h.Random }

// RoleCount is how many heads of the models of an encoding have which role, at the greatest trained
// length that each was looked at.
type RoleCount struct {
	Encoding   string
	Models     int
	Heads      int
	Roles      map[string]int // by eval.Roles, and eval.RoleMixed
	Positional Number         // mean share of the weights' variance that position explains
}

// Roles counts the roles of heads by encoding, on what of chooses.
func (t *InsideTask) Roles(of func(InsideHead) []*eval.Attention) []RoleCount {
	var out []RoleCount
	for i := range t.Models {
		m := &t.Models[i]
		length := m.Longest(t.Lengths, of)
		if length < 0 {
			continue
		}
		at := slices.IndexFunc(out, func(c RoleCount) bool { return c.Encoding == m.Encoding })
		if at < 0 {
			at, out = len(out), append(out, RoleCount{Encoding: m.Encoding, Roles: map[string]int{}})
		}
		c := &out[at]
		c.Models++
		for _, h := range m.Heads {
			a := of(h)[length]
			share := Unknown
			if a == nil {
				continue
			}
			if a.Positional != nil {
				share = Number(*a.Positional)
			}
			c.Positional = (c.Positional*Number(c.Heads) + share) / Number(c.Heads+1)
			c.Roles[a.Label]++
			c.Heads++
		}
	}
	return out
}
