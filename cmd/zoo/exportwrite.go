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
	weights := out // a second file, of a model of more than 2 GiB
	weights.Path = out.Path + modelfile.DataSuffix
	dataName := filepath.Base(weights.Path)
	if a.IsStream(out) {
		dataName = ""
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
		Looped: o.generate, Unchecked: o.noVerify, DataName: dataName,
	})
	if err != nil {
		return fmt.Errorf("nothing was written: %w", err)
	}
	if built[0].Beside != nil {
		if err := a.Check(weights); err != nil {
			return err
		}
		if err := a.WriteBytes(weights, built[0].Beside); err != nil { // first: a model without it would not open
			return err
		}
		a.Print("%s: the large weights of %s, %s; keep both in one folder", weights.Path, out.Path, human.Bytes(int64(len(built[0].Beside))))
	}
	for i, f := range forms {
		if err := a.WriteBytes(f.Output, built[i].Data); err != nil {
			return err
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
