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
	"github.com/nopezoo/zoo/tokenizer"
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

// words is a vocabulary of three.
var words = []string{tokenizer.PadPiece, tokenizer.EOSPiece, " a"}

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

// A card names the checks of its file, and no others.
func TestBuildNamesItsChecks(t *testing.T) {
	clockwork := models.Config{Encoding: "cwrnn", DModel: 8, NUnits: 24, NModules: 4, VocabSize: 30}
	for _, tc := range []struct {
		name   string
		o      Options
		checks [][]string // of each file
		how    []string
	}{
		{"nothing", Options{Unchecked: true, Sequence: true}, [][]string{nil, nil},
			[]string{"not verified", "not verified"}},
		{"pure Go", Options{Provider: "go", Profile: card.Fused}, [][]string{{card.CheckStructure, card.CheckGo}},
			[]string{"verified in pure Go alone, not in ONNX Runtime, worst"}},
		{"ONNX Runtime", Options{Sequence: true},
			[][]string{{card.CheckStructure, card.CheckParity}, {card.CheckStructure, card.CheckSequence}},
			[]string{"verified, worst", "verified against the one-step file, worst"}},
		{"answers", Options{Sequence: true, Answers: true, Profile: card.Fused}, [][]string{{card.CheckStructure, card.CheckParity},
			{card.CheckStructure, card.CheckSequence}, {card.CheckStructure, card.CheckAnswers}},
			[]string{"verified, worst", "verified against the one-step", "verified against the file that is run step by step, worst"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if !tc.o.Unchecked && tc.o.Provider == "" {
				orttest.Require(t)
			}
			m := of(t, clockwork, 1)
			m.Card.Tokenizer = words
			files, err := Build(t.Context(), m, tc.o)
			if err != nil || len(files) != len(tc.checks) {
				t.Fatalf("%d files, error %v", len(files), err)
			}
			for i, f := range files {
				c := cardOf(t, f.Data)
				if !slices.Equal(c.Checks, tc.checks[i]) || !slices.Equal(f.Checks, c.Checks) ||
					!strings.HasPrefix(f.String(), tc.how[i]) {
					t.Errorf("file %d: checks %v in the card, %v; %s", i, c.Checks, f.Checks, f)
				}
				measured := slices.Contains(c.Checks, card.CheckParity)
				if measured != (c.Parity != nil) || measured && *c.Parity != f.Worst {
					t.Errorf("file %d: parity %v in the card, worst error %v", i, c.Parity, f.Worst)
				}
			}
		})
	}
	decoder := of(t, models.Config{Encoding: "rope", DModel: 16, NLayers: 1, NHeads: 2, DFF: 32, VocabSize: 30}, 1)
	if _, err := Build(t.Context(), decoder, Options{Provider: "go", Sequence: true}); err == nil ||
		!strings.Contains(err.Error(), "sequence form: modelfile: rope is not recurrent") {
		t.Errorf("the sequence form of a decoder: %v", err)
	}
}

// The whole-sequence form of other weights is told from the one-step file.
func TestSequenceParity(t *testing.T) {
	orttest.Require(t)
	clockwork := models.Config{Encoding: "cwrnn", DModel: 8, NUnits: 24, NModules: 4, VocabSize: 30}
	step, err := of(t, clockwork, 1).ONNX(card.Portable)
	if err != nil {
		t.Fatal(err)
	}
	sequence, err := of(t, clockwork, 2).SequenceONNX()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sequenceParity(t.Context(), step, sequence); err == nil ||
		!strings.Contains(err.Error(), "differs from the one-step file") {
		t.Errorf("error %v", err)
	}
}

// Answers of other weights are told from those of the file that is run step by step; a model
// with a maximum is compared up to that.
func TestAnswersParity(t *testing.T) {
	orttest.Require(t)
	decoder := models.Config{Encoding: "learned", Settings: "faithful", EncodingParams: []byte(`{"max_length":40}`), DModel: 32, NLayers: 2,
		NHeads: 2, DFF: 32, VocabSize: 3}
	files := func(seed uint64) (steps, answers []byte) {
		m := of(t, decoder, seed)
		m.Card.Tokenizer = words
		steps, err := m.ONNX(card.Portable)
		if err != nil {
			t.Fatal(err)
		}
		if answers, err = m.AnswersONNX(card.Portable); err != nil {
			t.Fatal(err)
		}
		return steps, answers
	}
	steps, answers := files(1)
	_, others := files(2)
	if worst, err := answersParity(t.Context(), steps, answers); err != nil || worst > Tolerance {
		t.Errorf("worst %v, error %v", worst, err)
	}
	if _, err := answersParity(t.Context(), steps, others); err == nil ||
		!strings.Contains(err.Error(), "it answers [") {
		t.Errorf("other weights: error %v", err)
	}
}
