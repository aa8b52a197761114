package summary

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/human"
)

// The comments at the head of the files name their source.
//
//go:embed published/accuracy.csv
var publishedAccuracy []byte

//go:embed published/lengths.csv
var publishedLengths []byte

//go:embed published/ranks.csv
var publishedRanks []byte

// The setup behind the numbers of Kazemnejad et al. Their prompts are not ours, but drawn
// alike: package task says what differs, among others of PCFG.
const (
	PublishedSource     = "Kazemnejad et al., NeurIPS 2023, arXiv 2305.19466"
	PublishedParameters = 109_607_040
	PublishedSteps      = 40_000
	publishedSeeds      = 3 // behind a mean
)

// PublishedRun is one published accuracy of the paper that this project rebuilds.
type PublishedRun struct {
	Task, Encoding string
	Seed           string // "mean" for the mean over three seeds
	Inside, Beyond Number // exact match, 0..1; NaN where not published
}

// Kazemnejad are the numbers of the paper that this project rebuilds: means over three runs.
func Kazemnejad() (*Published, error) {
	ranks, err := PublishedRanks()
	if err != nil {
		return nil, err
	}
	means, err := PublishedAccuracy()
	if err != nil {
		return nil, err
	}
	curves, err := PublishedCurves()
	if err != nil {
		return nil, err
	}
	p := &Published{Source: PublishedSource, Ranks: ranks, Caveats: []string{fmt.Sprintf(
		"The paper’s models have 12 layers and %s parameters, read T5’s vocabulary and train for %s steps. The table "+
			"says in what each model here differs.", human.Millions(PublishedParameters), human.Thousands(PublishedSteps))}}
	for _, m := range means {
		if m.Seed != "mean" {
			continue
		}
		model := PublishedModel{Task: m.Task, Encoding: m.Encoding, Beyond: m.Beyond,
			Fit: Fit{Runs: publishedSeeds, Unknown: publishedSeeds}, differs: differsFromKazemnejad}
		for _, c := range curves {
			if c.Task == m.Task && c.Encoding == m.Encoding {
				model.Means = c.At
			}
		}
		p.Models = append(p.Models, model)
	}
	return p, nil
}

// differsFromKazemnejad tells in what a series differs from the paper's models. lengths are
// those compared, of all that the paper has.
func differsFromKazemnejad(s *Series, t task.Task, lengths, all int) []string {
	var differs []string
	if s.Parameters != PublishedParameters {
		differs = append(differs, fmt.Sprintf("%s parameters, not %s", human.Millions(s.Parameters),
			human.Millions(PublishedParameters)))
	}
	if s.Steps != [2]int{PublishedSteps, PublishedSteps} {
		differs = append(differs, fmt.Sprintf("%s, not %s", s.stepsText(), human.Thousands(PublishedSteps)))
	}
	if s.Trained != [2]int{t.Train.Min, t.Train.Max} {
		differs = append(differs,
			fmt.Sprintf("trained %d–%d, not %d–%d", s.Trained[0], s.Trained[1], t.Train.Min, t.Train.Max))
	}
	if lengths < all {
		differs = append(differs, fmt.Sprintf("%d of %d lengths", lengths, all))
	}
	return differs
}

// PublishedRank is one published mean reciprocal rank, overall and by group of
// tasks.
type PublishedRank struct {
	Encoding                      string
	All, Primitive, Math, Classic Number
	Tie                           int // place in the paper's tie order, from 1
}

// PublishedAccuracy returns the published accuracies.
func PublishedAccuracy() ([]PublishedRun, error) {
	var out []PublishedRun
	err := readCSV(publishedAccuracy, []string{"task", "encoding", "seed", "inside", "beyond"}, func(f []string) error {
		p := PublishedRun{Task: f[0], Encoding: f[1], Seed: f[2]}
		out = append(out, p)
		return parse(f[3:], &out[len(out)-1].Inside, &out[len(out)-1].Beyond)
	})
	return out, err
}

// Curve is the published accuracy of one encoding at the longer lengths of a task.
type Curve struct {
	Task, Encoding string
	At             map[task.Span]float64 // by length
}

// PublishedCurves returns the published accuracies by length.
func PublishedCurves() ([]Curve, error) {
	var out []Curve
	err := readCSV(publishedLengths, []string{"task", "encoding", "lengths"}, func(f []string) error {
		c := Curve{f[0], f[1], map[task.Span]float64{}}
		for point := range strings.FieldsSeq(f[2]) {
			length, accuracy, _ := strings.Cut(point, ":")
			n, err := strconv.Atoi(length)
			if err != nil {
				return err
			}
			if c.At[task.At(n)], err = strconv.ParseFloat(accuracy, 64); err != nil {
				return err
			}
		}
		out = append(out, c)
		return nil
	})
	return out, err
}

// PublishedRanks returns the published mean reciprocal ranks in the paper's tie
// order.
func PublishedRanks() ([]PublishedRank, error) {
	var out []PublishedRank
	columns := []string{"encoding", "all", "primitive", "math", "classic", "tie"}
	err := readCSV(publishedRanks, columns, func(f []string) (err error) {
		r := PublishedRank{Encoding: f[0]}
		if err = parse(f[1:5], &r.All, &r.Primitive, &r.Math, &r.Classic); err == nil {
			r.Tie, err = strconv.Atoi(f[5])
		}
		out = append(out, r)
		return err
	})
	slices.SortFunc(out, func(a, b PublishedRank) int { return cmp.Compare(a.Tie, b.Tie) })
	return out, err
}
