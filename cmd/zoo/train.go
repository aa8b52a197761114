package main

import (
	"fmt"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/nopezoo/zoo/cmd/zoo/internal/arguments"
	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/eval/task"
	"github.com/nopezoo/zoo/experiment/launch"
	"github.com/nopezoo/zoo/internal/ort"
	"github.com/nopezoo/zoo/internal/placement"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/zoo/catalogue"
)

type trainOptions struct {
	file      string
	set       []string
	encodings []string
	from      string
	change    interventionFlags
	runs      string
	resume    bool
	dryRun    bool
	placed
}

// trainFlags are the flags that stand for keys of the configuration.
var trainFlags = map[string]string{
	"train.task": "task", "train.lengths": "lengths", "train.steps": "steps", "train.batch": "batch",
	"train.lr": "lr", "train.seed": "seed", "train.data_seed": "data-seed",
	"train.threads": "threads", "train.examples": "examples",
}

func trainVerb(a *app) *cobra.Command {
	var o trainOptions
	c := &cobra.Command{
		Use:   "train [RUN…]",
		Short: "train models, one for each encoding",
		RunE:  func(c *cobra.Command, args []string) error { return a.train(c, o, args) },
	}
	o.add(c)
	return c
}

func (o *trainOptions) add(c *cobra.Command) {
	f := c.Flags()
	f.String("preset", "", "settings to start from: "+strings.Join(configs.Names(configs.Presets), ", ")+
		" (default: a config file's, or "+configs.DefaultPreset+")")
	f.StringVar(&o.file, "config", "", "a YAML `file` of settings, in the form of the presets")
	f.StringSliceVar(&o.encodings, "pe", nil, "encodings, or all: "+strings.Join(models.Encodings(), ", ")+
		" (default: the configured one)")
	f.String("task", "", "task with its options, or several with commas: "+
		strings.Join(task.Known(), ", "))
	f.String("lengths", "", "trained lengths, such as 1..20")
	f.Int("examples", 0, "size of a fixed training set, the same for every seed; 0: every example is new")
	f.Int("steps", 0, "updates")
	f.Int("batch", 0, "sequences in an update")
	f.Float64("lr", 0, "peak learning rate")
	f.Uint64("seed", 0, "seed of weights and dropout, and of data")
	f.Uint64("data-seed", 0, "seed of samples and position ids; 0: --seed")
	f.Int("threads", 0, "threads of ONNX Runtime, noted when the run begins; 0: one per core")
	f.StringArrayVar(&o.set, "set", nil, "any setting, as `key=value`; may be repeated")
	f.StringVar(&o.from, "from", "", "begin with the weights of a `model`: a run, whose settings are the "+
		"defaults, or a pretrained model's folder or GGUF file")
	o.change.addTrained(c)
	o.placed.add(c)
	f.StringVar(&o.runs, "runs", "runs", "`folder` of the runs")
	f.BoolVar(&o.resume, "resume", false, "go on with runs that were stopped; alone: with the one that was")
	f.BoolVar(&o.dryRun, "dry-run", false, "print the settings, the memory and about how long it takes, and stop")
}

func (a *app) train(c *cobra.Command, o trainOptions, args []string) error {
	if err := o.settle(c.Flags(), placement.Placement{}, ort.Devices); err != nil {
		return err
	}
	engine := o.placed.options()
	runs, err := a.trainRuns(c, o, args)
	if err != nil {
		return err
	}
	if !o.dryRun {
		signal.Ignore(syscall.SIGPIPE) // a training does not end with who reads its words
	}
	for i, r := range runs {
		r.Provider = o.Provider
		if o.dryRun {
			if i > 0 {
				a.Print("")
			}
			err = a.trainDry(c.Context(), r, engine)
		} else {
			err = a.trainOne(c.Context(), r, engine, o.resume)
		}
		if err != nil {
			return a.trainError(err, r, len(runs))
		}
	}
	return nil
}

// trainRuns lists the runs that the command line asks for: those named, the one that
// was stopped, or the settings'.
func (a *app) trainRuns(c *cobra.Command, o trainOptions, names []string) (_ []launch.Run, err error) {
	given := arguments.Given(c.Flags(), trainGiven()...)
	switch {
	case len(names) > 0 && !o.resume && slices.Contains(models.Encodings(), names[0]):
		return nil, fmt.Errorf("unexpected argument %q; to train with this encoding: zoo train --pe %s", names[0], names[0])
	case len(names) > 0 && !o.resume:
		return nil, fmt.Errorf("unexpected argument %q; to go on with a run: %s", names[0], resumeCommand(names[0]))
	case len(names) > 0 && given != "":
		return nil, fmt.Errorf("--%s: a run that is resumed keeps the settings it began with", given)
	case len(names) == 0 && o.resume && given == "":
		if names, err = a.stoppedRun(o.runs); err != nil {
			return nil, err
		}
	case len(names) == 0:
		s, err := o.sources(c)
		if err != nil {
			return nil, err
		}
		return launch.Plan(o.runs, s)
	}
	return launch.Begun(names...)
}

// sources are the layers of the configuration.
func (o *trainOptions) sources(c *cobra.Command) (configs.Sources, error) {
	preset := c.Flag("preset")
	if preset.Changed {
		if err := arguments.OneOf("preset", preset.Value.String(), configs.Names(configs.Presets)...); err != nil {
			return configs.Sources{}, err
		}
	}
	if slices.Contains(o.encodings, allEncodings) {
		o.encodings = models.Encodings()
	}
	if _, err := models.EncodingNames(o.encodings); err != nil {
		return configs.Sources{}, err
	}
	var overrides []configs.Value
	for key, name := range trainFlags {
		if f := c.Flags().Lookup(name); f.Changed {
			overrides = append(overrides, configs.Value{Key: key, Value: f.Value.String(), From: "--" + name})
		}
	}
	set, err := pairs("--set", o.set)
	if err != nil {
		return configs.Sources{}, err
	}
	s := configs.Sources{
		Preset: preset.Value.String(), User: userConfig(), File: o.file, Environ: os.Environ(),
		Overrides: append(overrides, set...), Encodings: o.encodings,
	}
	if s.Change, err = o.change.intervention(); err != nil {
		return s, err
	}
	if o.from != "" {
		s.From, err = train.StartAt(o.from)
		if _, unknown := catalogue.Embedded().Manifest(o.from); err != nil && unknown == nil {
			err = fmt.Errorf("--from %s: a model of the catalogue has no folder; make one: zoo export %[1]s --format safetensors; and give --from %[1]s-hf", o.from)
		}
	} else if change := s.Change.String(); change != "" {
		err = fmt.Errorf("%s: changes a model that is there; name it: --from", change)
	}
	return s, err
}

// trainGiven are the flags that say what to train.
func trainGiven() []string {
	return append([]string{"preset", "config", "pe", "set", "from", "rope", "window", "scale"}, slices.Sorted(maps.Values(trainFlags))...)
}

// pairs reads values given as key=value, such as train.steps=100.
func pairs(from string, list []string) ([]configs.Value, error) {
	var out []configs.Value
	for _, pair := range list {
		key, value, ok := strings.Cut(pair, "=")
		if !ok || key == "" {
			return nil, fmt.Errorf("%s %s: want key=value, such as train.steps=100", from, pair)
		}
		out = append(out, configs.Value{Key: key, Value: value, From: from})
	}
	return out, nil
}
