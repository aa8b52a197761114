package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

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
	out, err := o.place(m.FileName(o.profile), s)
	if err != nil {
		return err
	}
	sequence := out
	sequence.path = strings.TrimSuffix(out.path, ".onnx") + ".sequence.onnx"
	if err := out.check(a); err != nil {
		return err
	}
	if o.sequence {
		if err := sequence.check(a); err != nil {
			return err
		}
	}
	m.Card.Parity, m.Card.Checks = nil, nil // of no file yet
	data, how, err := o.build(ctx, m)
	if err != nil {
		return err
	}
	if err := a.writeBytes(out, data); err != nil {
		return err
	}
	a.beside(out).print("%s: %s from %s, %s, %s", out.path, o.profile, s.From, bytesText(int64(len(data))), how)
	if !o.sequence {
		return nil
	}
	if data, how, err = o.buildSequence(ctx, m, data); err != nil {
		return fmt.Errorf("sequence form: nothing was written: %w", err)
	}
	if err := a.writeBytes(sequence, data); err != nil {
		return err
	}
	a.print("%s: whole sequences in one run, for ONNX Runtime, %s, %s", sequence.path, bytesText(int64(len(data))), how)
	return nil
}

// build returns the model's file, and says how it was verified.
func (o exportOptions) build(ctx context.Context, m modelfile.Model) (data []byte, how string, err error) {
	if o.noVerify {
		data, err = m.ONNX(o.profile)
		return data, "not verified", err
	}
	data, worst, err := verify.ONNX(ctx, m, o.profile, o.verifier)
	if err != nil {
		return nil, "", fmt.Errorf("nothing was written: %w", err)
	}
	how = "verified"
	if o.verifier == "go" {
		how = "verified in pure Go alone, not in ONNX Runtime"
	}
	return data, fmt.Sprintf("%s, worst error %.2g", how, worst), nil
}

// buildSequence is build for the whole-sequence form of a model whose file is step.
func (o exportOptions) buildSequence(
	ctx context.Context, m modelfile.Model, step []byte,
) (data []byte, how string, err error) {
	if o.noVerify {
		data, err = m.SequenceONNX()
		return data, "not verified", err
	}
	data, worst, err := verify.SequenceONNX(ctx, m, step)
	return data, fmt.Sprintf("verified against the one-step file, worst error %.2g", worst), err
}

// exportFolder writes a model as a folder that import reads.
func (a *app) exportFolder(s find.Model, m modelfile.Model, o exportOptions) error {
	out, err := o.place(m.Name()+"-hf", s)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(out.path); err == nil && out.rename != "" {
		return replaces(out.path, out.rename)
	}
	if err := checkFolder(out.path, s.Folder); err != nil {
		return err
	}
	if err := interop.Write(out.path, m); err != nil {
		return err
	}
	a.print("%s: safetensors, config.json and tokenizer from %s, %d tensors", out.path, s.From, len(m.Weights))
	return nil
}

// place is where a model goes: what the user named, or a name in the folder that the
// user named, or here. A second model of one command in the same place is refused.
func (o exportOptions) place(name string, s find.Model) (output, error) {
	out := output{path: o.output, inputs: s.Inputs()}
	if o.output == "" || o.into {
		out.path = filepath.Join(o.output, name)
	}
	switch {
	case o.output != "":
	case o.into:
		out.rename = "-o ."
	default:
		out.rename = "-o " + out.path
	}
	if other := o.written[out.path]; other != "" {
		return out, fmt.Errorf("%s was written by this command, from %s; export one at a time, with -o", out.path, other)
	}
	o.written[out.path] = s.From
	return out, nil
}

// intoFolder reports whether the output is a folder to put so many models into,
// which may be made then.
func (o exportOptions) intoFolder(models int) (bool, error) {
	info, err := os.Stat(o.output)
	isFile, isFolder := err == nil && !info.IsDir(), err == nil && info.IsDir()
	switch {
	case o.format != "onnx": // each model is a folder of its own
		return models > 1 || isFolder && !interop.IsFolder(o.output), nil
	case models > 1 && (isFile || strings.HasSuffix(o.output, ".onnx")):
		return false, fmt.Errorf("--output %s: %d models need a folder, not one file", o.output, models)
	}
	named := o.output != "" && os.IsPathSeparator(o.output[len(o.output)-1])
	return models > 1 || isFolder || named, nil
}
