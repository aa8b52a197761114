package eval

import (
	"maps"
	"slices"
	"strconv"
)

// rankingSection is the mean reciprocal rank of the encodings over all tasks and
// training seeds; ok is false where none has two encodings to rank.
func rankingSection(groups []*group) (s Section, ok bool) {
	ranks := MeanReciprocalRanks(contests(groups))
	if len(ranks) == 0 {
		return s, false
	}
	lines := [][]string{{"encoding", "mean reciprocal rank", "rankings"}}
	for _, r := range ranks {
		lines = append(lines, []string{r.Name, strconv.FormatFloat(r.Value, 'f', 3, 64), strconv.Itoa(r.Contests)})
	}
	return Section{
		title:  "encodings, ranked by mean exact match beyond the trained lengths, for each task and training seed",
		blocks: []block{{title: "1 is always best; equals share their ranks, and a length that a model cannot take counts as wrong", lines: lines}},
	}, true
}

// contests holds one ranking for each task and training seed, over the lengths beyond
// training that all its encodings were measured at. An encoding that was measured in
// several forms (profiles, providers) stands for their mean.
func contests(groups []*group) []Contest {
	var out []Contest
	for _, g := range groups {
		forms := map[uint64]map[string][]*column{} // by training seed and encoding
		for _, c := range g.columns {
			first := c.rows[0]
			if forms[first.TrainSeed] == nil {
				forms[first.TrainSeed] = map[string][]*column{}
			}
			of := forms[first.TrainSeed]
			of[first.Encoding] = append(of[first.Encoding], c)
		}
		for _, seed := range slices.Sorted(maps.Keys(forms)) {
			scores := map[string]map[int]float64{}
			for name, columns := range forms[seed] {
				scores[name] = beyond(columns)
			}
			out = append(out, NewContest(scores))
		}
	}
	return out
}

// beyond is the mean exact match of several columns at each length beyond training,
// where one that a model cannot take counts as wrong.
func beyond(columns []*column) map[int]float64 {
	sums, counts := map[int]float64{}, map[int]int{}
	for _, c := range columns {
		for length, at := range c.cells {
			if length > c.trained[1] {
				sums[length] += at.Accuracy
				counts[length]++
			}
		}
	}
	for length, n := range counts {
		sums[length] /= float64(n)
	}
	return sums
}
