package verify

import (
	"slices"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/export"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/runtime/ort/orttest"
)

// of is a small model with random weights, whose card claims what it was never checked for.
func of(t *testing.T, cfg models.Config, seed uint64) modelfile.Model {
	t.Helper()
	m, err := models.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	claimed := 1.0
	return modelfile.Model{Config: cfg, Weights: models.InitWeights(m.Params(), seed),
		Card: card.Card{Parity: &claimed, Checks: []string{"by hand"}}}
}

func cardOf(t *testing.T, file []byte) card.Card {
	t.Helper()
	info, err := export.ReadInfo(file)
	if err != nil {
		t.Fatal(err)
	}
	c, err := card.Parse(info.Metadata)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// The card names the checks of this file and no others.
func TestONNXNamesItsChecks(t *testing.T) {
	clockwork := models.Config{Encoding: "cwrnn", DModel: 8, NUnits: 24, NModules: 4, VocabSize: 30}
	recurrent := of(t, clockwork, 1)
	file, _, err := ONNX(t.Context(), recurrent, card.Portable, "go")
	if err != nil {
		t.Fatal(err)
	}
	if c := cardOf(t, file); !slices.Equal(c.Checks, []string{card.CheckStructure, card.CheckGo}) || c.Parity != nil {
		t.Errorf("checked in pure Go alone: checks %v, parity %v", c.Checks, c.Parity)
	}
	decoder := of(t, models.Config{Encoding: "rope", DModel: 16, NLayers: 1, NHeads: 2, DFF: 32, VocabSize: 30}, 1)
	if _, _, err := SequenceONNX(t.Context(), decoder, file); err == nil || !strings.Contains(err.Error(), "not recurrent") {
		t.Errorf("the sequence form of a decoder: %v", err)
	}

	orttest.Require(t)
	step, worst, err := ONNX(t.Context(), recurrent, card.Portable, "cpu")
	if err != nil {
		t.Fatal(err)
	}
	if c := cardOf(t, step); !slices.Equal(c.Checks, []string{card.CheckStructure, card.CheckParity}) || c.Parity == nil || *c.Parity != worst {
		t.Errorf("checked in ONNX Runtime: checks %v, parity %v; want one of %v", c.Checks, c.Parity, worst)
	}
	sequence, worst, err := SequenceONNX(t.Context(), recurrent, step)
	if err != nil {
		t.Fatal(err)
	}
	if c := cardOf(t, sequence); !slices.Equal(c.Checks, []string{card.CheckStructure, card.CheckSequence}) || c.Parity != nil || worst > Tolerance {
		t.Errorf("the sequence form: checks %v, parity %v, worst error %v", c.Checks, c.Parity, worst)
	}
	if _, _, err := SequenceONNX(t.Context(), of(t, clockwork, 2), step); err == nil || !strings.Contains(err.Error(), "differs from the one-step file") {
		t.Errorf("the sequence form of other weights: %v", err)
	}
}
