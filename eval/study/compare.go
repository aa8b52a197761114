package study

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/eval/task"
)

// publishedSeeds is how many training seeds stand behind a published mean.
const publishedSeeds = 3

// Compared is a series beside the paper's number for its task and encoding. The
// paper's models are far larger, so a difference is one of two setups.
type Compared struct {
	Task       string `json:"task"` // name of the study's task
	Name       string `json:"name"` // of the series
	Encoding   int    `json:"encoding"`
	Variant    int    `json:"variant"`
	Ours       Spread `json:"ours"`       // exact match at the paper's longer lengths, as measured, weighted as there
	Published  Number `json:"published"`  // the paper's at the same lengths
	All        Number `json:"-"`          // the paper's at all its longer lengths
	Difference Number `json:"difference"` // ours − published
	Setup      string `json:"setup"`      // what else differs
}

// compare puts the published numbers beside the tasks and encodings that both
// have, which are of exact match. Scratchpads and other options make another task.
func (s *Study) compare() error {
	if s.Measure != Exact {
		return nil
	}
	curves, err := PublishedCurves()
	if err != nil {
		return err
	}
	means, err := PublishedAccuracy()
	if err != nil {
		return err
	}
	for _, t := range s.Tasks {
		name := strings.TrimSuffix(t.Task, "+paper") // the same prompts, none held out
		if t.Split != task.Test.String() || strings.Contains(name, "+") {
			continue
		}
		known, err := task.Lookup(name)
		if err != nil {
			continue // results of another version of the program; nothing to compare
		}
		for _, of := range t.Series {
			if of.Rows[0].Intervention != "" {
				continue // the paper changes no trained model
			}
			encoding := s.Encodings[of.Encoding]
			i := slices.IndexFunc(curves, func(c Curve) bool { return c.Task == known.Name && c.Encoding == encoding })
			k := slices.IndexFunc(means, func(p Published) bool {
				return p.Task == known.Name && p.Encoding == encoding && p.Seed == "mean"
			})
			if i < 0 || k < 0 {
				continue
			}
			if c, ok := of.compared(curves[i], known); ok {
				c.Task, c.All = t.Name, means[k].Beyond
				s.Published = append(s.Published, c)
			}
		}
	}
	return nil
}

// compared takes means over those of the paper's longer lengths that all seeds were
// measured at here: accuracy falls off so steeply that means over other lengths say
// nothing of each other. False if there is no length that the models had not seen.
func (s *Series) compared(p Curve, t task.Task) (Compared, bool) {
	c := Compared{Name: s.Name, Encoding: s.Encoding, Variant: s.Variant}
	theirs := slices.Sorted(maps.Keys(p.At))
	lengths := slices.DeleteFunc(slices.Clone(theirs), func(length int) bool { return !s.allBeyond(length) })
	if len(lengths) == 0 {
		return c, false
	}
	share := ByExamples.of(t.Name)
	weight := func(length int) float64 { return share(task.At(length)) }
	var means []float64
	for _, seed := range s.Seeds {
		means = append(means, mean(lengths, weight, func(length int) float64 { return s.seeds[seed][task.At(length)].accuracy }))
	}
	c.Ours = spreadOf(means)
	c.Published = Number(mean(lengths, weight, func(length int) float64 { return p.At[length] }))
	c.Difference = c.Ours.Mean - c.Published
	c.Setup = s.setup(t, len(lengths), len(theirs))
	return c, true
}

// allBeyond reports whether a length is beyond training and was measured with
// every seed.
func (s *Series) allBeyond(length int) bool {
	lacks := func(seed uint64) bool { return s.seeds[seed][task.At(length)].n == 0 }
	return length > s.Trained[1] && !slices.ContainsFunc(s.Seeds, lacks)
}

// mean is a mean over lengths, each with the share of its samples in the paper.
func mean(lengths []int, weight func(int) float64, of func(int) float64) float64 {
	var sum, weights float64
	for _, length := range lengths {
		w := weight(length)
		sum, weights = sum+w*of(length), weights+w
	}
	return sum / weights
}

// setup tells in what a series differs from the paper's models.
func (s *Series) setup(t task.Task, lengths, of int) string {
	var differs []string
	if s.Parameters != PublishedParameters {
		differs = append(differs, fmt.Sprintf("%s parameters, not %s", Millions(s.Parameters),
			Millions(PublishedParameters)))
	}
	if s.Steps != [2]int{PublishedSteps, PublishedSteps} {
		steps := Thousands(s.Steps[1])
		if s.Steps[0] != s.Steps[1] {
			steps = Thousands(s.Steps[0]) + "–" + steps
		}
		differs = append(differs, fmt.Sprintf("%s steps, not %s", steps, Thousands(PublishedSteps)))
	}
	if s.Trained != [2]int{t.Train.Min, t.Train.Max} {
		differs = append(differs,
			fmt.Sprintf("trained %d–%d, not %d–%d", s.Trained[0], s.Trained[1], t.Train.Min, t.Train.Max))
	}
	if lengths < of {
		differs = append(differs, fmt.Sprintf("%d of %d lengths", lengths, of))
	}
	if len(s.Seeds) != publishedSeeds {
		differs = append(differs, fmt.Sprintf("%s, not %d", Count(len(s.Seeds), "seed", "seeds"), publishedSeeds))
	}
	return strings.Join(differs, "; ")
}
