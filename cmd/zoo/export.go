package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/zoo/find"
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
float64; the card then has no error between the two. onnx-go, a reader that shares
no code with zoo, must find in the file the graph and weights that were meant. The
card names the checks.

Profiles: portable (opset 18, runs nearly everywhere) and fused (opset 23, with
normalisation and rotation as single operators).

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
			if err := o.check(c.Flags()); err != nil {
				return err
			}
			return a.export(c.Context(), o, args)
		},
	}
	f := c.Flags()
	f.StringSliceVar(&o.encodings, "pe", nil, "encodings: "+strings.Join(models.Encodings(), ", "))
	f.StringVar(&o.task, "task", "", "task that the model was trained on (default: that of the newest run, or copy)")
	f.StringVar(&o.run, "run", "", "run `directory`, or a folder of weights")
	f.StringVar(&o.runs, "runs", "runs", "`folder` of the runs")
	f.StringVar(&o.format, "format", "onnx", "onnx, or safetensors: a folder with config.json and the tokenizer")
	f.StringVar(&o.profile, "profile", card.Portable, card.Portable+" or "+card.Fused)
	f.StringVar(&o.checkpoint, "checkpoint", "last",
		"last, or best: the one with the best validation accuracy (see train.eval_every)")
	f.StringVarP(&o.output, "output", "o", "", "`file` to write (- for standard output), or a folder "+
		"(default: <task>-<encoding>.onnx, or <task>-<encoding>-hf)")
	f.BoolVar(&o.noVerify, "no-verify", false, "write without verifying")
	f.BoolVar(&o.sequence, "sequence", false, "of a recurrent model also write NAME.sequence.onnx, "+
		"which takes whole sequences (a Scan; ONNX Runtime only)")
	exclusive(c, "pe", "run")
	exclusive(c, "task", "run")
	return c
}

func (o exportOptions) check(flags *pflag.FlagSet) error {
	for _, name := range []string{"profile", "no-verify", "sequence"} {
		if o.format == "safetensors" && flags.Changed(name) {
			return fmt.Errorf("--%s is about ONNX files, and --format %s writes none; leave one of the two out", name, o.format)
		}
	}
	return cmp.Or(oneOf("format", o.format, exportFormats...), checkProfile(o.profile),
		oneOf("checkpoint", o.checkpoint, exportCheckpoints...))
}

func (a *app) export(ctx context.Context, o exportOptions, args []string) error {
	sources, err := a.exported(o, args)
	if err != nil {
		return err
	}
	for i := range sources {
		if o.checkpoint == "best" {
			if sources[i], err = sources[i].Best(); err != nil {
				return err
			}
		}
	}
	_, stream, _ := (output{path: o.output}).resolve(a)
	if stream && (len(sources) > 1 || o.sequence || o.format != "onnx") {
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
			return fmt.Errorf("%s: %w", s.From, err)
		}
	}
	return nil
}

// exported lists what to export.
func (a *app) exported(o exportOptions, args []string) ([]find.Model, error) {
	if len(args) > 0 && (len(o.encodings) > 0 || o.run != "" || o.task != "") {
		return nil, fmt.Errorf("--pe, --task and --run choose among runs and catalogue, but %s is named; drop one of the two",
			args[0])
	}
	if o.run != "" {
		s, err := a.lookIn(o.runs).Run(o.run)
		return []find.Model{s}, err
	}
	if len(args) == 0 && len(o.encodings) == 0 {
		return nil, errors.New("nothing to export is named: give a MODEL (see: zoo list models, zoo list runs), " +
			"or encodings with --pe")
	}
	if err := checkEncodings(o.encodings); err != nil {
		return nil, err
	}
	f, err := find.New(a.lookIn(o.runs))
	if err != nil {
		return nil, err
	}
	if f, err = f.On(o.task); err != nil {
		return nil, err
	}
	out, err := f.These(args)
	if err != nil {
		return nil, err
	}
	for _, s := range out {
		if s.File != "" {
			return nil, fmt.Errorf("%s is a file, which export writes and does not read; "+
				"name a run or a model of the catalogue", s.File)
		}
	}
	for _, name := range o.encodings {
		found, err := f.Of(name)
		if err != nil {
			return nil, err
		}
		out = append(out, found[0])
	}
	return out, nil
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
