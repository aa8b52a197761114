package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/eval"
)

// Place is where and how costs were measured: they are comparable within it, and
// nowhere else.
type Place struct {
	Name   string       `json:"name"`
	Series []CostSeries `json:"series"` // in the order of the task's
	// Common is the longest trained length at which all series have a decode step,
	// else the longest length; 0 for none. Beyond training many sequences end too
	// soon, and steps of the few that are left are fast.
	Common   int  `json:"common"`
	UpperRAM bool `json:"upperRAM"` // some peak memory is the process's, an upper bound

	key placeKey
}

// CostSeries is one series in one place.
type CostSeries struct {
	Series int         `json:"series"` // index in Task.Series
	Points []CostPoint `json:"points"` // by length; only what was measured
}

// CostPoint is what one length cost: over all measurements of it (training seeds,
// seeds of the samples), mean and range.
type CostPoint struct {
	Length  int    `json:"length"`
	Tokens  Spread `json:"tokens"`  // generated in a second
	Prefill Spread `json:"prefill"` // milliseconds
	Decode  Spread `json:"decode"`  // milliseconds of the median step; unknown without one
	Memory  Spread `json:"memory"`  // peak MiB; unknown where the system does not tell
}

// Metric is one kind of cost.
type Metric struct {
	Key   string // as in JSON
	Label string
	Unit  string
	Of    func(CostPoint) Spread
}

// Metrics lists the kinds of cost in the order of the page.
func Metrics() []Metric {
	return []Metric{
		{"tokens", "Throughput", "tokens/s", func(p CostPoint) Spread { return p.Tokens }},
		{"decode", "Decode step, median", "ms", func(p CostPoint) Spread { return p.Decode }},
		{"prefill", "Prefill", "ms", func(p CostPoint) Spread { return p.Prefill }},
		{"memory", "Peak memory", "MiB", func(p CostPoint) Spread { return p.Memory }},
	}
}

// placeKey is all that costs depend on beside the model and length.
type placeKey struct {
	machine, provider, profile, ort string
	threads, batch                  int
	spinning                        bool
	chunk, newTokens                int // of speed without a task; 0 else
}

func placeOf(r eval.Row) placeKey {
	k := placeKey{machine: r.Machine, provider: r.Provider, profile: r.Profile, ort: r.ORTVersion, threads: r.Threads, batch: r.Batch, spinning: r.Spinning}
	if r.Cost != nil {
		k.chunk, k.newTokens = r.Chunk, r.NewTokens
	}
	return k
}

// parts names a place in full; what all places share may be left out.
func (k placeKey) parts() []string {
	engine := "no ONNX Runtime"
	if k.ort != "" {
		engine = "ONNX Runtime " + k.ort
	}
	threads := "a thread per core"
	if k.threads > 0 {
		threads = count(k.threads, "thread", "threads")
	}
	spin := "idle threads sleep"
	if k.spinning {
		spin = "idle threads spin"
	}
	return []string{cmp.Or(k.machine, "unnamed machine"), cmp.Or(k.provider, "unnamed provider"), k.profile + " profile",
		fmt.Sprintf("batch %d", k.batch), threads, engine, spin, "read in chunks of " + count(k.chunk, "token", "tokens"), count(k.newTokens, "new token", "new tokens")}
}

// always is how many parts of a place's name are never left out.
const always = 2

// places groups the costs of a task's variants; trained is the longest trained length.
func places(variants []variant, trained int) []Place {
	out := []Place{} // a list in JSON, too
	for i, v := range variants {
		for _, key := range placesOf(v.rows) {
			at := slices.IndexFunc(out, func(p Place) bool { return p.key == key })
			if at < 0 {
				at = len(out)
				out = append(out, Place{key: key})
			}
			out[at].add(i, v.rows)
		}
	}
	for i := range out {
		out[i].Name = placeName(out[i].key, out)
		out[i].Common = out[i].common(trained)
	}
	return out
}

// placesOf lists the places where something was timed.
func placesOf(rows []eval.Row) []placeKey {
	var out []placeKey
	for _, r := range rows {
		if k := placeOf(r); r.Speed != nil && !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out
}

// placeName leaves out what all places share.
func placeName(key placeKey, all []Place) string {
	var name []string
	for i, part := range key.parts() {
		if i < always || slices.ContainsFunc(all, func(p Place) bool { return p.key.parts()[i] != part }) {
			name = append(name, part)
		}
	}
	return strings.Join(name, " · ")
}

func (p *Place) add(series int, rows []eval.Row) {
	c := CostSeries{Series: series}
	rows, _ = eval.Latest(rows)
	rows = slices.DeleteFunc(rows, func(r eval.Row) bool { return r.Speed == nil || placeOf(r) != p.key })
	for _, length := range distinct(rows, func(r eval.Row) int { return r.Length }) {
		var at []eval.Row
		for _, r := range rows {
			if r.Length == length {
				at = append(at, r)
				p.UpperRAM = p.UpperRAM || r.PeakMemoryOf == eval.PeakOfProcess
			}
		}
		c.Points = append(c.Points, costPoint(length, at))
	}
	p.Series = append(p.Series, c)
}

func costPoint(length int, rows []eval.Row) CostPoint {
	over := func(value func(eval.Row) (float64, bool)) Spread {
		var values []float64
		for _, r := range rows {
			if v, ok := value(r); ok {
				values = append(values, v)
			}
		}
		return spreadOf(values)
	}
	return CostPoint{
		Length:  length,
		Tokens:  over(func(r eval.Row) (float64, bool) { return r.TokensPerSecond, r.TokensPerSecond > 0 }),
		Prefill: over(func(r eval.Row) (float64, bool) { return r.PrefillMS, r.PrefillMS > 0 }),
		Decode:  over(func(r eval.Row) (float64, bool) { return r.DecodeP50MS, r.DecodeSteps > 0 }),
		Memory:  over(func(r eval.Row) (float64, bool) { return float64(r.PeakMemory) / (1 << 20), r.PeakMemory > 0 }),
	}
}

func (p *Place) common(trained int) int {
	steps := map[int]int{}
	for _, s := range p.Series {
		for _, pt := range s.Points {
			if pt.Decode.Mean.Known() {
				steps[pt.Length]++
			}
		}
	}
	longest, seen := 0, 0
	for length, n := range steps {
		if n == len(p.Series) {
			longest = max(longest, length)
			if length <= trained {
				seen = max(seen, length)
			}
		}
	}
	return cmp.Or(seen, longest)
}

// At returns the costs at a length.
func (s CostSeries) At(length int) (CostPoint, bool) {
	for _, p := range s.Points {
		if p.Length == length {
			return p, true
		}
	}
	return CostPoint{}, false
}

// Metrics lists the kinds of cost, for the page.
func (s *Study) Metrics() []Metric { return Metrics() }
