package sweep

import (
	"fmt"
	"strings"

	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/train/journal"
	"github.com/nopezoo/zoo/train/runfile"
)

// States of a run in a sweep.
const (
	Waiting  = "waiting"
	Running  = "running"
	Finished = "finished"
	Skipped  = "finished before" // it was when the sweep began
	Stopped  = "stopped"         // and saved: it can go on
	Failed   = "failed"
)

// Status is how far a run of a sweep is.
type Status struct {
	Name     string   `json:"name"`
	Encoding string   `json:"encoding"` // or the architecture that has none
	Dir      string   `json:"dir"`
	State    string   `json:"state"`
	Step     int      `json:"step"`
	Steps    int      `json:"steps"`
	Loss     *float64 `json:"loss"`
	// FittedStep is the step of the first evaluation without a mistake at trained lengths: 0
	// for none so far, nil where nothing was evaluated.
	FittedStep *int    `json:"fitted_step"`
	Pace       float64 `json:"tokens_per_second"` // of the last steps; 0 unless it runs
	Left       float64 `json:"seconds_left"`      // the same
	Error      string  `json:"error"`
	Slurm      string  `json:"slurm,omitempty"` // its task's state there
}

// newStatus is the status of a run that waits.
func newStatus(r Run) Status {
	return Status{Name: r.Name, Encoding: r.Config.Model.Name(), Dir: r.Dir, State: Waiting,
		Steps: r.Config.Train.Steps}
}

// look reads the status's numbers from the run's metrics.
func (s *Status) look() {
	tail, err := journal.Tail(s.Dir)
	if err != nil || len(tail) == 0 {
		return
	}
	last := tail[len(tail)-1]
	s.Step, s.Loss, s.Pace, s.Left = last.Step, &last.Loss, 0, 0
	if s.State != Running {
		return
	}
	tokens, seconds := 0, 0.0
	for _, t := range tail {
		tokens, seconds = tokens+t.Tokens, seconds+t.Seconds
	}
	if seconds > 0 {
		s.Pace = float64(tokens) / seconds
		s.Left = seconds / float64(len(tail)) * float64(s.Steps-s.Step)
	}
}

// lookFit reads from the run's directory whether it fitted.
func (s *Status) lookFit() {
	if info, err := runfile.Describe(s.Dir); err == nil {
		s.FittedStep = info.FittedStep
	}
}

// fit is the status's cell in a table where some runs were evaluated.
func (s Status) fit() string {
	switch {
	case s.FittedStep == nil:
		return "–"
	case *s.FittedStep == 0:
		return "not fitted"
	}
	return fmt.Sprintf("fitted at %d", *s.FittedStep)
}

// cells returns the status as the cells of a table's line: name, state, steps, whether it
// fitted if that is wanted, loss, tokens per second and time left, "" where unknown. Where
// the run failed the error takes the place of the last three.
func (s Status) cells(fit bool) []string {
	out := []string{s.Name, s.State, fmt.Sprintf("%d/%d", s.Step, s.Steps)}
	if s.Slurm != "" {
		out[1] += ", " + s.Slurm
	}
	if fit {
		out = append(out, s.fit())
	}
	if s.Error != "" {
		return append(out, strings.Join(strings.Fields(s.Error), " "))
	}
	loss, pace, left := "", "", ""
	if s.Loss != nil {
		loss = fmt.Sprintf("loss %.4g", *s.Loss)
	}
	if s.Pace > 0 {
		pace = human.Count(s.Pace) + " tokens/s"
		left = human.Seconds(s.Left) + " left"
	}
	return append(out, loss, pace, left)
}

// String is the status in one line.
func (s Status) String() string {
	return strings.Join(strings.Fields(strings.Join(s.cells(s.FittedStep != nil), " ")), " ")
}
