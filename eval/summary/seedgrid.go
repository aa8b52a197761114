package summary

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/internal/lists"
)

// seedGrid is the runs of a series of which each seed of weights met each seed of data.
type seedGrid struct {
	weights, data []uint64
	runs          []trainingRun // by seed of weights, then of data
}

// seedGrid returns the grid of a series' runs, ok if they fill one of two seeds or more on both sides.
func (s *Series) seedGrid() (g seedGrid, ok bool) {
	at := map[[2]uint64]trainingRun{}
	for _, r := range s.runs {
		data := r.seeds.Data
		if data == 0 {
			data = r.seeds.Weights
		}
		at[[2]uint64{r.seeds.Weights, data}] = r
		g.weights, g.data = append(g.weights, r.seeds.Weights), append(g.data, data)
	}
	slices.Sort(g.weights)
	slices.Sort(g.data)
	g.weights, g.data = slices.Compact(g.weights), slices.Compact(g.data)
	for _, w := range g.weights {
		for _, d := range g.data {
			r, there := at[[2]uint64{w, d}]
			if !there {
				return g, false
			}
			g.runs = append(g.runs, r)
		}
	}
	return g, len(g.weights) > 1 && len(g.data) > 1
}

// seedTables say of each series with a grid of seeds how much of the variance between runs the weights' seed explains, and how much
// the data's.
func (t *Task) seedTables(series []Series) []Table {
	var out []Table
	for _, s := range series {
		g, ok := s.seedGrid()
		if !ok || !t.Scored {
			continue
		}
		beyond := lists.Map(g.runs, func(r trainingRun) float64 { return s.meanOf(r, s.isBeyond, new(int)) })
		out = append(out, g.means(fmt.Sprintf("%s, %s: %s beyond the trained lengths in %%, by the seeds of weights (lines) and data", t.Name, s.Name,
			label(s.measure)), beyond))
		shares := Table{Title: fmt.Sprintf("%s, %s: variance of %s between runs, in %%, that each seed explains", t.Name, s.Name, label(s.measure)),
			Head: []string{"length", "weights", "data", "the rest", "p of weights", "p of data"},
			Notes: []string{fmt.Sprintf("Two-way analysis of variance, one run a cell. Seeds without any effect explain %.0f and %.0f %% in the mean. "+
				"p: share of %s permutations of runs with the same other seed in which this one explains as much.",
				100*float64(len(g.weights)-1)/float64(len(g.runs)-1), 100*float64(len(g.data)-1)/float64(len(g.runs)-1), human.Thousands(permutations))}}
		add := func(name string, values []float64) {
			line := words(name)
			if weights, data, ok := g.shares(values); ok {
				onWeights, onData := g.chance(values)
				line = append(line, figures(Number(weights).percent(), Number(data).percent(), Number(1-weights-data).percent(),
					fmt.Sprintf("%.4f", onWeights), fmt.Sprintf("%.4f", onData))...)
			} else {
				line = append(line, figures("–", "–", "–", "–", "–")...)
			}
			shares.add(line...)
		}
		for _, length := range t.Lengths {
			add(length.Label(), lists.Map(g.runs, func(r trainingRun) float64 { return r.at(length, func(c cell) float64 { return c.accuracy }) }))
		}
		add("beyond", beyond)
		out = append(out, shares)
	}
	return out
}

// means is a table of the runs' values, with the means of lines and columns.
func (g seedGrid) means(title string, values []float64) Table {
	name := func(seed uint64) string { return strconv.FormatUint(seed, 10) }
	lines, columns := g.sums(values)
	percent := func(v float64) Cell { return numberCell(Number(v), Number.percent) }
	return grid(title, "seed", append(lists.Map(g.weights, name), "mean"), append(lists.Map(g.data, name), "mean"), func(i, k int) Cell {
		switch {
		case i < len(g.weights) && k < len(g.data):
			return percent(values[i*len(g.data)+k])
		case i < len(g.weights):
			return percent(lines[i] / float64(len(g.data)))
		case k < len(g.data):
			return percent(columns[k] / float64(len(g.weights)))
		}
		return percent(float64(mean(values)))
	})
}

// sums are the sums of each seed of weights and of each seed of data.
func (g seedGrid) sums(values []float64) (weights, data []float64) {
	weights, data = make([]float64, len(g.weights)), make([]float64, len(g.data))
	for i, v := range values {
		weights[i/len(g.data)] += v
		data[i%len(g.data)] += v
	}
	return weights, data
}

// shares are the parts of the values' sum of squares around their mean that the seeds of weights and those of data explain, as a
// two-way analysis of variance splits it; not ok where all values are the same, or one is unknown.
func (g seedGrid) shares(values []float64) (weights, data float64, ok bool) {
	all := float64(mean(values))
	total := 0.0
	for _, v := range values {
		total += (v - all) * (v - all)
	}
	if !(total > 0) {
		return 0, 0, false
	}
	lines, columns := g.sums(values)
	explained := func(sums []float64) float64 {
		each, sum := float64(len(values)/len(sums)), 0.0
		for _, s := range sums {
			sum += each * (s/each - all) * (s/each - all)
		}
		return sum / total
	}
	return explained(lines), explained(columns), true
}

// permutations is how many a test draws, always the same ones.
const permutations = 10_000

// chance is how often seeds without an effect explain as much as they do: of weights, runs of one seed of data change places, and
// the other way round (Edgington & Onghena 2007, Randomization Tests).
func (g seedGrid) chance(values []float64) (weights, data float64) {
	random := rand.New(rand.NewPCG(1, 1))
	share := func(explained func(values []float64) float64, place func(block, i int) int, blocks, size int) float64 {
		own, drawn, count := explained(values), slices.Clone(values), 0
		for range permutations {
			for block := range blocks {
				random.Shuffle(size, func(i, j int) {
					a, b := place(block, i), place(block, j)
					drawn[a], drawn[b] = drawn[b], drawn[a]
				})
			}
			if explained(drawn) >= own-1e-12 {
				count++
			}
		}
		return float64(count+1) / (permutations + 1)
	}
	weights = share(func(v []float64) float64 { w, _, _ := g.shares(v); return w },
		func(block, i int) int { return i*len(g.data) + block }, len(g.data), len(g.weights))
	data = share(func(v []float64) float64 { _, d, _ := g.shares(v); return d },
		func(block, i int) int { return block*len(g.data) + i }, len(g.weights), len(g.data))
	return weights, data
}
