// Package journal reads the metrics of a training run: JSON lines, which package train writes. The
// lines that cannot be read are left out.
package journal

import "fmt"

// MetricsFile is the file of metrics in a run directory.
const MetricsFile = "metrics.jsonl"

// Stats describes one update.
type Stats struct {
	Step     int     `json:"step"` // updates done, this one included
	Steps    int     `json:"-"`    // of the whole run; not noted
	Loss     float64 `json:"loss"` // nats per target token
	LR       float64 `json:"lr"`
	GradNorm float64 `json:"grad_norm"`
	Tokens   int     `json:"tokens"` // real tokens
	Slots    int     `json:"slots"`  // tokens and padding
	Seconds  float64 `json:"seconds"`
	// Optimizer made the update: OptimizerGraph, or "" for the optimizer in Go, as in all older files.
	Optimizer string `json:"optimizer,omitempty"`
	// Provider is ONNX Runtime's where it computes on a device; "" for the CPU.
	Provider string `json:"provider,omitempty"`
	// Device is what its driver calls it, noted with the first step of each start; "" where that is not known.
	Device string `json:"device,omitempty"`
}

// OptimizerGraph is the optimizer that is a graph, in ONNX Runtime.
const OptimizerGraph = "graph"

// Evaluation is what was measured after a step. Ratios are of samples, in 0..1,
// and absent where there were none.
type Evaluation struct {
	Step     int      `json:"-"`
	Accuracy *float64 `json:"accuracy,omitempty"`             // at trained lengths
	Sequence *float64 `json:"sequence_accuracy,omitempty"`    // at trained lengths
	Beyond   *float64 `json:"beyond_accuracy,omitempty"`      // at longer ones
	Bits     *float64 `json:"bits_per_byte,omitempty"`        // of running text, at the trained length; then there are no accuracies
	Further  *float64 `json:"beyond_bits_per_byte,omitempty"` // at longer ones, a mean over them
	Prompts  int      `json:"prompts,omitempty"`              // at trained lengths; older files lack it
	Lengths  []Result `json:"lengths"`
	Seconds  float64  `json:"seconds"`
	Best     bool     `json:"best,omitempty"`   // the best of the run so far
	Fitted   bool     `json:"fitted,omitempty"` // the first without a mistake at trained lengths; older files lack it
	Stop     bool     `json:"stop,omitempty"`   // the run ends here, early
}

// Result is what was measured at one length of a task.
type Result struct {
	Task            string `json:"task,omitempty"` // "" where the run has one only
	Length          int    `json:"length"`
	N               int    `json:"n"`                // samples; 0 where there were none to be had
	Correct         int    `json:"correct"`          // answers that match
	SequenceCorrect int    `json:"sequence_correct"` // all tokens of the target, and the end
	// Bits per byte of N windows of running text, of which nothing is correct.
	Bits *float64 `json:"bits_per_byte,omitempty"`
}

// String says for people, in one line, what was measured.
func (e Evaluation) String() string {
	text := fmt.Sprintf("step %d: ", e.Step)
	if e.Bits != nil {
		text += fmt.Sprintf("%.4f bits per byte at the trained length", *e.Bits)
		if e.Further != nil {
			text += fmt.Sprintf(", %.4f beyond", *e.Further)
		}
	} else {
		text += fmt.Sprintf("accuracy %.1f %% at trained lengths", 100**e.Accuracy)
	}
	if e.Beyond != nil {
		text += fmt.Sprintf(", %.1f %% beyond", 100**e.Beyond)
	}
	if e.Best {
		text += ", the best so far"
	}
	if e.Fitted {
		text += ", the first without a mistake"
	}
	if e.Stop {
		text += ", stopping early"
	}
	return text
}
