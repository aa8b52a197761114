package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/eval"
)

// Place is where and how costs were measured: they are comparable within it, and
// nowhere else.
type Place struct {
	Name   string       `json:"name"`
	Series []CostSeries `json:"series"` // in the order of the task's
	// Common is the length that costs are compared at: of the trained ones where most
	// series have a decode step the longest, else of all; 0 for none. Beyond training
	// many sequences end too soon, and steps of the few that are left are fast.
	Common   int  `json:"common"`
	UpperRAM bool `json:"upperRAM"` // some peak memory is the process's, an upper bound

	key placeKey
}

// CostSeries is one series in one place.
type CostSeries struct {
	Series int         `json:"series"` // index in Task.Series
	Points []CostPoint `json:"points"` // by length; only what was measured
}

// CostPoint is what one length cost: the mean over all measurements of it (training
// seeds, seeds of the samples), and how far they and their repeats lie apart. A
// single measurement that was not repeated has a standard deviation over its batches
// to either side.
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

	sentence string // that a value ends; "" for costs that stand in no headline
}

// Metrics lists the kinds of cost in the order of the page.
func Metrics() []Metric {
	return []Metric{
		{"tokens", "Throughput", "tokens/s", func(p CostPoint) Spread { return p.Tokens }, ""},
		{"decode", "Decode step, median", "ms", func(p CostPoint) Spread { return p.Decode }, "the median decode step takes"},
		{"prefill", "Prefill", "ms", func(p CostPoint) Spread { return p.Prefill }, "prefill takes"},
		{"memory", "Peak memory", "MiB", func(p CostPoint) Spread { return p.Memory }, "memory peaks at"},
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

// reading is what one row says of a cost: a value, its standard deviation over the
// batches, and the same of each repeat.
type reading struct {
	value, sd float64
	known     bool
	repeats   []float64
}

func costPoint(length int, rows []eval.Row) CostPoint {
	over := func(read func(eval.Row) reading) Spread {
		var values, all []float64
		for _, r := range rows {
			v := read(r)
			if !v.known {
				continue
			}
			values, all = append(values, v.value), append(all, v.value)
			switch {
			case len(v.repeats) > 1:
				all = append(all, v.repeats...)
			case len(rows) == 1:
				all = append(all, max(0, v.value-v.sd), v.value+v.sd)
			}
		}
		s := spreadOf(all)
		s.Mean = spreadOf(values).Mean
		if s.Low == s.High {
			s.Low, s.High = unknown, unknown
		}
		return s
	}
	return CostPoint{
		Length: length,
		Tokens: over(func(r eval.Row) reading {
			return reading{r.TokensPerSecond, r.TokensPerSecondSD, r.TokensPerSecond > 0, r.RepeatRates}
		}),
		Prefill: over(func(r eval.Row) reading {
			return reading{r.PrefillMS, r.PrefillSDMS, r.PrefillMS > 0, r.RepeatPrefillMS}
		}),
		Decode: over(func(r eval.Row) reading {
			return reading{r.DecodeP50MS, r.DecodeSDMS, r.DecodeSteps > 0, r.RepeatDecodeMS}
		}),
		Memory: over(func(r eval.Row) reading {
			return reading{value: float64(r.PeakMemory) / (1 << 20), known: r.PeakMemory > 0}
		}),
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
	longest, seen := 0, 0 // their steps are none
	for _, length := range slices.Sorted(maps.Keys(steps)) {
		if steps[length] >= steps[longest] {
			longest = length
		}
		if length <= trained && steps[length] >= steps[seen] {
			seen = length
		}
	}
	return cmp.Or(seen, longest)
}

// baseline is what a series' costs are relative to: those of the study's baseline of
// the same size and trained lengths, or of the only one. False for none.
func (s *Study) baseline(t *Task, p Place, of int) (CostPoint, bool) {
	suffix := strings.TrimPrefix(t.Series[of].Name, s.Encodings[t.Series[of].Encoding].Name)
	var found []CostPoint
	for _, c := range p.Series {
		base := t.Series[c.Series]
		at, ok := c.At(p.Common)
		if s.Encodings[base.Encoding].Name != s.Baseline || !ok {
			continue
		}
		if base.Name == s.Baseline+suffix {
			return at, true
		}
		found = append(found, at)
	}
	if len(found) != 1 {
		return CostPoint{}, false
	}
	return found[0], true
}

// relative is a cost at the place's common length as a multiple of the baseline's;
// unknown without one.
func (s *Study) relative(t *Task, p Place, c CostSeries, m Metric) Number {
	at, ok := c.At(p.Common)
	base, known := s.baseline(t, p, c.Series)
	if !ok || !known {
		return unknown
	}
	return m.Of(at).Mean / m.Of(base).Mean
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
