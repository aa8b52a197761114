package verify

import (
	"context"
	"fmt"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/modelfile"
)

// ONNX builds a model's file in a profile, as m.ONNX does, and checks it: Parity with
// the provider, and Structure. The file's card names the checks. worst is what Parity
// returns; with provider cpu the card has it too.
func ONNX(ctx context.Context, m modelfile.Model, profile, provider string) (file []byte, worst float64, err error) {
	m.Card.Parity, m.Card.Checks = nil, nil
	if file, err = m.ONNX(profile); err != nil {
		return nil, 0, err
	}
	if worst, err = Parity(ctx, file, provider); err != nil {
		return nil, 0, fmt.Errorf("verify: %w", err)
	}
	m.Card.Checks = []string{card.CheckStructure, card.CheckGo}
	if provider != "go" {
		m.Card.Parity, m.Card.Checks = &worst, []string{card.CheckStructure, card.CheckParity}
	}
	if file, err = m.ONNX(profile); err != nil {
		return nil, 0, err
	}
	if err := structure(file, m, profile); err != nil {
		return nil, 0, err
	}
	return file, worst, nil
}

// SequenceONNX builds the whole-sequence form of a recurrent model, as m.SequenceONNX
// does, and checks it: against step, the model's portable file, in ONNX Runtime, and
// Structure. The file's card names the checks; worst is the largest error.
func SequenceONNX(ctx context.Context, m modelfile.Model, step []byte) (file []byte, worst float64, err error) {
	m.Card.Parity, m.Card.Checks = nil, []string{card.CheckStructure, card.CheckSequence}
	if file, err = m.SequenceONNX(); err != nil {
		return nil, 0, err
	}
	if worst, err = sequenceParity(ctx, step, file); err != nil {
		return nil, 0, fmt.Errorf("verify: %w", err)
	}
	if err := structure(file, m, card.Portable); err != nil {
		return nil, 0, err
	}
	return file, worst, nil
}

// structure has the independent reader compare a file with the model that it is of.
func structure(file []byte, m modelfile.Model, profile string) error {
	g, err := m.Graph(profile)
	if err != nil {
		return err
	}
	return Structure(file, g, m.Weights)
}
