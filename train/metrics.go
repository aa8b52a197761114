package train

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/nopezoo/zoo/runtime/engine"
	"github.com/nopezoo/zoo/train/journal"
	"github.com/nopezoo/zoo/train/runfile"
)

// metricsWriter adds to a run's metrics and event files. What could not be written is kept and written
// with what comes later.
type metricsWriter struct {
	metrics, events record
}

// openMetrics continues the metrics of a run that has done some steps, and begins a new event
// file, whose name sorts after earlier sessions'. Files are made when something
// is written. What goes into them passes through a writer that is put before each, where
// through is not nil. The event file begins with the run's settings.
func openMetrics(dir string, step int, settings []hparam, through func(io.Writer) io.Writer) *metricsWriter {
	now := time.Now()
	name := fmt.Sprintf("events.out.tfevents.%010d.%09d.zoo", now.Unix(), now.Nanosecond())
	return &metricsWriter{
		metrics: record{path: filepath.Join(dir, journal.MetricsFile), through: through},
		events: record{path: filepath.Join(dir, name), through: through,
			pending: appendHParams(appendHeader(nil, seconds(now), step+1), seconds(now), settings)},
	}
}

// hparamsOf are the settings by which runs are told apart.
func hparamsOf(c runfile.Config, provider string) []hparam {
	r := c.Train
	return []hparam{
		{name: "encoding", text: c.Model.Name()}, {name: "task", text: r.Task}, {name: "lengths", text: r.Lengths},
		{name: "seed", number: float64(r.Seed)}, {name: "data_seed", number: float64(cmp.Or(r.DataSeed, r.Seed))},
		{name: "lr", number: r.LR}, {name: "batch", number: float64(r.Batch)}, {name: "steps", number: float64(r.Steps)},
		{name: "provider", text: cmp.Or(provider, engine.CPU)},
	}
}

func seconds(t time.Time) float64 { return float64(t.UnixNano()) / 1e9 }

// step notes an update.
func (w *metricsWriter) step(s journal.Stats) error {
	return w.add(s, s.Step, []scalar{
		{"loss", s.Loss}, {"gradient_norm", s.GradNorm}, {"learning_rate", s.LR},
		{"tokens_per_second", float64(s.Tokens) / s.Seconds}, {"padding", 1 - float64(s.Tokens)/float64(s.Slots)},
	})
}

// evaluation notes an evaluation.
func (w *metricsWriter) evaluation(e journal.Evaluation) error {
	var scalars []scalar
	for _, s := range []struct {
		tag   string
		value *float64
	}{{"accuracy/trained", e.Accuracy}, {"accuracy/trained_sequence", e.Sequence}, {"accuracy/beyond", e.Beyond},
		{"bits_per_byte/trained", e.Bits}, {"bits_per_byte/beyond", e.Further}} {
		if s.value != nil {
			scalars = append(scalars, scalar{s.tag, *s.value})
		}
	}
	line := struct {
		Step int                `json:"step"`
		Eval journal.Evaluation `json:"eval"`
	}{e.Step, e}
	return w.add(line, e.Step, scalars)
}

func (w *metricsWriter) add(line any, step int, scalars []scalar) error {
	data, err := json.Marshal(line)
	if err != nil {
		return fmt.Errorf("metrics of step %d: %w", step, err)
	}
	return errors.Join(w.metrics.add(append(data, '\n')),
		w.events.add(appendScalars(nil, seconds(time.Now()), step, scalars)))
}

// retry writes what could not be written before.
func (w *metricsWriter) retry() error { return errors.Join(w.metrics.retry(), w.events.retry()) }

// close tries once more and closes the files.
func (w *metricsWriter) close() error { return errors.Join(w.metrics.close(), w.events.close()) }
