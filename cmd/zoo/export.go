package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/runtime"
)

type exportOptions struct {
	encodings  []string
	run, runs  string
	task       string
	format     string
	profile    string
	checkpoint string
	output     string
	noVerify   bool
	sequence   bool
}

func exportVerb(a *app) *cobra.Command {
	var o exportOptions
	c := &cobra.Command{
		Use:   "export (--pe LIST | --run DIR)",
		Short: "write models as ONNX files, verified, or as safetensors",
		Long: `export writes the newest run of each encoding of --pe as an ONNX file, or the
catalogue's model where there is no such run, or the run of --run.

Each file is verified before it is written: on random tokens at 1, 4 and 8 times
the trained length, with left padding too, ONNX Runtime must be within 1e-4 of the
pure-Go engine in float64, or within ten times what float32 costs that engine. The
worst error goes into the file's card.

Profiles: portable (opset 18, runs nearly everywhere) and fused (opset 23, with
attention, normalisation and rotation as single operators).

With --format safetensors export writes a folder with model.safetensors, a
config.json in Hugging Face's style and the tokenizer instead, which other programs
read, and zoo import.`,
		Example: example(
			"zoo export --pe alibi                       # copy-alibi.onnx",
			"zoo export --pe nope,rope --task reverse --profile fused -o models/",
			"zoo export --run runs/copy-rope-tiny-s1 -o rope.onnx",
			"zoo export --pe rope --format safetensors   # copy-rope-hf/"),
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := oneOf("format", o.format, "onnx", "safetensors"); err != nil {
				return err
			}
			for _, name := range []string{"profile", "no-verify", "sequence"} {
				if o.format != "onnx" && c.Flags().Changed(name) {
					return fmt.Errorf("--%s is about ONNX files, and --format %s writes none; leave one of the two out", name, o.format)
				}
			}
			return a.export(c.Context(), o)
		},
	}
	f := c.Flags()
	f.StringSliceVar(&o.encodings, "pe", nil, "encodings: "+strings.Join(encodingNames(), ", "))
	f.StringVar(&o.task, "task", "", "task that the model was trained on (default: that of the newest run, or copy)")
	f.StringVar(&o.run, "run", "", "run `directory`, or a folder of weights")
	f.StringVar(&o.runs, "runs", "runs", "`folder` of the runs")
	f.StringVar(&o.format, "format", "onnx", "onnx, or safetensors: a folder with config.json and the tokenizer")
	f.StringVar(&o.profile, "profile", card.Portable, card.Portable+" or "+card.Fused)
	f.StringVar(&o.checkpoint, "checkpoint", "last", "last, or best: the one with the best validation accuracy (see train.eval_every)")
	f.StringVarP(&o.output, "output", "o", "", "`file` to write (- for standard output), or a folder (default: <task>-<encoding>.onnx, or <task>-<encoding>-hf)")
	f.BoolVar(&o.noVerify, "no-verify", false, "write without verifying")
	f.BoolVar(&o.sequence, "sequence", false, "of a recurrent model also write NAME.sequence.onnx, which takes whole sequences (a Scan; ONNX Runtime only)")
	c.MarkFlagsOneRequired("pe", "run")
	c.MarkFlagsMutuallyExclusive("pe", "run")
	c.MarkFlagsMutuallyExclusive("task", "run")
	return c
}

func (a *app) export(ctx context.Context, o exportOptions) error {
	if err := checkProfile(o.profile); err != nil {
		return err
	}
	if err := oneOf("checkpoint", o.checkpoint, "last", "best"); err != nil {
		return err
	}
	sources, err := a.exported(o)
	if err != nil {
		return err
	}
	for i := range sources {
		if o.checkpoint == "best" {
			if sources[i], err = sources[i].best(a); err != nil {
				return err
			}
		}
	}
	if _, stream, _ := (output{path: o.output}).resolve(a); stream && (len(sources) > 1 || o.sequence || o.format != "onnx") {
		return fmt.Errorf("--output %s: it takes one ONNX file; name a folder", o.output)
	}
	folder := isFolder(o.output)
	if o.format == "onnx" && o.output != "" && !folder && len(sources) > 1 {
		return fmt.Errorf("--output %s: %d models need a folder, not one file", o.output, len(sources))
	}
	for _, s := range sources {
		if err := a.exportOne(ctx, s, o, folder); err != nil {
			return fmt.Errorf("%s: %w", s.from, err)
		}
	}
	return nil
}

// exported lists what to export, one model for each encoding.
func (a *app) exported(o exportOptions) ([]source, error) {
	if o.run != "" {
		r, err := readRun(o.run)
		return []source{runSource(a, r)}, err
	}
	if err := checkEncodings(o.encodings); err != nil {
		return nil, err
	}
	f, err := a.newFinder(o.runs)
	if err != nil {
		return nil, err
	}
	if f, err = f.on(o.task); err != nil {
		return nil, err
	}
	var out []source
	for _, name := range o.encodings {
		found, err := f.of(name)
		if err != nil {
			return nil, err
		}
		out = append(out, found[0])
	}
	return out, nil
}

func (a *app) exportOne(ctx context.Context, s source, o exportOptions, folder bool) error {
	m, err := s.load()
	if err != nil {
		return err
	}
	if o.format == "safetensors" {
		return a.exportFolder(s, m, o)
	}
	out := output{path: outputPath(o, folder, m), inputs: s.inputs()}
	if err := out.check(a); err != nil {
		return err
	}
	m.card.Parity = nil
	how := "not verified"
	if !o.noVerify {
		if err := m.verify(ctx, o.profile); err != nil {
			return fmt.Errorf("nothing was written: %w", err)
		}
		how = fmt.Sprintf("verified, worst error %.2g", *m.card.Parity)
	}
	data, err := m.build(o.profile)
	if err != nil {
		return err
	}
	if err := a.writeBytes(out, data); err != nil {
		return err
	}
	a.beside(out).print("%s: %s from %s, %s, %s", out.path, o.profile, s.from, bytesText(int64(len(data))), how)
	if o.sequence {
		m.card.Profile = o.profile
		return a.exportSequence(ctx, m, out, !o.noVerify)
	}
	return nil
}

// verify checks the model's file and notes the worst error in its card.
func (m *model) verify(ctx context.Context, profile string) error {
	data, err := m.build(profile)
	if err != nil {
		return err
	}
	worst, err := verify(ctx, data, m.card)
	if errors.Is(err, runtime.ErrNoRuntime) || errors.Is(err, runtime.ErrNoCgo) {
		return fmt.Errorf("cannot verify: %w; or write without verifying: --no-verify", err)
	}
	if err != nil {
		return fmt.Errorf("verify: %w", err)
	}
	m.card.Parity = &worst
	return nil
}

func outputPath(o exportOptions, folder bool, m model) string {
	if o.output != "" && !folder {
		return o.output
	}
	name := m.name()
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
