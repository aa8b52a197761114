package summary

import (
	"cmp"
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/internal/human"
)

// The comments at the head of the files name their source.
//
//go:embed published/means.csv
var publishedMeans []byte

//go:embed published/ranks.csv
var publishedRanks []byte

// PublishedSource is the default paper to compare with. Its prompts are drawn as ours are; package task tells the
// differences.
const PublishedSource = "Kazemnejad et al., NeurIPS 2023, arXiv 2305.19466"

// Setup of the paper's models.
const (
	publishedParameters = 109_607_040
	publishedSteps      = 40_000
	publishedSeeds      = 3 // behind a mean
)

// kazemnejad reads the numbers of the paper that this project rebuilds: means over three runs.
func kazemnejad() (*publishedNumbers, error) {
	p := &publishedNumbers{ranks: contest{}, Source: PublishedSource, Caveats: []string{fmt.Sprintf(
		"The paper’s models have 12 layers and %s parameters, read T5’s vocabulary and train for %s steps. The table "+
			"says in what each model here differs.", human.Millions(publishedParameters), human.Thousands(publishedSteps))}}
	lines, err := readCSV(publishedMeans, "task", "encoding", "inside", "beyond", "lengths")
	if err != nil {
		return nil, err
	}
	for _, f := range lines[1:] {
		means := trainingRun{cells: map[task.Span]cell{}}
		beyond, err := strconv.ParseFloat(f[3], 64)
		for point := range strings.FieldsSeq(f[4]) {
			length, accuracy, _ := strings.Cut(point, ":")
			span, errLength := readSpan(length)
			value, errValue := strconv.ParseFloat(accuracy, 64)
			means.cells[span], err = cell{n: 1, accuracy: value}, cmp.Or(err, errLength, errValue)
		}
		if err != nil {
			return nil, fmt.Errorf("published numbers %q: %w", f, err)
		}
		p.models = append(p.models, publishedModel{task: f[0], encoding: f[1], beyond: Number(beyond), runs: []trainingRun{means},
			fit: fit{Runs: publishedSeeds, Unknown: publishedSeeds}, differs: differsFromKazemnejad})
	}
	if lines, err = readCSV(publishedRanks, "encoding", "all"); err != nil {
		return nil, err
	}
	for _, f := range lines[1:] {
		p.order = append(p.order, f[0])
		if p.ranks[f[0]], err = strconv.ParseFloat(f[1], 64); err != nil {
			return nil, fmt.Errorf("published ranks %q: %w", f, err)
		}
	}
	return p, nil
}

// differsFromKazemnejad lists the differences of a series from the paper's models. lengths are compared, of all that the paper has.
func differsFromKazemnejad(s *Series, t task.Task, lengths, all int) []string {
	var differs []string
	if s.Parameters != publishedParameters {
		differs = append(differs, fmt.Sprintf("%s parameters, not %s", human.Millions(s.Parameters), human.Millions(publishedParameters)))
	}
	if s.Steps != [2]int{publishedSteps, publishedSteps} {
		differs = append(differs, fmt.Sprintf("%s, not %s", s.stepsText(), human.Thousands(publishedSteps)))
	}
	if s.Trained != [2]int{t.Train.Min, t.Train.Max} {
		differs = append(differs, fmt.Sprintf("trained %d–%d, not %d–%d", s.Trained[0], s.Trained[1], t.Train.Min, t.Train.Max))
	}
	if lengths < all {
		differs = append(differs, fmt.Sprintf("%d of %d lengths", lengths, all))
	}
	return differs
}
