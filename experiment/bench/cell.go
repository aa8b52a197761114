package bench

import (
	"cmp"
	"context"
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
	Depth       *int     `json:"depth,omitempty"`                 // of what a task in tokens hides
	Measured    bool     `json:"measured"`                        // there is a row of it
	Reason      string   `json:"reason,omitempty"`                // why the length is not available
	Seconds     *float64 `json:"seconds,omitempty"`               // from Plan.Estimate; nil where nothing is left to run
	Memory      int64    `json:"memory_estimate_bytes,omitempty"` // of speed; 0 where unknown

	span        task.Span // Length, or the bin
	group       *group
	key         eval.Key
	measurement measurement
	unavailable *eval.Row // the row of a length that the model or the task does not have; else nil
	row         *eval.Row // nil until it is measured
}

// measurement is what a cell measures: samples of a task, windows of running text, or speed.
type measurement interface {
	// batch is how many sequences run together where a session takes most at a time.
	batch(most int) int
	// tokens estimates the cost of a cell in tokens.
	tokens(c *Cell) float64
	// seconds estimates how long a cell takes.
	seconds(c *Cell, p *pace) (float64, error)
	// run measures a cell of a session, and tells of the parts that are done.
	run(ctx context.Context, c *Cell, s session, progress func(done, total int)) (eval.Row, error)
}

// addCell adds a measurement at a length. row is what is known beforehand: all, of a length that is not available.
func (g *group) addCell(k eval.Key, span task.Span, m measurement, row eval.Row) *Cell {
	c := &Cell{Measure: k.Measure, Model: g.model.Label, ModelSHA256: k.ModelSHA256, Profile: k.Profile, Provider: k.Provider,
		Threads: k.Threads, Batch: k.Batch, Task: k.Task, Seed: k.Seed, Length: k.Length, LengthMin: k.LengthMin,
		span: span, group: g, key: k, measurement: m}
	if row.NA {
		c.unavailable, c.Reason = &row, row.Reason
	}
	g.cells = append(g.cells, c)
	return c
}

func (c *Cell) keep(row *eval.Row) { c.row, c.Measured = row, true }

// name is of the cell, for people, what differs most often first: "copy-rope at length 20, copy".
func (c *Cell) name() string {
	name := fmt.Sprintf("%s at length %s", c.Model, c.span.Label())
	if c.Depth != nil {
		name += fmt.Sprintf(", depth %d", *c.Depth)
	}
	return name + ", " + cmp.Or(c.Task, "speed")
}

// work estimates the cost of a cell, at least 1 where there is something to run.
func (c *Cell) work() int64 {
	if c.unavailable != nil {
		return 0
	}
	return int64(c.measurement.tokens(c)) + 1
}

// timed reports whether the cell's row has times.
func (c *Cell) timed() bool {
	switch m := c.measurement.(type) {
	case speed:
		return true
	case accuracy:
		return !m.Untimed
	}
	return false
}

// toRun reports whether a cell without a row needs a session.
func (c *Cell) toRun() bool { return !c.Measured && c.unavailable == nil }
