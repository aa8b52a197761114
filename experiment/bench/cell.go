package bench

import (
	"fmt"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
)

// Cell is one measurement of a plan.
type Cell struct {
	Measure     string   `json:"measure"`
	Model       string   `json:"model"`
	ModelSHA256 string   `json:"model_sha256"`
	Profile     string   `json:"profile"`
	Provider    string   `json:"provider"`
	Threads     int      `json:"threads"`
	Batch       int      `json:"batch"`
	Task        string   `json:"task,omitempty"`
	Seed        uint64   `json:"seed,omitempty"`
	Length      int      `json:"length"`
	LengthMin   int      `json:"length_min,omitempty"`            // of a bin
	Measured    bool     `json:"measured"`                        // there is a row of it
	Reason      string   `json:"reason,omitempty"`                // why the length is not available
	Seconds     *float64 `json:"seconds,omitempty"`               // from Plan.Estimate; nil where nothing is left to run
	Memory      int64    `json:"memory_estimate_bytes,omitempty"` // of speed; 0 where unknown

	at       task.Span // Length, or the bin
	group    *group
	key      eval.Key
	accuracy eval.Config       // of its task and seed
	speed    *eval.SpeedConfig // for a measurement of speed, else nil
	text     *eval.TextConfig  // of windows of running text, else nil
	na       *eval.Row         // known beforehand: the model or the task has no such length; else nil
	row      *eval.Row         // nil until it is measured
}

// newCell describes a cell by its key.
func newCell(k eval.Key, at task.Span, c *Cell) *Cell {
	c.key, c.at = k, at
	c.Measure, c.ModelSHA256, c.Profile = k.Measure, k.ModelSHA256, k.Profile
	c.Provider, c.Threads, c.Batch = k.Provider, k.Threads, k.Batch
	c.Task, c.Seed, c.Length, c.LengthMin = k.Task, k.Seed, k.Length, k.LengthMin
	if c.na != nil {
		c.Reason = c.na.Reason
	}
	if c.speed != nil {
		c.Memory = c.speed.MemoryEstimate
	}
	return c
}

func (c *Cell) keep(row *eval.Row) { c.row, c.Measured = row, true }

// String names the cell: "copy-rope, copy at length 20".
func (c *Cell) String() string {
	what := c.Task
	if c.speed != nil {
		what = "speed"
	}
	return fmt.Sprintf("%s, %s at length %s", c.Model, what, c.at.Label())
}

// work estimates the cost of a cell in tokens. Without a task they are weighed by
// what reading them costs beyond the weights; with one, generating a token and
// scoring it both go with the length.
func (c *Cell) work() int64 {
	if c.na != nil {
		return 0
	}
	if s := c.speed; s != nil {
		perToken := c.group.load.weights / 2 // a multiply-add for each weight of 4 bytes
		return int64(float64(s.Warmup+s.Repeat)*(s.Work.PrefillFLOPs/max(perToken, 1)+float64(s.Batch*s.NewTokens))) + 1
	}
	if c.text != nil {
		return int64(c.text.N) * int64(c.Length)
	}
	generated := max(c.accuracy.Repeat, 1)
	if c.accuracy.Untimed {
		generated = 1
	}
	return int64(float64((generated+1)*c.accuracy.N) * c.at.Middle())
}
