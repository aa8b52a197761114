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
	type form struct {
		output
		what string
	}
	forms := []form{{out, o.profile + " from " + s.From}}
	if o.sequence {
		out.path = strings.TrimSuffix(out.path, ".onnx") + ".sequence.onnx"
		forms = append(forms, form{out, "whole sequences in one run, for ONNX Runtime"})
	}
	for _, f := range forms {
		if err := f.check(a); err != nil {
			return err
		}
	}
	files, err := verify.Build(ctx, m, verify.Options{
		Profile: o.profile, Provider: o.verifier, Sequence: o.sequence, Unchecked: o.noVerify,
	})
	if err != nil {
		return fmt.Errorf("nothing was written: %w", err)
	}
	for i, f := range forms {
		if err := a.writeBytes(f.output, files[i].Data); err != nil {
			return err
		}
		a.beside(f.output).print("%s: %s, %s, %v", f.path, f.what, bytesText(int64(len(files[i].Data))), files[i])
	}
	return nil
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
	if o.output == "" {
		out.rename = "-o " + out.path
		if o.into {
			out.rename = "-o ."
		}
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
