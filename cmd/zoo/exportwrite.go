package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/nopezoo/zoo/export/verify"
	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/internal/terminal"
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
		terminal.Output
		what string
	}
	forms := []form{{out, o.profile + " from " + s.From}}
	if o.sequence {
		out.Path = strings.TrimSuffix(out.Path, ".onnx") + ".sequence.onnx"
		forms = append(forms, form{out, "whole sequences in one run, for ONNX Runtime"})
	}
	for _, f := range forms {
		if err := a.Check(f.Output); err != nil {
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
		if err := a.WriteBytes(f.Output, files[i].Data); err != nil {
			return err
		}
		a.Beside(f.Output).Print("%s: %s, %s, %v", f.Path, f.what, human.Bytes(int64(len(files[i].Data))), files[i])
	}
	return nil
}

// exportFolder writes a model as a folder that import reads.
func (a *app) exportFolder(s find.Model, m modelfile.Model, o exportOptions) error {
	out, err := o.place(m.Name()+"-hf", s)
	if err != nil {
		return err
	}
	if err := out.CheckFolder(s.Folder); err != nil {
		return err
	}
	if err := interop.Write(out.Path, m); err != nil {
		return err
	}
	a.Print("%s: safetensors, config.json and tokenizer from %s, %d tensors", out.Path, s.From, len(m.Weights))
	return nil
}

// place is where a model goes: what the user named, or a name in the folder that the
// user named, or here. A second model of one command in the same place is refused.
func (o exportOptions) place(name string, s find.Model) (terminal.Output, error) {
	out := terminal.Output{Path: o.output, Inputs: s.Inputs()}
	if o.output == "" || o.into {
		out.Path = filepath.Join(o.output, name)
	}
	if o.output == "" {
		out.Rename = "-o " + out.Path
		if o.into {
			out.Rename = "-o ."
		}
	}
	if other := o.written[out.Path]; other != "" {
		return out, fmt.Errorf("%s was written by this command, from %s; export one at a time, with -o", out.Path, other)
	}
	o.written[out.Path] = s.From
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
