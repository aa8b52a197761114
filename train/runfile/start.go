package runfile

import (
	"crypto/sha256"
	"fmt"
)

// Start names the weights of a run that another run begins with: its second phase. To
// train with an encoding and go on without is DroPE (Gelberg et al. 2025, arXiv 2512.12167).
type Start struct {
	Run     string `json:"run"`     // the run's directory
	Step    int    `json:"step"`    // of the checkpoint
	Weights string `json:"weights"` // SHA-256 of the weights, in hex
	// Updates is how many made the weights: Step, and the updates of earlier phases. The data of the
	// second phase are of the steps after them.
	Updates int `json:"updates"`
}

// String names the start for people; a run without one starts random.
func (s *Start) String() string {
	if s == nil {
		return "random weights"
	}
	return fmt.Sprintf("%s, step %d", s.Run, s.Step)
}

// UpdatesBefore is how many updates the weights have seen that the run begins with.
func (c Config) UpdatesBefore() int {
	if c.From == nil {
		return 0
	}
	return c.From.Updates
}

// check reports what no start can be.
func (s *Start) check() error {
	if s != nil && (s.Run == "" || s.Step < 1 || s.Updates < s.Step || len(s.Weights) != 2*sha256.Size) {
		return fmt.Errorf("from %+v: want run, step, updates and the hash of the weights, "+
			"as zoo train --from stores them", *s)
	}
	return nil
}
