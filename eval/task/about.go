package task

import "math/rand/v2"

// About is what a task says of itself.
type About struct {
	Name        string   `json:"name"`
	Aliases     []string `json:"aliases"`
	Version     int      `json:"version"`
	Description string   `json:"description"`
	Train       string   `json:"train"`
	Beyond      string   `json:"beyond"`
	Lengths     string   `json:"lengths"`
	Chance      float64  `json:"chance"`     // at the longest trained length
	Scratchpad  bool     `json:"scratchpad"` // whether it can have one
	Prompt      string   `json:"prompt"`     // of a short sample
	Target      string   `json:"target"`
}

// About describes the task, with a short sample.
func (t Task) About() (About, error) {
	s, err := t.Sample(rand.New(rand.NewPCG(1, 0)), max(2, t.Train.Min))
	return About{
		Name: t.Name, Aliases: append([]string{}, t.Aliases...), Version: t.Version, Description: t.Description,
		Train: t.Train.String(), Beyond: t.Beyond.String(), Lengths: t.Lengths.String(),
		Chance: t.Chance(t.Train.Max), Scratchpad: t.scratch != nil, Prompt: s.Prompt, Target: s.Target,
	}, err
}
