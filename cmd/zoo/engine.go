package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/cmd/zoo/internal/arguments"
	"github.com/nopezoo/zoo/modelfile/precision"
	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/runtime/engine"
	_ "github.com/nopezoo/zoo/runtime/native" // the engine of provider go
	_ "github.com/nopezoo/zoo/tokenizer/hf"   // the tokenizers of files that others wrote
	"github.com/nopezoo/zoo/zoo"
)

// ortProviders are those that are ONNX Runtime's.
var ortProviders = []string{engine.CPU, engine.CUDA, engine.WebGPU}

var providersHelp = "what runs the models: " + strings.Join(engine.Providers(), ", ") + " (pure Go: needs no library)"

// engineFlags say how a model is run.
type engineFlags struct {
	provider, profile string
	threads           int
	allowCPUNodes     bool
	chunk             int // tokens of a row read at once; 0 leaves that to the runtime
	allow             []string
	beyond            bool
}

func (e *engineFlags) add(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&e.provider, "provider", "cpu", providersHelp)
	f.BoolVar(&e.allowCPUNodes, "allow-cpu-nodes", false, allowCPUNodesHelp)
	f.StringVar(&e.profile, "profile", "",
		card.Portable+" or "+card.Fused+": the form of models that are no files yet (default portable)")
	f.IntVar(&e.threads, "threads", 0, "threads; 0: one per physical core, in pure Go one per logical one")
}

const allowCPUNodesHelp = "let the CPU run what the provider of a device cannot"

// oneProvider wants the name of a known provider.
func oneProvider(name string, known ...string) error {
	if strings.EqualFold(name, "gpu") {
		return fmt.Errorf("unknown provider %q: a graphics card is webgpu (of any vendor) or cuda (NVIDIA's); known: %s",
			name, strings.Join(known, ", "))
	}
	return arguments.OneOf("provider", name, known...)
}

// checkCPUNodes refuses --allow-cpu-nodes where no provider has a device.
func checkCPUNodes(allow bool, providers ...string) error {
	if !allow || slices.ContainsFunc(providers, engine.OnDevice) {
		return nil
	}
	return fmt.Errorf("--allow-cpu-nodes is for the provider of a device (cuda, webgpu), and --provider is %s; "+
		"leave out one of the two", strings.Join(providers, ","))
}

func (e engineFlags) check() error {
	if err := cmp.Or(oneProvider(e.provider, engine.Providers()...), checkCPUNodes(e.allowCPUNodes, e.provider)); err != nil {
		return err
	}
	if err := engine.CheckThreads(e.threads); err != nil {
		return fmt.Errorf("--threads: %w", err)
	}
	if e.profile == "" {
		return nil
	}
	return checkProfile(e.profile)
}

func checkProfile(profile string) error {
	return arguments.OneOf("profile", profile, card.Portable, card.Fused)
}

// checkDType refuses a precision that files do not have, or that one of the providers does not
// compute in.
func checkDType(dtype string, providers ...string) error {
	of, err := precision.Parse(dtype)
	if err != nil {
		return fmt.Errorf("--dtype %w", err)
	}
	for _, p := range providers {
		if err := engine.CheckDType(of, p); err != nil {
			return fmt.Errorf("--dtype %s: %w", dtype, err)
		}
	}
	return nil
}

// addFiles adds the flags for what files may hold that the safety validation refuses, and for texts that are longer than declared.
func (e *engineFlags) addFiles(c *cobra.Command) {
	c.Flags().BoolVar(&e.beyond, "beyond", false, beyondHelp)
	c.Flags().StringSliceVar(&e.allow, "allow", nil, "what model files may hold: control-flow, "+
		"`names` of operator domains such as com.microsoft; or unvalidated: anything at all")
}

const beyondHelp = "let texts be longer than a pretrained model declares, if its positions are computed and end in no table"

// addLinks adds the flag for files of models that are links.
func (a *app) addLinks(c *cobra.Command) {
	c.Flags().StringVar(&a.linksWithin, "links-within", "", "`folder` around a model's, within which its data may be links, "+
		"such as models--OWNER--NAME of Hugging Face's cache")
}

// options returns how the runtime is to open files.
func (e engineFlags) options() runtime.Options {
	opt := runtime.Options{Provider: e.provider, Threads: e.threads, ChunkSize: e.chunk, AllowCPUNodes: e.allowCPUNodes, Beyond: e.beyond}
	for _, word := range e.allow {
		switch word {
		case "control-flow":
			opt.AllowControlFlow = true
		case "unvalidated":
			opt.Unvalidated = true
		default:
			opt.AllowDomains = append(opt.AllowDomains, word)
		}
	}
	return opt
}

// open builds or reads the model's file and loads it.
func (e engineFlags) open(m zoo.Model) (*runtime.Session, error) {
	s, err := m.Open(cmp.Or(e.profile, card.Portable), e.options())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.From, withoutLibrary(err))
	}
	if err := checkFileProfile(e.profile, s.Info().Card); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", m.From, err), s.Close())
	}
	return s, nil
}

// noteWarnings notes how a model differs from the files that describe it.
func (a *app) noteWarnings(name string, s *runtime.Session) {
	for _, w := range s.Info().Warnings {
		a.Note("warning: %s: %s", name, w)
	}
}

// withoutLibrary adds what can be done without ONNX Runtime where that is what
// is missing.
func withoutLibrary(err error) error {
	if errors.Is(err, runtime.ErrNoRuntime) || errors.Is(err, runtime.ErrNoCgo) {
		return fmt.Errorf("%w; or use the pure-Go engine: --provider go", err)
	}
	return err
}

// checkFileProfile wants a file in the profile that was asked for, if any was.
func checkFileProfile(profile string, c card.Card) error {
	if profile == "" || c.Profile == profile {
		return nil
	}
	return fmt.Errorf("--profile %s: the file's profile is %s; leave the flag out, or name the run it came from",
		profile, c.Profile)
}
