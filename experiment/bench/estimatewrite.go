package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/internal/suggest"
)

// EstimateFormats lists what Estimate.Write writes.
func EstimateFormats() []string { return []string{"table", "json", "jsonl"} }

// Write writes the estimate in one of EstimateFormats: the cells as a table for people
// or as lines of JSON, or everything as JSON.
func (e Estimate) Write(w io.Writer, format string) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	switch format {
	case "table":
		return e.table(w)
	case "json":
		encoder.SetIndent("", "  ")
		return encoder.Encode(e)
	case "jsonl":
		for _, c := range e.Cells {
			if err := encoder.Encode(c); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("bench: %w", suggest.Unknown("format", format, EstimateFormats()))
}

func (e Estimate) table(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "model\tprofile\tprovider\tthreads\tbatch\tmeasure\ttask\tseed\tlength\ttime")
	for _, c := range e.Cells {
		task, took := fmt.Sprintf("%s\t%d", c.Task, c.Seed), "n/a"
		if c.Task == "" {
			task = "-\t-"
		}
		if c.Measured {
			took = "measured"
		}
		if c.Seconds != nil {
			took = duration(*c.Seconds)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%d\t%s\t%s\t%s\t%s\n", c.Model, c.Profile, c.Provider, c.Threads, c.Batch,
			c.Measure, task, c.at.Label(), took)
	}
	return t.Flush()
}

// Duration is what the cells that are left take, rounded for people.
func (e Estimate) Duration() string { return duration(e.Seconds) }

func duration(seconds float64) string {
	return human.Duration(time.Duration(seconds * float64(time.Second)))
}
