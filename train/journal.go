package train

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"
)

// journal is what a run notes for people: the metrics as JSON lines, and the
// same numbers as TensorBoard events.
type journal struct {
	metrics, events record
}

// openJournal continues the metrics of a run and begins a new event file, whose
// name sorts after those of earlier sessions.
func openJournal(dir string, step int, now time.Time, through func(io.Writer) io.Writer) *journal {
	name := fmt.Sprintf("events.out.tfevents.%010d.%09d.zoo", now.Unix(), now.Nanosecond())
	return &journal{
		metrics: record{path: filepath.Join(dir, MetricsFile), through: through},
		events:  record{path: filepath.Join(dir, name), through: through, pending: appendHeader(nil, seconds(now), step+1)},
	}
}

func seconds(t time.Time) float64 { return float64(t.UnixNano()) / 1e9 }

func (j *journal) stats(s Stats) error {
	return j.add(s, s.Step, []scalar{
		{"loss", s.Loss}, {"gradient_norm", s.GradNorm}, {"learning_rate", s.LR},
		{"tokens_per_second", float64(s.Tokens) / s.Seconds}, {"padding", 1 - float64(s.Tokens)/float64(s.Slots)},
	})
}

func (j *journal) evaluation(e Evaluation) error {
	var scalars []scalar
	for _, s := range []struct {
		tag   string
		value *float64
	}{{"accuracy/trained", e.Accuracy}, {"accuracy/trained_sequence", e.Sequence}, {"accuracy/beyond", e.Beyond}} {
		if s.value != nil {
			scalars = append(scalars, scalar{s.tag, *s.value})
		}
	}
	return j.add(evaluationLine{e.Step, &e}, e.Step, scalars)
}

func (j *journal) add(line any, step int, scalars []scalar) error {
	data, err := json.Marshal(line)
	if err != nil {
		return fmt.Errorf("train: metrics: %w", err)
	}
	return errors.Join(j.metrics.add(append(data, '\n')), j.events.add(appendScalars(nil, seconds(time.Now()), step, scalars)))
}

// retry writes what could not be written before.
func (j *journal) retry() error { return errors.Join(j.metrics.retry(), j.events.retry()) }

func (j *journal) close() error { return errors.Join(j.metrics.close(), j.events.close()) }
