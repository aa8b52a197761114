package eval

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// rankingSection is the mean reciprocal rank of the encodings over all tasks and
// training seeds; ok is false where none has two encodings to rank.
func rankingSection(groups []*group, by Weighting) (s Section, ok bool) {
	var contests []Contest
	var guessed []string
	for _, g := range groups {
		for _, r := range g.rankings(by) {
			contests = append(contests, r.Contest())
			if len(r.Standings) > 1 && r.AtChance() && !slices.Contains(guessed, g.task) {
				guessed = append(guessed, g.task)
			}
		}
	}
	ranks := MeanReciprocalRanks(contests)
	if len(ranks) == 0 {
		return s, false
	}
	lines := [][]string{{"encoding", "mean reciprocal rank", "rankings"}}
	for _, r := range ranks {
		lines = append(lines, []string{r.Name, strconv.FormatFloat(r.Value, 'f', 3, 64), strconv.Itoa(r.Contests)})
	}
	b := block{title: fmt.Sprintf("1 is always best; %s; equals share their ranks, and a length that a model cannot take counts as wrong", by), lines: lines}
	if len(guessed) > 0 {
		b.notes = []string{"not ranked where no encoding is above chance: " + strings.Join(guessed, ", ")}
	}
	return Section{
		title:  "encodings, ranked by mean exact match beyond the trained lengths, for each task and training seed",
		blocks: []block{b},
	}, true
}

// rankings holds one for each training seed. An encoding that was measured in
// several forms (profiles, providers) stands for their mean.
func (g *group) rankings(by Weighting) []Ranking {
	forms := map[uint64]map[string][]*column{} // by training seed and encoding
	for _, c := range g.columns {
		first := c.rows[0]
		if forms[first.TrainSeed] == nil {
			forms[first.TrainSeed] = map[string][]*column{}
		}
		of := forms[first.TrainSeed]
		of[first.Encoding] = append(of[first.Encoding], c)
	}
	var out []Ranking
	for _, seed := range slices.Sorted(maps.Keys(forms)) {
		cells := map[string]map[int]Cell{}
		for name, columns := range forms[seed] {
			cells[name] = beyond(columns)
		}
		out = append(out, NewRanking(g.task, cells, by))
	}
	return out
}

// beyond is the mean of several columns at each length beyond training. Their prompts
// are the same ones, and are not added up.
func beyond(columns []*column) map[int]Cell {
	out, counts := map[int]Cell{}, map[int]float64{}
	for _, c := range columns {
		for length, at := range c.cells {
			if length <= c.trained[1] {
				continue
			}
			counts[length]++
			mean := out[length]
			mean.Accuracy += (at.Accuracy - mean.Accuracy) / counts[length]
			mean.N, mean.Chance = max(mean.N, at.N), max(mean.Chance, at.Chance)
			out[length] = mean
		}
	}
	return out
}
