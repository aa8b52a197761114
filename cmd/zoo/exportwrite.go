package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/export/verify"
	"github.com/nopezoo/zoo/interop"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/zoo/find"
)

// exportOne writes one model.
func (a *app) exportOne(ctx context.Context, s find.Model, o exportOptions) error {
	m, err := s.Load()
	if err != nil {
		return err
	}
	if o.format == "safetensors" {
		return a.exportFolder(s, m, o)
	}
	out := output{path: outputPath(o, m), inputs: s.Inputs(), rename: o.rename(outputPath(o, m))}
	if err := cmp.Or(o.claim(out.path, s), out.check(a)); err != nil {
		return err
	}
	if o.sequence {
		if err := sequenceOutput(out).check(a); err != nil {
			return err
		}
	}
	data, how, err := verified(ctx, m, o)
	if err != nil {
		return err
	}
	if err := a.writeBytes(out, data); err != nil {
		return err
	}
	a.beside(out).print("%s: %s from %s, %s, %s", out.path, o.profile, s.From, bytesText(int64(len(data))), how)
	if o.sequence {
		return a.exportSequence(ctx, m, data, out, !o.noVerify)
	}
	return nil
}

// verified builds the model's file, checks it, and says how. The card names the checks,
// and has the worst error between ONNX Runtime and the pure-Go engine.
func verified(ctx context.Context, m modelfile.Model, o exportOptions) (data []byte, how string, err error) {
	m.Card.Parity, m.Card.Checks = nil, nil
	data, err = m.ONNX(o.profile)
	if err != nil || o.noVerify {
		return data, "not verified", err
	}
	worst, err := verify.Parity(ctx, data, o.verifier)
	if err != nil {
		return nil, "", fmt.Errorf("nothing was written: verify: %w", err)
	}
	how = fmt.Sprintf("verified, worst error %.2g", worst)
	m.Card.Parity, m.Card.Checks = &worst, []string{card.CheckStructure, card.CheckParity}
	if o.verifier == "go" {
		how = fmt.Sprintf("verified in pure Go alone, not in ONNX Runtime, worst error %.2g", worst)
		m.Card.Parity, m.Card.Checks = nil, []string{card.CheckStructure, card.CheckGo}
	}
	if data, err = m.ONNX(o.profile); err == nil {
		err = asMeant(m, o.profile, data)
	}
	return data, how, err
}

// asMeant has an independent reader compare a file of the model with its graph.
func asMeant(m modelfile.Model, profile string, data []byte) error {
	g, _, err := m.Describe(profile)
	if err == nil {
		err = verify.Structure(data, g, m.Weights)
	}
	if err != nil {
		return fmt.Errorf("nothing was written: %w", err)
	}
	return nil
}

// exportSequence writes the whole-sequence form of a recurrent model beside its
// one-step file, step, after comparing the two in ONNX Runtime.
func (a *app) exportSequence(ctx context.Context, m modelfile.Model, step []byte, beside output, verified bool) error {
	m.Card.Parity, m.Card.Checks = nil, nil
	if verified {
		m.Card.Checks = []string{card.CheckStructure, card.CheckSequence}
	}
	data, err := m.SequenceONNX()
	if err != nil {
		return err
	}
	how := "not verified"
	if verified {
		worst, err := verify.Sequence(ctx, step, data)
		if err != nil {
			return fmt.Errorf("sequence form: nothing was written: %w", err)
		}
		if err := asMeant(m, card.Portable, data); err != nil {
			return fmt.Errorf("sequence form: %w", err)
		}
		how = fmt.Sprintf("verified against the one-step file, worst error %.2g", worst)
	}
	out := sequenceOutput(beside)
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

// exportFolder writes a model as a folder that import reads.
func (a *app) exportFolder(s find.Model, m modelfile.Model, o exportOptions) error {
	path := folderPath(o, m)
	if _, err := os.Lstat(path); err == nil && o.output == "" {
		return replaces(path, o.rename(path))
	}
	if err := cmp.Or(o.claim(path, s), checkFolder(path, s.Folder)); err != nil {
		return err
	}
	if err := interop.Write(path, m); err != nil {
		return err
	}
	a.print("%s: safetensors, config.json and tokenizer from %s, %d tensors", path, s.From, len(m.Weights))
	return nil
}

// folderPath is a folder named by the user, or one in the folder named.
func folderPath(o exportOptions, m modelfile.Model) string {
	name := m.Name() + "-hf"
	switch {
	case o.output == "":
		return name
	case o.into:
		return filepath.Join(o.output, name)
	}
	return o.output
}

// intoFolder reports whether the output is a folder to put so many models into,
// which may be made then.
func (o exportOptions) intoFolder(models int) (bool, error) {
	info, err := os.Stat(o.output)
	isFile := err == nil && !info.IsDir()
	if o.format == "onnx" && models > 1 && (isFile || strings.HasSuffix(o.output, ".onnx")) {
		return false, fmt.Errorf("--output %s: %d models need a folder, not one file", o.output, models)
	}
	if o.format != "onnx" { // each model is a folder of its own
		return models > 1 || isFolder(o.output) && !interop.IsFolder(o.output), nil
	}
	return models > 1 || isFolder(o.output) || strings.HasSuffix(o.output, string(filepath.Separator)) || strings.HasSuffix(o.output, "/"), nil
}

// rename is the flag that would name a path that zoo chose, "" where the user did.
func (o exportOptions) rename(path string) string {
	switch {
	case o.output != "":
		return ""
	case o.into:
		return "-o ."
	}
	return "-o " + path
}

// claim refuses a second model of one command in the same place.
func (o exportOptions) claim(path string, s find.Model) error {
	if other := o.written[path]; other != "" {
		return fmt.Errorf("%s was written by this command, from %s; export one at a time, with -o", path, other)
	}
	o.written[path] = s.From
	return nil
}

func outputPath(o exportOptions, m modelfile.Model) string {
	if o.output != "" && !o.into {
		return o.output
	}
	name := m.Name()
	if o.profile != card.Portable {
		name += "." + o.profile
	}
	return filepath.Join(o.output, name+".onnx")
}

// isFolder reports whether a path is an existing folder.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
