package zoo

import (
	"bytes"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/internal/tasktest"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/export/foreign"
	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/graph/tensor"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/models"
)

// copying is a model that was trained on copy with 1 to 5 words, 13 tokens.
func copying(t *testing.T, encoding string) modelfile.Model {
	t.Helper()
	words, err := task.Lookup("copy")
	if err != nil {
		t.Fatal(err)
	}
	pieces := tasktest.Vocabulary(words)
	m, err := models.New(models.Config{Encoding: encoding, DModel: 32, NLayers: 1, NHeads: 2, DFF: 16,
		VocabSize: len(pieces)})
	if err != nil {
		t.Fatal(err)
	}
	return modelfile.Model{Config: m.Config(), Weights: models.InitWeights(m.Params(), 1), Card: card.Card{
		Task: "copy", Trained: card.Lengths{Min: 1, Max: 5}, ConfigHash: "of the run", Tokenizer: pieces}}
}

// inMemory is a model as Find returns it.
func inMemory(m modelfile.Model) Model {
	return Model{Label: m.Name(), From: "a test", Encoding: m.Config.Name(),
		load: func() (modelfile.Model, error) { return m, nil }}
}

// With changes the configuration and says so; weights and what is known of training stay.
func TestWith(t *testing.T) {
	i, err := models.ParseIntervention("yarn:4", "", "log-n")
	if err != nil {
		t.Fatal(err)
	}
	was := copying(t, "rope")
	m, err := inMemory(was).With(i, nil)
	if err != nil {
		t.Fatal(err)
	}
	if m.Label != "copy-rope (yarn:4, log-n)" || m.From != "a test, with yarn:4, log-n" {
		t.Errorf("label %q, from %q", m.Label, m.From)
	}
	got, err := m.Load()
	if err != nil {
		t.Fatal(err)
	}
	if c := got.Card; c.Intervention != "yarn:4, log-n" || c.ConfigHash != "of the run" ||
		got.Name() != "copy-rope-yarn-4-log-n" {
		t.Errorf("%s: card %+v", got.Name(), c)
	}
	if got.Config.TrainedLength != 13 || !bytes.Contains(got.Config.EncodingParams, []byte(`"scaling_length":13`)) {
		t.Errorf("configuration %+v, %s", got.Config, got.Config.EncodingParams)
	}
	for name, w := range was.Weights {
		if !tensor.Equal(w, got.Weights[name]) {
			t.Errorf("%s differs", name)
		}
	}
	file, _, err := m.ONNX(card.Portable)
	if err != nil {
		t.Fatal(err)
	}
	checked, err := safety.Check(file, safety.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := foreign.Describe(checked, nil, false)
	if err != nil || d.Card.Intervention != "yarn:4, log-n" {
		t.Errorf("the file's card says %q, %v", d.Card.Intervention, err)
	}
	if same, err := inMemory(was).With(models.Intervention{}, nil); err != nil || same.Label != "copy-rope" {
		t.Errorf("no intervention makes %q, %v", same.Label, err)
	}
}

func TestWithErrors(t *testing.T) {
	i, err := models.ParseIntervention("pi:2", "")
	if err != nil {
		t.Fatal(err)
	}
	changed := copying(t, "rope")
	changed.Card.Intervention = "ntk:2"
	for want, m := range map[string]Model{
		"pi:2: a.onnx is an ONNX file":                               Options{}.file("a.onnx"),
		"pi:2: the encoding alibi has no frequencies":                inMemory(copying(t, "alibi")),
		"pi:2: the model was changed after training already (ntk:2)": inMemory(changed),
	} {
		m, err := m.With(i, nil)
		if err == nil {
			_, err = m.Load()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one about %s", err, want)
		}
	}
}
