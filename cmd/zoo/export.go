package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/cmd/zoo/internal/arguments"
	"github.com/nopezoo/zoo/cmd/zoo/internal/terminal"
	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/modelfile/hf"
	"github.com/nopezoo/zoo/modelfile/precision"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/runtime/engine"
	"github.com/nopezoo/zoo/zoo"
)

type exportOptions struct {
	interventionFlags
	encodings     []string
	run, runs     string
	task          string
	format        string
	profile       string
	dtype         string
	checkpoint    string
	output        string
	allowCPUNodes bool
	noVerify      bool
	generate      bool
	beyond        bool
	outputs       terminal.Outputs
	verifier      string // provider that files are verified with: go instead of cpu where there is no ONNX Runtime
}

var exportFormats = []string{"onnx", "safetensors"}

func exportVerb(a *app) *cobra.Command {
	var o exportOptions
	c := &cobra.Command{
		Use:   "export [MODEL…]",
		Short: "write models as ONNX files, verified, or as safetensors",
		RunE: func(c *cobra.Command, args []string) error {
			if err := o.check(c.Flags()); err != nil {
				return err
			}
			return a.export(c.Context(), o, args)
		},
	}
	o.interventionFlags.add(c)
	f := c.Flags()
	f.StringSliceVar(&o.encodings, "pe", nil, "encodings, or all: "+strings.Join(models.Encodings(), ", "))
	f.StringVar(&o.task, "task", "", "task that the model was trained on (default: the newest run's, or copy)")
	f.StringVar(&o.run, "run", "", "run `directory`, or a folder of weights")
	f.StringVar(&o.runs, "runs", "runs", "`folder` of the runs")
	f.StringVar(&o.format, "format", "onnx", "onnx, or safetensors: a folder with config.json and the tokenizer")
	f.StringVar(&o.profile, "profile", card.Portable, card.Portable+" or "+card.Fused)
	f.StringVar(&o.dtype, "dtype", card.Float32, strings.Join(precision.Types, ", ")+
		": of the large matrices and the products with them")
	f.StringVar(&o.checkpoint, "checkpoint", zoo.Last, "last; best: the one with the best validation accuracy "+
		"(see train.eval_every); or a step")
	f.StringVarP(&o.output, "output", "o", "", "`file` to write (- for standard output), or a folder "+
		"(default: <task>-<encoding>.onnx, or <task>-<encoding>-hf)")
	f.StringVar(&o.verifier, "provider", "cpu", "what verifies the file: "+strings.Join(engine.Providers(), ", ")+
		"; cpu needs no more than zoo setup")
	f.BoolVar(&o.allowCPUNodes, "allow-cpu-nodes", false, allowCPUNodesHelp)
	f.BoolVar(&o.noVerify, "no-verify", false, "write without verifying")
	f.BoolVar(&o.generate, "generate", false, "also write NAME.generate.onnx, which answers whole prompts in one call "+
		"(a Loop; ONNX Runtime only)")
	f.BoolVar(&o.beyond, "beyond", false, beyondHelp)
	arguments.Exclusive(c, "pe", "run")
	arguments.Exclusive(c, "task", "run")
	return c
}

func (o exportOptions) check(flags *pflag.FlagSet) error {
	if o.format == "safetensors" {
		if name := arguments.Given(flags, "profile", "dtype", "provider", "allow-cpu-nodes", "no-verify", "generate", "beyond"); name != "" {
			return fmt.Errorf("--%s is about ONNX files, and --format %s writes none; leave one of the two out", name,
				o.format)
		}
	}
	if o.checkpoint == zoo.All {
		return fmt.Errorf("--checkpoint %s: export writes one; name it by its step", zoo.All)
	}
	if name := arguments.Given(flags, "provider", "allow-cpu-nodes"); o.noVerify && name != "" {
		return fmt.Errorf("--%s is about verifying, and --no-verify does none; leave out one of the two", name)
	}
	return cmp.Or(arguments.OneOf("format", o.format, exportFormats...), checkProfile(o.profile),
		oneProvider(o.verifier, engine.Providers()...), checkCPUNodes(o.allowCPUNodes, o.verifier), o.checkDType())
}

// checkDType also wants what verifies the files to compute in their precision.
func (o exportOptions) checkDType() error {
	if err := checkDType(o.dtype); err != nil || o.noVerify {
		return err
	}
	err := checkDType(o.dtype, o.verifier)
	if err == nil && o.generate { // see verify.Build
		if err = checkDType(o.dtype, "cpu"); err != nil {
			err = fmt.Errorf("--generate verifies on the CPU: %w", err)
		}
	}
	if err != nil {
		return fmt.Errorf("%w; or write without verifying: --no-verify", err)
	}
	return nil
}

func (a *app) export(ctx context.Context, o exportOptions, args []string) error {
	sources, err := a.exported(o, args)
	if err != nil {
		return err
	}
	if sources, err = atCheckpoints(sources, []string{o.checkpoint}); err != nil {
		return err
	}
	if sources, err = o.interventionFlags.apply(sources); err != nil {
		return err
	}
	for i := range sources {
		if sources[i], err = sources[i].As(o.dtype); err != nil {
			return fmt.Errorf("--dtype %w", err)
		}
	}
	if ext := filepath.Ext(o.output); o.format == "onnx" && slices.Contains([]string{".gguf", ".safetensors", ".pt", ".bin"}, ext) {
		return fmt.Errorf("--output %s: what is written is an ONNX file; name it %s.onnx, or a folder with --format safetensors",
			o.output, strings.TrimSuffix(o.output, ext))
	}
	if a.IsStream(terminal.Output{Path: o.output}) && (len(sources) > 1 || o.generate || o.format != "onnx") {
		return fmt.Errorf("--output %s: it takes one ONNX file; name a folder", o.output)
	}
	if o.format != "onnx" {
		o.outputs = terminal.Folders(o.output, len(sources), hf.IsFolder)
	} else if o.outputs, err = terminal.Files(o.output, len(sources), ".onnx"); err != nil {
		return err
	}
	if err := a.chooseVerifier(ctx, &o); err != nil {
		return err
	}
	for _, s := range sources {
		if err := a.exportOne(ctx, s, o); err != nil {
			return fmt.Errorf("%s: %w", s.From, err)
		}
	}
	return nil
}

// exported lists what to export.
func (a *app) exported(o exportOptions, args []string) ([]zoo.Model, error) {
	switch {
	case o.run != "" && len(args) > 0:
		return nil, fmt.Errorf("--run names what to export, and so does %s; drop one of the two", args[0])
	case o.run != "":
		s, err := zoo.Find(o.run, a.lookIn(o.runs))
		return []zoo.Model{s}, err
	case len(args) == 0 && len(o.encodings) == 0:
		return nil, errors.New("nothing to export is named: give a MODEL (see: zoo list models, zoo list runs), " +
			"or encodings with --pe")
	}
	out, err := a.choose(o.runs, args, o.encodings, o.task)
	for _, s := range out {
		if s.File != "" {
			return nil, fmt.Errorf("%s is a file, which export writes and does not read; "+
				"name a run or a model of the catalogue", s.File)
		}
	}
	return out, err
}

// chooseVerifier settles what the files are verified with. The pure-Go engine alone
// is less than ONNX Runtime against it, and more than nothing.
func (a *app) chooseVerifier(ctx context.Context, o *exportOptions) error {
	if o.noVerify || o.format != "onnx" || o.verifier == "go" && !o.generate {
		return nil
	}
	err := a.needLibrary(ctx)
	if err == nil && engine.OnDevice(o.verifier) {
		err = a.needProvider(ctx, o.verifier)
	}
	if err != nil && (!absent(err) || o.generate || o.verifier != "cpu") { // only ONNX Runtime runs Loops
		return fmt.Errorf("nothing was written: cannot verify: %w; or write without verifying: --no-verify", err)
	}
	if err != nil {
		o.verifier = "go"
		a.Note("verifying with the pure-Go engine alone: %s", human.Error(err))
	}
	return nil
}
