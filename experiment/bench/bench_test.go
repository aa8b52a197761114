package bench

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/internal/tasktest"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/models"
	_ "github.com/nopezoo/zoo/runtime/native"
)

// untrained is a small untrained model: one layer, D = 16, two heads of 8, F = 32,
// V = 106.
func untrained(t *testing.T, encoding string) Model {
	return untrainedOn(t, encoding, "copy", card.Portable)
}

// newPlan is a plan of models by some options.
func newPlan(t *testing.T, o Options, models ...Model) (*Plan, error) {
	p, err := NewPlan(o)
	if err == nil {
		err = p.Add(t.Context(), models...)
	}
	return p, err
}

// untrainedOn is untrained with the vocabulary of another task, in a profile.
func untrainedOn(t *testing.T, encoding, name, profile string) Model {
	return carded(t, encoding, name, profile, card.Card{Task: name, Trained: card.Lengths{Min: 1, Max: 2}})
}

// carded is an untrained model with the words of a task and a card.
func carded(t *testing.T, encoding, name, profile string, c card.Card) Model {
	return Model{Label: encoding, From: "a test", ONNX: func() ([]byte, fs.FS, error) {
		words := tasktest.Vocabulary(lookup(t, name))
		cfg := models.Config{Encoding: encoding, DModel: 16, NLayers: 1, NHeads: 2, DFF: 32, VocabSize: len(words)}
		m, err := models.New(cfg)
		if err != nil {
			return nil, nil, err
		}
		c.Tokenizer = words
		file, err := modelfile.Model{Config: cfg, Weights: models.InitWeights(m.Params(), 1), Card: c}.ONNX(profile)
		return file, nil, err
	}}
}

func lookup(t *testing.T, name string) task.Task {
	t.Helper()
	k, err := task.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// Without lengths the tasks' are measured, or tokens where speed alone is.
func TestDefaultLengths(t *testing.T) {
	for measure, want := range map[string]int{eval.MeasureAccuracy: 20, eval.MeasureSpeed: 512} {
		o := Defaults()
		o.Measures, o.Providers = []string{measure}, []string{"go"}
		p, err := newPlan(t, o, untrained(t, "rope"))
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Cells[0].Length; got != want {
			t.Errorf("%s: the first length is %d, want %d", measure, got, want)
		}
	}
}

// Options that cannot be measured are refused before a model is read.
func TestOptionsAreChecked(t *testing.T) {
	for _, tc := range []struct {
		change func(*Options)
		want   string
	}{
		{func(o *Options) { o.Measures = []string{"time"} }, `measure: unknown measure "time"; known: accuracy, speed`},
		{func(o *Options) { o.Providers = nil }, "provider is empty"},
		{func(o *Options) { o.Providers = []string{"tpu"} }, `provider: unknown provider "tpu"; did you mean "cpu"?`},
		{func(o *Options) { o.Batches = []int{8, 0} }, "batch is 0, expected 1 to 1048576"},
		{func(o *Options) { o.Threads = []int{-1} }, "threads is -1, expected 0"},
		{func(o *Options) { o.Lengths = task.Spans(0) }, "length is 0, expected 1 to 1048576"},
		{func(o *Options) { o.Lengths = []task.Span{{Min: 2, Max: 4}}; o.Repeat = 2 }, "bins of lengths are not timed"},
		{func(o *Options) { o.Lengths = []task.Span{{Min: 4, Max: 2}} }, "length is 4-2, expected 1 to"},
		{func(o *Options) {
			o.Lengths, o.Measures = []task.Span{{Min: 2, Max: 4}}, []string{eval.MeasureAccuracy, eval.MeasureSpeed}
		}, "2-4 is a bin of a task's lengths, and speed"},
		{func(o *Options) { o.Untimed, o.Repeat = true, 2 }, "repeat: untimed cells are measured once"},
		{func(o *Options) { o.Untimed, o.Measures = true, []string{eval.MeasureSpeed} }, "untimed: speed is times"},
	} {
		o := Defaults()
		o.Lengths = task.Spans(2)
		tc.change(&o)
		if _, err := newPlan(t, o); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("error %v, want %s", err, tc.want)
		}
	}
}
