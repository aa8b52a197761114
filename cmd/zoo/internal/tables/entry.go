package tables

import (
	"slices"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/zoo/catalogue"
)

// entry is what a manifest says of a model of the catalogue.
type entry struct {
	Name       string `json:"name"`
	Task       string `json:"task"`
	Encoding   string `json:"encoding"`
	TrainedMin int    `json:"trained_min"`
	TrainedMax int    `json:"trained_max"`
	// TrainedAccuracy is the mean exact match at the trained lengths, in 0..1; null
	// where none was measured.
	TrainedAccuracy *float64 `json:"trained_accuracy"`
	EffectiveLength int      `json:"effective_length"` // see eval.EffectiveLength; 0 for none
	MeasuredMax     int      `json:"measured_max"`     // the largest length measured
	Parameters      int64    `json:"parameters"`
	Steps           int      `json:"steps"`
	Seed            uint64   `json:"seed"`
	DataSeed        uint64   `json:"data_seed,omitempty"`
	Command         string   `json:"command"`
}

// describe returns what a manifest says.
func describe(m catalogue.Manifest) entry {
	out := entry{
		Name: m.Name, Task: m.Card.Task, Encoding: m.Card.Name(),
		TrainedMin: m.Card.Trained.Min, TrainedMax: m.Card.Trained.Max,
		Parameters: m.Card.Parameters, Steps: m.Card.Steps, Seed: m.Card.Seed, DataSeed: m.Card.DataSeed, Command: m.Command,
	}
	if mean, err := m.TrainedAccuracy(); err == nil {
		out.TrainedAccuracy = &mean
	}
	at := map[int]catalogue.Score{}
	var lengths []int
	for _, s := range m.Scores {
		at[s.Length], lengths = s, append(lengths, s.Length)
	}
	slices.Sort(lengths)
	out.EffectiveLength, _ = eval.EffectiveLength(lengths, func(length int) (float64, bool) {
		s := at[length]
		return float64(s.Correct) / float64(s.N), s.N > 0
	})
	if len(lengths) > 0 {
		out.MeasuredMax = lengths[len(lengths)-1]
	}
	return out
}
