package eval

import (
	"math"
	"strconv"
)

// rankingSection is the mean reciprocal rank of the encodings over all tasks and
// training seeds; ok is false where none has two encodings to rank.
func rankingSection(groups []*group) (s section, ok bool) {
	ranks := MeanReciprocalRanks(contests(groups))
	if len(ranks) == 0 {
		return s, false
	}
	lines := [][]string{{"encoding", "mean reciprocal rank", "rankings"}}
	for _, r := range ranks {
		lines = append(lines, []string{r.Name, strconv.FormatFloat(r.Value, 'f', 3, 64), strconv.Itoa(r.Contests)})
	}
	return section{
		title:  "encodings, ranked by mean exact match beyond the trained lengths, for each task and training seed",
		blocks: []block{{title: "1 is always best; equals share their ranks, and a length that a model cannot take counts as wrong", lines: lines}},
	}, true
}

// contests holds one ranking for each task and training seed. An encoding that was
// measured in several forms (profiles, providers) stands for their mean.
func contests(groups []*group) []Contest {
	var out []Contest
	for _, g := range groups {
		values := map[uint64]map[string][]float64{}
		var seeds []uint64
		for _, c := range g.columns {
			first := c.rows[0]
			beyond := c.summary(g).Beyond
			value := beyond.Value * float64(beyond.Lengths) / float64(beyond.Lengths+beyond.NA)
			if beyond.Lengths == 0 && beyond.NA > 0 {
				value = 0
			}
			if math.IsNaN(value) {
				continue
			}
			if values[first.TrainSeed] == nil {
				values[first.TrainSeed] = map[string][]float64{}
				seeds = append(seeds, first.TrainSeed)
			}
			of := values[first.TrainSeed]
			of[first.Encoding] = append(of[first.Encoding], value)
		}
		for _, seed := range seeds {
			contest := Contest{}
			for name, all := range values[seed] {
				sum := 0.0
				for _, v := range all {
					sum += v
				}
				contest[name] = sum / float64(len(all))
			}
			out = append(out, contest)
		}
	}
	return out
}
