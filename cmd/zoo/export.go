package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/interop"
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
	into       bool              // output is a folder to put files into
	written    map[string]string // what the command wrote, and from what
	verifier   string            // provider that files are verified with: cpu, or go where there is no ONNX Runtime
}

var (
	exportFormats     = []string{"onnx", "safetensors"}
	exportCheckpoints = []string{"last", "best"}
)

func exportVerb(a *app) *cobra.Command {
	var o exportOptions
	c := &cobra.Command{
		Use:   "export [MODEL…]",
		Short: "write models as ONNX files, verified, or as safetensors",
		Long: `export writes each MODEL, a run directory or a model of the catalogue, as an ONNX
file; or, with --pe, the newest run of each of these encodings, else the catalogue's
model; or the run of --run.

Each file is verified before it is written: on random tokens at 1, 4 and 8 times
the trained length, with left padding too, ONNX Runtime must be within 1e-4 of the
pure-Go engine in float64, or within ten times what float32 costs that engine. The
worst error goes into the file's card. Where ONNX Runtime is not installed the
pure-Go engine is checked alone, in float32 and by pieces, against itself in
float64; the card then has no error between the two.

Profiles: portable (opset 18, runs nearly everywhere) and fused (opset 23, with
attention, normalisation and rotation as single operators).

With --format safetensors export writes a folder with model.safetensors, a
config.json in Hugging Face's style and the tokenizer instead, which other programs
read, and zoo import.`,
		Example: example(
			"zoo export --pe alibi                       # copy-alibi.onnx",
			"zoo export --pe nope,rope --task reverse --profile fused -o models/",
			"zoo export copy-rope reverse-rope -o models/",
			"zoo export runs/copy-rope-tiny-s1 -o rope.onnx",
			"zoo export --pe rope --format safetensors   # copy-rope-hf/"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := oneOf("format", o.format, exportFormats...); err != nil {
				return err
			}
			for _, name := range []string{"profile", "no-verify", "sequence"} {
				if o.format != "onnx" && c.Flags().Changed(name) {
					return fmt.Errorf("--%s is about ONNX files, and --format %s writes none; leave one of the two out", name, o.format)
				}
			}
			return a.export(c.Context(), o, args)
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
	exclusive(c, "pe", "run")
	exclusive(c, "task", "run")
	return c
}

func (a *app) export(ctx context.Context, o exportOptions, args []string) error {
	if err := checkProfile(o.profile); err != nil {
		return err
	}
	if err := oneOf("checkpoint", o.checkpoint, exportCheckpoints...); err != nil {
		return err
	}
	sources, err := a.exported(o, args)
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
	if o.into, err = o.intoFolder(len(sources)); err != nil {
		return err
	}
	if err := a.chooseVerifier(ctx, &o); err != nil {
		return err
	}
	o.written = map[string]string{}
	for _, s := range sources {
		if err := a.exportOne(ctx, s, o); err != nil {
			return fmt.Errorf("%s: %w", s.from, err)
		}
	}
	return nil
}

// exported lists what to export.
func (a *app) exported(o exportOptions, args []string) ([]source, error) {
	if len(args) > 0 {
		return a.exportedByName(o, args)
	}
	if o.run != "" {
		r, err := readRun(o.run)
		return []source{runSource(a, r)}, err
	}
	if len(o.encodings) == 0 {
		return nil, errors.New("nothing to export is named: give a MODEL (see: zoo list models, zoo list runs), or encodings with --pe")
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

// exportedByName lists the models that arguments name.
func (a *app) exportedByName(o exportOptions, args []string) ([]source, error) {
	if len(o.encodings) > 0 || o.run != "" || o.task != "" {
		return nil, fmt.Errorf("--pe, --task and --run choose among runs and catalogue, but %s is named; drop one of the two", args[0])
	}
	f, err := a.newFinder(o.runs)
	if err != nil {
		return nil, err
	}
	var out []source
	for _, arg := range args {
		s, err := f.named(arg)
		if err != nil {
			return nil, err
		}
		if s.file != "" {
			return nil, fmt.Errorf("%s is a file, which export writes and does not read; name a run or a model of the catalogue", arg)
		}
		out = append(out, s)
	}
	return out, nil
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
func (o exportOptions) claim(path string, s source) error {
	if other := o.written[path]; other != "" {
		return fmt.Errorf("%s was written by this command, from %s; export one at a time, with -o", path, other)
	}
	o.written[path] = s.from
	return nil
}

func (a *app) exportOne(ctx context.Context, s source, o exportOptions) error {
	m, err := s.load()
	if err != nil {
		return err
	}
	if o.format == "safetensors" {
		return a.exportFolder(s, m, o)
	}
	out := output{path: outputPath(o, m), inputs: s.inputs(), rename: o.rename(outputPath(o, m))}
	if err := cmp.Or(o.claim(out.path, s), out.check(a)); err != nil {
		return err
	}
	if o.sequence {
		if err := sequenceOutput(out).check(a); err != nil {
			return err
		}
	}
	m.card.Parity = nil
	how := "not verified"
	if !o.noVerify {
		if how, err = m.verify(ctx, o); err != nil {
			return fmt.Errorf("nothing was written: %w", err)
		}
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

// chooseVerifier settles what the files are verified with. The pure-Go engine alone
// is less than ONNX Runtime against it, and more than nothing.
func (a *app) chooseVerifier(ctx context.Context, o *exportOptions) error {
	o.verifier = "cpu"
	if o.noVerify || o.format != "onnx" {
		return nil
	}
	err := a.needLibrary(ctx)
	if err != nil && (!absent(err) || o.sequence) { // only ONNX Runtime runs whole sequences
		return fmt.Errorf("nothing was written: cannot verify: %w; or write without verifying: --no-verify", err)
	}
	if err != nil {
		o.verifier = "go"
		a.note("verifying with the pure-Go engine alone: %v", err)
	}
	return nil
}

// verify checks the model's file and says how. The worst error between ONNX Runtime
// and the pure-Go engine is noted in its card.
func (m *model) verify(ctx context.Context, o exportOptions) (how string, err error) {
	data, err := m.build(o.profile)
	if err != nil {
		return "", err
	}
	worst, err := verify(ctx, data, m.card, o.verifier)
	if err != nil {
		return "", fmt.Errorf("verify: %w", err)
	}
	if o.verifier == "go" {
		return fmt.Sprintf("verified in pure Go alone, not in ONNX Runtime, worst error %.2g", worst), nil
	}
	m.card.Parity = &worst
	return fmt.Sprintf("verified, worst error %.2g", worst), nil
}

func outputPath(o exportOptions, m model) string {
	if o.output != "" && !o.into {
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
