package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/zoo"
)

// exportSequence writes the whole-sequence form of a recurrent model beside its
// one-step file, step, after comparing the two in ONNX Runtime.
func (a *app) exportSequence(ctx context.Context, m model, step output, verified bool) error {
	data, err := zoo.BuildSequence(m.cfg, m.weights, m.card)
	if err != nil {
		return err
	}
	how := "not verified"
	if verified {
		worst, err := m.agreesAsSequence(ctx, data)
		if err != nil {
			return fmt.Errorf("sequence form: nothing was written: %w", err)
		}
		how = fmt.Sprintf("verified against the one-step file, worst error %.2g", worst)
	}
	out := sequenceOutput(step)
	if err := a.writeBytes(out, data); err != nil {
		return err
	}
	a.print("%s: whole sequences in one run, for ONNX Runtime, %s, %s", out.path, bytesText(int64(len(data))), how)
	return nil
}

// sequenceOutput is where the whole-sequence form of a file goes.
func sequenceOutput(step output) output {
	step.path = strings.TrimSuffix(step.path, ".onnx") + ".sequence.onnx"
	return step
}

// agreesAsSequence compares the sequence form with the one-step file.
func (m model) agreesAsSequence(ctx context.Context, sequence []byte) (float64, error) {
	step, err := m.build(m.card.Profile)
	if err != nil {
		return 0, err
	}
	var sessions [2]*runtime.Session
	for i, data := range [][]byte{step, sequence} {
		if sessions[i], err = runtime.OpenBytes(data, runtime.Options{}); err != nil {
			return 0, err
		}
		defer sessions[i].Close()
	}
	n, err := trainedTokens(m.card)
	if err != nil {
		return 0, err
	}
	rng := rand.New(rand.NewPCG(1, 1))
	rows := [][]int64{randomIDs(rng, 8*n, m.cfg.VocabSize)}
	worst, err := compare(ctx, sessions[0], sessions[1], rows)
	if err == nil && !(worst <= tolerance) {
		err = fmt.Errorf("it differs from the one-step file by %.3g at %d tokens", worst, 8*n)
	}
	return worst, err
}
