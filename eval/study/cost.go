package study

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
	Common   int              `json:"common"`
	Charts   map[string]Chart `json:"charts"`   // by the key of the metric
	UpperRAM bool             `json:"upperRAM"` // some peak memory is the process's, an upper bound

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
	Length  int        `json:"length"`
	Tokens  Spread     `json:"tokens"`  // generated in a second
	Prefill Spread     `json:"prefill"` // milliseconds
	Decode  Spread     `json:"decode"`  // milliseconds of the median step; unknown without one
	Memory  Spread     `json:"memory"`  // peak MiB; unknown where the system does not tell
	Rows    []eval.Row `json:"-"`       // the measurements, all of them timed
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
	return placeKey{machine: r.Machine, provider: r.Provider, profile: r.Profile, ort: r.ORTVersion, threads: r.Threads, batch: r.Batch, spinning: r.Spinning,
		chunk: r.Chunk, newTokens: r.NewTokens}
}

func (k placeKey) engine() string {
	if k.ort == "" {
		return "no ONNX Runtime"
	}
	return "ONNX Runtime " + k.ort
}

func (k placeKey) spin() string {
	if k.spinning {
		return "idle threads spin"
	}
	return "idle threads sleep"
}

func (k placeKey) chunks() string { return "read in chunks of " + Count(k.chunk, "token", "tokens") }

func (k placeKey) generates() string { return Count(k.newTokens, "new token", "new tokens") }

// parts names a place in full; what all places share may be left out.
func (k placeKey) parts() []string {
	return []string{cmp.Or(k.machine, "unnamed machine"), cmp.Or(k.provider, "unnamed provider"), k.profile + " profile",
		fmt.Sprintf("batch %d", k.batch), threads(k.threads), k.engine(), k.spin(), k.chunks(), k.generates()}
}

// always is how many parts of a place's name are never left out.
const always = 2

// places groups the costs of a task's variants; trained is the longest trained length.
func places(variants []variant, trained int) []Place {
	out := []Place{} // a list in JSON, too
	for i, v := range variants {
		rows, _ := latest(v.rows)
		rows = slices.DeleteFunc(rows, func(r eval.Row) bool { return !r.Timed() })
		for _, g := range groupBy(rows, placeOf) {
			at := slices.IndexFunc(out, func(p Place) bool { return p.key == g.key })
			if at < 0 {
				at = len(out)
				out = append(out, Place{key: g.key})
			}
			out[at].Series = append(out[at].Series, CostSeries{i, costPoints(g.rows)})
			out[at].UpperRAM = out[at].UpperRAM || slices.ContainsFunc(g.rows, func(r eval.Row) bool { return r.PeakMemoryOf == eval.PeakOfProcess })
		}
	}
	for i := range out {
		out[i].Name = placeName(out[i].key, out)
		out[i].Common = out[i].common(trained)
		out[i].Charts = map[string]Chart{}
		for _, m := range Metrics() {
			out[i].Charts[m.Key] = out[i].costChart(m)
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

// costPoints puts costs together by length; what was not timed is passed over.
func costPoints(rows []eval.Row) []CostPoint {
	timed := slices.DeleteFunc(slices.Clone(rows), func(r eval.Row) bool { return !r.Timed() })
	points := each(groupBy(timed, func(r eval.Row) int { return r.Length }), func(g group[int]) CostPoint { return costPoint(g.key, g.rows) })
	slices.SortFunc(points, func(a, b CostPoint) int { return cmp.Compare(a.Length, b.Length) })
	return points
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
			s.Low, s.High = Unknown, Unknown
		}
		return s
	}
	return CostPoint{
		Length: length, Rows: rows,
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
	suffix := strings.TrimPrefix(t.Series[of].Name, s.Encodings[t.Series[of].Encoding])
	var found []CostPoint
	for _, c := range p.Series {
		base := t.Series[c.Series]
		at, ok := c.At(p.Common)
		if s.Encodings[base.Encoding] != s.Baseline || !ok {
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

// Relative is a cost at the place's common length as a multiple of the baseline's;
// unknown without one.
func (s *Study) Relative(t *Task, p Place, c CostSeries, m Metric) Number {
	at, ok := c.At(p.Common)
	base, known := s.baseline(t, p, c.Series)
	if !ok || !known {
		return Unknown
	}
	return m.Of(at).Mean / m.Of(base).Mean
}

// Mean is the mean of some numbers over those measurements of a length that have
// them; nil where none has.
func (p CostPoint) Mean(of func(eval.Row) []float64) []float64 {
	var sum []float64
	n := 0.0
	for _, r := range p.Rows {
		list := of(r)
		if len(list) == 0 {
			continue
		}
		if n++; sum == nil {
			sum = make([]float64, len(list))
		}
		for i, v := range list {
			sum[i] += v
		}
	}
	for i := range sum {
		sum[i] /= n
	}
	return sum
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

// Throughput is what eval.Speed.TokensPerSecond is called wherever people read it:
// tokens of sequences that end early are as few as they are, and prefill takes its
// time. What reading or generating alone reaches has other names.
const Throughput = "throughput"
