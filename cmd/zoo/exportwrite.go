package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/cmd/zoo/internal/tables"
	"github.com/nopezoo/zoo/cmd/zoo/internal/terminal"
	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/internal/files"
	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/modelfile"
	"github.com/nopezoo/zoo/modelfile/hf"
	"github.com/nopezoo/zoo/tokenizer"
	"github.com/nopezoo/zoo/zoo"
	"github.com/nopezoo/zoo/zoo/verify"
)

// collected is GOGC while a model is exported: what is dropped are copies of its weights, which may be gigabytes.
const collected = 20

// exportOne writes one model.
func (a *app) exportOne(ctx context.Context, s zoo.Model, o exportOptions) error {
	defer debug.SetGCPercent(debug.SetGCPercent(collected))
	m, err := s.Load()
	if err != nil {
		return err
	}
	if o.format == "safetensors" {
		return a.exportFolder(s, m, o)
	}
	out, err := o.outputs.Output(m.FileName(o.profile), s.From, inputs(s))
	if err != nil {
		return err
	}
	type form struct {
		terminal.Output
		what string
	}
	forms := []form{{out, o.profile + " from " + s.From}}
	if o.generate {
		looped := out
		looped.Path = strings.TrimSuffix(out.Path, ".onnx") + ".generate.onnx"
		forms = append(forms, form{looped, "whole answers in one call, for ONNX Runtime"})
	}
	for _, f := range forms {
		if err := a.Check(f.Output); err != nil {
			return err
		}
	}
	name := filepath.Base(out.Path)
	if a.IsStream(out) {
		name = ""
	}
	words := m.TokenizerFile
	if words == nil && len(m.Card.Tokenizer) > 0 {
		if words, err = hf.TokenizerFile(m.Card.Tokenizer); err != nil {
			return fmt.Errorf("nothing was written: %w", err)
		}
	}
	wordsOut := out
	wordsOut.Path = strings.TrimSuffix(out.Path, ".onnx") + "." + tokenizer.File
	if a.IsStream(out) {
		words = nil // one stream takes one file
	} else if there, err := files.ReadRegular(wordsOut.Path, int64(len(words))); err == nil && bytes.Equal(there, words) {
		words = nil // written with an earlier file
	}
	if words != nil {
		if err := a.Check(wordsOut); err != nil {
			return err
		}
	}
	if o.beyond {
		if m.Card.Pretrained, err = beyondDeclared(m); err != nil {
			return fmt.Errorf("nothing was written: --beyond: %w", err)
		}
	}
	built, err := verify.Build(ctx, m, verify.Options{
		Profile: o.profile, Provider: o.verifier, AllowCPUNodes: o.allowCPUNodes,
		Looped: o.generate, Unchecked: o.noVerify, Name: name,
	})
	if err != nil {
		return fmt.Errorf("nothing was written: %w", err)
	}
	for i, f := range forms {
		for _, step := range a.writing(f.Output, built[i]) {
			if err := step(); err != nil {
				return err
			}
		}
		a.Messages(f.Output).Print("%s: %s, %s, %s", f.Path, f.what, human.Bytes(int64(len(built[i].Data))), tables.Verified(built[i]))
	}
	if words == nil {
		return nil
	}
	if err := a.WriteBytes(wordsOut, words); err != nil {
		return err
	}
	a.Print("%s: %s", wordsOut.Path, wordsUse(m))
	return nil
}

// writing is the steps that write a model's file, or replace it. The data file of a large one comes first, and that of the
// replaced one goes last: after each step, and in it, the model's file is whole, the old or the new one.
func (a *app) writing(out terminal.Output, f verify.File) (steps []func() error) {
	folder, name := filepath.Split(out.Path)
	for weights, contents := range f.Beside {
		steps = append(steps, func() error {
			beside := terminal.Output{Path: filepath.Join(folder, weights), Inputs: out.Inputs} // it may be there, from a command that was killed
			err := a.WriteBytes(beside, contents)
			if err == nil {
				a.Print("%s: the large weights of %s, %s; keep both in one folder", beside.Path, out.Path, human.Bytes(int64(len(contents))))
			}
			return err
		})
	}
	steps = append(steps, func() error { return a.WriteBytes(out, f.Data) })
	if a.IsStream(out) {
		return steps
	}
	return append(steps, func() error {
		entries, err := os.ReadDir(filepath.Clean(folder))
		for _, e := range entries {
			if _, now := f.Beside[e.Name()]; !now && safety.IsData(e.Name(), name) {
				err = errors.Join(err, os.Remove(filepath.Join(folder, e.Name())))
			}
		}
		return err
	})
}

// wordsUse says which programs need the tokenizer beside a file: the card of zoo's own models has it too.
func wordsUse(m modelfile.Model) string {
	if m.TokenizerFile != nil {
		return "its tokenizer, which texts need"
	}
	return fmt.Sprintf("its tokenizer of %d pieces, for programs that do not read the card", len(m.Card.Tokenizer))
}

// inputs lists the files that a model is, or is among.
func inputs(m zoo.Model) []string {
	if m.File != "" {
		return []string{m.File}
	}
	entries, _ := os.ReadDir(m.Folder) // loading it says what is wrong with it
	return lists.Map(entries, func(e os.DirEntry) string { return filepath.Join(m.Folder, e.Name()) })
}

// exportFolder writes a model as a folder that import reads.
func (a *app) exportFolder(s zoo.Model, m modelfile.Model, o exportOptions) error {
	out, err := o.outputs.Output(m.Name()+"-hf", s.From, inputs(s))
	if err != nil {
		return err
	}
	if err := out.CheckFolder(s.Folder); err != nil {
		return err
	}
	if err := hf.Write(out.Path, m); err != nil {
		return err
	}
	a.Print("%s: safetensors, config.json and tokenizer from %s, %s", out.Path, s.From, human.Plural(len(m.Weights), "tensor", "tensors"))
	return nil
}

// beyondDeclared is what the card says of a pretrained model whose texts may be longer than it declares.
func beyondDeclared(m modelfile.Model) (*card.Pretrained, error) {
	described, err := m.Describe(card.Portable)
	if err != nil {
		return nil, err
	}
	p := described.Card.Pretrained
	switch {
	case described.Card.MaxLength > 0:
		return nil, fmt.Errorf("the encoding %s ends at %d positions; leave it out", described.Card.Encoding, described.Card.MaxLength)
	case p == nil || p.DeclaredLength == 0:
		return nil, errors.New("the model declares no length that texts could be longer than; leave it out")
	}
	lifted := *p
	lifted.Beyond = true
	return &lifted, nil
}
